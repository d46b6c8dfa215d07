"""pydantic's complaints about a located tree, as errors with a place, our words and a fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import BaseModel

from pytest_relevance.errors import Place, RelevanceError, SuiteError, nearest, suggestion
from pytest_relevance.suite.located import Nothing, Series, Table, Tree, kind_of
from pytest_relevance.suite.scalars import references_in
from pytest_relevance.suite.shapes import arms_at, field_at, keys_of
from pytest_relevance.suite.source import Spot

_SHORTEST_SECRET = 4  # characters; anything shorter would be found in half of all messages
MISFIT = "suite_misfit"  # pydantic's name for the complaints we make ourselves

_NEEDS = {
    "string": "text",
    "float": "a number",
    "decimal": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "keys and values",
    "mapping": "keys and values",
    "model": "keys and values",
    "finite": "a finite number",
    "<text>": "text",
    "<list>": "a list",
    "<table>": "keys and values",
}
_EXAMPLES = {
    "a number": "0.42",
    "a finite number": "0.42",
    "a whole number": "10",
    "true": "true",
    "text": "'text'",
    "a list": "[one, another]",
    "keys and values": "{name: value}",
}
_BOUNDS = {
    "greater_than": ("gt", "above"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "below"),
    "less_than_equal": ("le", "at most"),
}


class Found(NamedTuple):
    """Where a complaint leads in the tree."""

    spot: Spot
    path: str  # as messages call it: checks[0].of
    owner: str  # the path of the table that the last key is in
    key: str
    value: Tree


def found_at(written: Table, complaint: Mapping[str, Any], where: str) -> Found:
    """The value a complaint is about; elements of its path that the tree does not have are pydantic's own."""
    value: Tree = written
    spot, path, owner, key = written.spot, where, where, ""
    for element in complaint["loc"]:
        if isinstance(value, Table) and element in value:
            owner, key = path, str(element)
            path = f"{path}.{key}" if path else key
            at_key = complaint["type"] == "extra_forbidden" or complaint["loc"][-1] == "[key]"
            spot = value.key_spot(key) if at_key else value.value_spot(key)
            value = value[key]
        elif isinstance(value, Series) and isinstance(element, int) and element < len(value):
            owner, key, path = path, "", f"{path}[{element}]"
            spot, value = value.item_spot(element), value[element]
    if complaint["loc"][-1:] == ("[key]",):
        path, value = f"a key of {_called(owner)}", key
    return Found(spot, path, owner, key, value)


def is_echo(complaint: Mapping[str, Any], found: Found) -> bool:
    """Whether pydantic calls something short only because it refused what is in it, and said so already."""
    if complaint["type"] != "too_short":
        return False
    return not isinstance(found.value, Table | Series) or len(found.value) >= complaint["ctx"]["min_length"]


def error_of(complaint: Mapping[str, Any], found: Found, model: type[BaseModel]) -> RelevanceError:
    """The complaint as an error of ours. A value is only shown as it was written: it may come from the environment."""
    kind = str(complaint["type"])
    if kind == MISFIT:
        error = _own(complaint["ctx"], found)
    elif kind == "extra_forbidden":
        allowed = keys_of(arms_at(model, complaint["loc"][:-1]))
        error = _error(f"unknown key {found.key!r} in {_called(found.owner)}", found, suggestion(found.key, allowed))
    elif kind == "missing":
        error = _missing(complaint["loc"], found, model)
    elif isinstance(found.value, Nothing):
        error = _error(f"{_called(found.path)} needs a value", found, _fix_for_nothing(found))
    elif kind.startswith("union_tag"):
        error = _no_arm(complaint["loc"], found, model)
    else:
        error = _misvalued(kind, complaint, found, model)
    return _without_secrets(error, found)


def _misvalued(kind: str, complaint: Mapping[str, Any], found: Found, model: type[BaseModel]) -> RelevanceError:
    called = _called(found.path)
    context = complaint.get("ctx", {})
    if kind in ("literal_error", "enum"):
        expected = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        if isinstance(found.value, str):
            problem = f"{called} cannot be {found.spot.written!r}"
        else:
            problem = f"{called} needs one word, found {kind_of(found.value)}"
        return _error(problem, found, suggestion(found.spot.written, expected))
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        bound = f"{words} {context[name]:g}"
        return _error(f"{called} must be {bound}, found {found.spot.written}", found, f"write a number {bound}")
    if kind in ("too_short", "string_too_short"):
        least = context.get("min_length", 1)
        problem = f"{called} is empty" if least == 1 else f"{called} needs at least {least} items"
        return _error(problem, found, "fill it, or remove it")
    if kind == "too_long":
        return _error(f"{called} has more than {context['max_length']} items", found, "remove some")
    if kind == "value_error":
        return _error(f"{called}: {context.get('error', complaint['msg'])}", found, None)
    needs = _NEEDS.get(kind.split("_")[0])
    if needs is None:
        message = str(complaint["msg"])
        return _error(f"{called}: {message[:1].lower()}{message[1:]}", found, None)
    return _needs(needs, complaint["loc"], found, model)


def _needs(needs: str, loc: tuple[str | int, ...], found: Found, model: type[BaseModel]) -> SuiteError:
    example = _example(needs, loc, found, model)
    return _error(f"{_called(found.path)} needs {needs}, found {_shown(found)}", found, f"write for example {example}")


def _example(needs: str, loc: tuple[str | int, ...], found: Found, model: type[BaseModel]) -> str:
    form = next((arm.kind for arm in arms_at(model, loc) if getattr(arm.kind, "example", "")), None)
    field = field_at(arms_at(model, loc[:-1]), loc[-1])
    if needs == "a list" and isinstance(found.value, str):
        return f"[{found.spot.written}]"
    if needs == "keys and values" and form is not None:
        return f"{{{form.example}}}"
    if field is not None and field.examples:
        return str(field.examples[0])
    return _EXAMPLES[needs.split(" or ")[0]]


def _own(context: Mapping[str, Any], found: Found) -> RelevanceError:
    spot = found.spot
    if "again" in context:
        return _again(context["again"], spot, found.value)
    if context["key"] and isinstance(found.value, Table) and context["key"] in found.value:
        spot_of = found.value.key_spot if context["at_key"] else found.value.value_spot
        spot = spot_of(context["key"])
    names = {"{written}": repr(spot.written), "{path}": _called(found.path), "{owner}": _called(found.owner)}
    problem = context["problem"].replace("{kind}", kind_of(found.value))
    for name, stands_for in names.items():
        problem = problem.replace(name, stands_for)
    return SuiteError(problem, place=spot.place, fix=context["fix"])


def _again(again: Callable[[Place], object], spot: Spot, value: Tree) -> RelevanceError:
    written = spot.source.text[spot.start : spot.end]
    opening = written[:1] in ("'", '"')
    try:
        again(replace(spot.place, column=spot.place.column + opening))
    except RelevanceError as error:
        if written in (value, f"'{value}'", f'"{value}"'):
            return error
        # Parts of a value that was folded, escaped or taken from the environment stand nowhere in the file.
        return type(error)(error.problem, place=spot.place, fix=error.fix)
    raise AssertionError("what was refused once is refused again")


def _missing(loc: tuple[str | int, ...], found: Found, model: type[BaseModel]) -> RelevanceError:
    key = loc[-1]
    field = field_at(arms_at(model, loc[:-1]), key)
    example = field.examples[0] if field is not None and field.examples else "..."
    return _error(f"{_called(found.path)} has no {key}", found, f"add one, for example '{key}: {example}'")


def _no_arm(loc: tuple[str | int, ...], found: Found, model: type[BaseModel]) -> RelevanceError:
    arms = [arm for arm in arms_at(model, loc) if arm.tag]
    kinds = [_NEEDS[arm.tag] for arm in arms if arm.tag in _NEEDS]
    if kinds or not isinstance(found.value, Table):
        return _needs(" or ".join(kinds) or "keys and values", loc, found, model)
    words = [arm.tag.strip("<>") for arm in arms if arm.tag]
    for key in found.value:
        near = nearest(key, words)
        if near:
            problem = f"unknown key {key!r} in {_called(found.path)}"
            return SuiteError(problem, place=found.value.key_spot(key).place, fix=f"did you mean {near!r}?")
    example = arms[0].kind.example
    fix = f"one of {', '.join(words)} is needed, for example '{example}'"
    return _error(f"{_called(found.path)} has no {words[0]}", found, fix)


def _fix_for_nothing(found: Found) -> str:
    written = found.spot.written
    if written and written != found.key:
        return f"write one, or put {written} in quotes if the word itself is meant"
    return "write one, or remove the key"


def _shown(found: Found) -> str:
    return repr(found.spot.written) if isinstance(found.value, str) else kind_of(found.value)


def _called(path: str) -> str:
    return path or "this suite"


def _error(problem: str, found: Found, fix: str | None) -> SuiteError:
    return SuiteError(problem, place=found.spot.place, fix=fix)


def _without_secrets(error: RelevanceError, found: Found) -> RelevanceError:
    problem, fix = error.problem, error.fix
    for reference in references_in(found.value):
        if len(reference.value) >= _SHORTEST_SECRET:
            problem = problem.replace(reference.value, f"${{{reference.name}}}")
            fix = fix and fix.replace(reference.value, f"${{{reference.name}}}")
    return error if (problem, fix) == (error.problem, error.fix) else type(error)(problem, place=error.place, fix=fix)
