"""Templates: texts and trees of a suite compiled once, rendered per query; a result is never rendered again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, Undefined, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pytest_relevance.records import Query
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.suite.scalars import Text

Names = Mapping[str, Any]  # what a template can say: query, depth, vector, size, offset, page, cursor, omit
Render = Callable[[Names], Any]

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LUCENE = re.compile(r'[+\-=!(){}\[\]^"~*?:\\/&|]')
_LUCENE_WORDS = re.compile(r"\b(AND|OR|NOT)\b")
_MARKS = ("{{", "{%", "{#")


class Omit:
    """`omit`: a key of a body, or a parameter, whose value this is, is left out."""

    def __repr__(self) -> str:
        return "omit"


OMIT: Final = Omit()


class Encoded(str):
    """A text that the `url` filter encoded already."""

    __slots__ = ()


class QueryView:
    """A query as templates see it: `query` and `query.text`, `query.query_id`, and each attribute by its name."""

    __slots__ = ("_query", "attributes", "query_id", "text")

    def __init__(self, query: Query) -> None:
        self._query = query
        self.query_id = query.query_id
        self.text = query.text
        self.attributes = query.attributes

    def __getattr__(self, name: str) -> object:
        try:
            return self._query.attributes[name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        return self.text


def compile_text(text: str, *, encode: Callable[[object], str] = str) -> Render:
    """A template whose result is always text; `encode` is applied to each value put into it.

    Raises:
        TemplateSyntaxError: the template cannot be read.
    """
    source, environment_values = _guarded(text)
    if not any(mark in source for mark in _MARKS):
        return lambda _: text
    simple = _simple_parts(source)
    if simple is not None:
        return _joined(simple, encode)
    environment = _environment(encode)
    template = environment.from_string(source)
    return _told(lambda names: template.render({**names, **environment_values}))


def compile_value(text: str) -> Render:
    """A template whose result keeps its type where the whole text is one expression, and is text otherwise.

    Raises:
        TemplateSyntaxError: the template cannot be read.
    """
    source, environment_values = _guarded(text)
    body = _environment(str).parse(source).body if any(mark in source for mark in _MARKS) else []
    outputs = body[0].nodes if len(body) == 1 and isinstance(body[0], nodes.Output) else []
    if len(outputs) != 1 or isinstance(outputs[0], nodes.TemplateData):
        return compile_text(text)
    path = _simple_path(outputs[0])
    if path is not None:
        return lambda names: _typed(_looked_up(names, path))
    expression = source.strip()[2:-2].strip("-+ ")
    evaluate = _environment(str).compile_expression(expression, undefined_to_none=False)
    return _told(lambda names: _typed(evaluate({**names, **environment_values})))


def compile_tree(tree: object) -> Render:
    """A template for a tree of mappings, lists and scalars, as JSON holds it.

    An unquoted scalar that JSON knows as a number, true or false is one; what has the value `omit` is left out.
    """
    if isinstance(tree, Mapping):
        members = [(compile_text(str(key)), compile_tree(value)) for key, value in tree.items()]

        def mapping(names: Names) -> dict[str, Any]:
            pairs = ((key(names), value(names)) for key, value in members)
            return {key: value for key, value in pairs if value is not OMIT}

        return mapping
    if isinstance(tree, list | tuple):
        items = [compile_tree(item) for item in tree]
        return lambda names: [value for value in (item(names) for item in items) if value is not OMIT]
    if isinstance(tree, str) and any(mark in tree for mark in _MARKS):
        return compile_value(tree)
    constant = plain_scalar(tree)
    return lambda _: constant


def plain_scalar(value: object) -> object:
    """An unquoted YAML scalar as JSON has it: `10` is a number, `true` is true, `012` and `"10"` are text."""
    if not isinstance(value, str) or (isinstance(value, Text) and value.quoted):
        return str(value) if isinstance(value, str) else value
    if value in ("true", "false"):
        return value == "true"
    return json.loads(value) if _JSON_NUMBER.fullmatch(value) else str(value)


def url_encoded(value: object) -> str:
    """A value as one part of a URL: nothing in it can end a segment, start a query or climb a folder."""
    if isinstance(value, Encoded):
        return value
    text = str(value)
    return quote(text, safe="") if text not in (".", "..") else text.replace(".", "%2E")


def lucene(value: object) -> str:
    """A text whose signs and words Lucene's query parser takes literally."""
    escaped = _LUCENE.sub(lambda sign: f"\\{sign[0]}", str(value)).replace("<", "").replace(">", "")
    return _LUCENE_WORDS.sub(lambda word: f"\\{word[0]}", escaped)


def _as_json(value: object) -> str:
    return json.dumps(value if isinstance(value, int | float | list | dict | None) else str(value), ensure_ascii=False)


def _environment(encode: Callable[[object], str]) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False, finalize=_finalizer(encode)
    )
    environment.filters |= {
        "json": _as_json,
        "url": lambda value: Encoded(quote(str(value), safe="")),
        "lucene": lucene,
    }
    return environment


def _finalizer(encode: Callable[[object], str]) -> Callable[[object], object]:
    def finalize(value: object) -> object:
        return value if isinstance(value, Undefined) else encode(value)  # an undefined value complains when it prints

    return finalize


def _guarded(text: str) -> tuple[str, dict[str, str]]:
    """The template with environment values that hold template marks behind names, so that they are never run."""
    values: dict[str, str] = {}
    source = str(text)
    for reference in text.references if isinstance(text, Text) else ():
        if any(mark in reference.value for mark in _MARKS):
            name = f"environment_{len(values)}"
            values[name] = reference.value
            source = source.replace(reference.value, f"{{{{ {name} }}}}")
    return source, values


def _simple_path(node: nodes.Node) -> tuple[str, str] | None:
    """(name, attribute) of `depth` or `query.text`: most templates hold nothing else, and those need no engine."""
    if isinstance(node, nodes.Name) and not node.name.startswith("environment_"):
        return node.name, ""
    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "query":
        return ("query", node.attr) if not node.attr.startswith("_") else None
    return None


def _simple_parts(source: str) -> list[str | tuple[str, str]] | None:
    body = _environment(str).parse(source).body
    parts: list[str | tuple[str, str]] = []
    for node in body[0].nodes if len(body) == 1 and isinstance(body[0], nodes.Output) else [nodes.Const(None)]:
        path = node.data if isinstance(node, nodes.TemplateData) else _simple_path(node)
        if path is None:
            return None
        parts.append(path)
    return parts


def _joined(parts: list[str | tuple[str, str]], encode: Callable[[object], str]) -> Render:
    def render(names: Names) -> str:
        return "".join(part if isinstance(part, str) else encode(_looked_up(names, part)) for part in parts)

    return render


def _looked_up(names: Names, path: tuple[str, str]) -> Any:
    name, attribute = path
    try:
        value = names[name]
        return getattr(value, attribute) if attribute else value
    except (KeyError, AttributeError):
        raise NotAnswered(f"the template says {name}{attribute and '.'}{attribute}, which is not known here") from None


def _typed(value: Any) -> Any:
    if isinstance(value, Undefined):
        raise NotAnswered(f"the template says something not known here: {value._undefined_name}")
    return str(value) if isinstance(value, QueryView) else value


def _told(render: Render) -> Render:
    def telling(names: Names) -> Any:
        try:
            return render(names)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise NotAnswered(f"the template cannot be rendered: {error}") from None

    return telling


__all__ = [
    "OMIT",
    "Encoded",
    "Names",
    "QueryView",
    "Render",
    "TemplateSyntaxError",
    "compile_text",
    "compile_tree",
    "compile_value",
    "lucene",
    "plain_scalar",
    "url_encoded",
]
