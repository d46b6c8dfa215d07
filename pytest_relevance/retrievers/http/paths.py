"""Paths into an answer: JMESPath for JSON, ElementTree's XPath for XML, each compiled once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

import jmespath
from jmespath.exceptions import JMESPathError

from pytest_relevance.retrievers.http.failures import NotAnswered

Lookup = Callable[[Any], Any]

_PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def json_path(expression: str) -> Lookup:
    """A JMESPath expression as a function of a JSON value; None where nothing is there.

    Raises:
        ValueError: the expression cannot be read.
    """
    if _PLAIN.fullmatch(expression):
        return _steps(expression.split("."))  # the same result, and most paths are this plain
    try:
        compiled = jmespath.compile(expression)
    except JMESPathError as error:
        raise ValueError(str(error).splitlines()[0]) from None

    def search(value: Any) -> Any:
        try:
            return compiled.search(value)
        except JMESPathError as error:
            raise NotAnswered(f"the path {expression!r} does not fit the answer: {error}") from None

    return search


def named_field(name: str) -> Lookup:
    """A field by its name, whatever signs are in it (`@search.score`), else by its dotted steps."""
    steps = _steps(name.split("."))

    def look(value: Any) -> Any:
        if isinstance(value, Mapping) and name in value:
            return value[name]
        return steps(value)

    return look


def xml_list(expression: str, namespaces: Mapping[str, str]) -> Lookup:
    """All elements at an XPath, from the document's root.

    Raises:
        ValueError: the expression cannot be read.
    """
    path = _from_root(expression)
    _try(path, namespaces)
    return lambda root: root.findall(path, dict(namespaces))


def xml_value(expression: str, namespaces: Mapping[str, str]) -> Lookup:
    """The text of the first element at an XPath, or with `/@name` at its end an attribute; None where nothing is.

    Raises:
        ValueError: the expression cannot be read.
    """
    path, _, attribute = expression.rpartition("@") if "@" in expression.rpartition("/")[2] else (expression, "", "")
    if attribute.endswith("]"):  # the sign belongs to a condition
        path, attribute = expression, ""
    path = _from_root(path.removesuffix("/").removesuffix("text()").removesuffix("/")) or "."
    _try(path, namespaces)

    def look(element: Element) -> str | None:
        found = element.find(path, dict(namespaces))
        if found is None:
            return None
        return found.get(attribute) if attribute else "".join(found.itertext()).strip()

    return look


def _steps(names: Sequence[str]) -> Lookup:
    if len(names) == 1:
        only = names[0]
        return lambda value: value.get(only) if isinstance(value, dict) else None

    def walk(value: Any) -> Any:
        for name in names:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    return walk


def _from_root(expression: str) -> str:
    """`/rss/channel/item` and `//item` as ElementTree writes them: it searches below the root."""
    if expression.startswith("//"):
        return f".{expression}"
    if expression.startswith("/"):
        return "./" + expression[1:].partition("/")[2] if "/" in expression[1:] else "."
    return expression


def _try(path: str, namespaces: Mapping[str, str]) -> None:
    try:
        Element("root").find(path, dict(namespaces))
    except (SyntaxError, KeyError, TypeError) as error:
        raise ValueError(str(error)) from None
