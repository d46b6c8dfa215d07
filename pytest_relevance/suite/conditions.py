"""FieldCondition: what is expected of a document's (or a query's) fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Any, TypeAlias

from pydantic import GetCoreSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from pytest_relevance.errors import suggestion
from pytest_relevance.suite.expected import (
    Bound,
    Comparable,
    Expected,
    OneOf,
    Presence,
    Range,
    Wanted,
    json_text,
    number_of,
)
from pytest_relevance.suite.forms import misfit
from pytest_relevance.suite.moments import Moment, moment_of

_PRESENCE = {"present": True, "absent": False}
_SIGNS = {"at_least": ">=", "at_most": "<=", "above": ">", "below": "<", "after": ">", "before": "<"}
_DATES_ONLY = ("after", "before")
_KEYS = ("equals", *_SIGNS)
_EXAMPLES = "'footwear', '/gift card/i', '[boots, shoes]' or '{at_most: 100}'"


@dataclass(frozen=True)
class FieldCondition:
    """Field path → what is expected there; all must hold. A missing field is only ever `absent`."""

    expected: Mapping[str, Wanted] = field(hash=False)

    @classmethod
    def of(cls, fields: FieldCondition | Mapping[str, object]) -> FieldCondition:
        """From what a user writes: `FieldCondition.of({"category": ["boots", "shoes"], "price": {"at_most": 100}})`.

        Raises:
            ValueError: an expectation cannot be meant, such as a wrong regular expression.
        """
        return fields if isinstance(fields, FieldCondition) else cls({path: wanted(it) for path, it in fields.items()})

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = handler.generate_schema(dict[str, ExpectedValue])
        return core_schema.no_info_after_validator_function(_nonempty, written)

    @property
    def names(self) -> tuple[str, ...]:
        """The field paths it looks at."""
        return tuple(self.expected)

    @property
    def text(self) -> str:
        """`category=footwear, price<=100`"""
        return ", ".join(wanted.said_of(path) for path, wanted in self.expected.items())

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether every field is as expected."""
        return all(wanted.holds(values_at(fields, path)) for path, wanted in self.expected.items())


class UnfitError(ValueError):
    """An expectation of a field that cannot be meant; `key` is the key of it that is to blame."""

    def __init__(self, problem: str, fix: str, *, key: str | None = None, unknown: bool = False) -> None:
        super().__init__(problem)
        self.fix = fix
        self.key = key
        self.unknown = unknown


def values_at(fields: Mapping[str, Any], path: str) -> list[Any]:
    """Every value at a dotted path: a key that holds the dots itself goes first; lists on the way are entered."""
    if path in fields:
        return [fields[path]]
    found: list[Any] = [fields]
    for name in path.split("."):
        members = [one for value in found for one in (value if isinstance(value, list | tuple) else [value])]
        found = [one[name] for one in members if isinstance(one, Mapping) and name in one]
    return found


def wanted(written: object) -> Wanted:
    """What one value of a condition stands for.

    Raises:
        UnfitError: it cannot be meant; the message goes after the name of the field.
    """
    if isinstance(written, str):
        return Presence(_PRESENCE[written]) if written in _PRESENCE else _expected(written)
    if isinstance(written, bool | int | float):
        return Expected(json_text(written))
    if isinstance(written, date):
        return Expected(written.isoformat())
    if isinstance(written, list | tuple):
        if not written:
            raise UnfitError("is an empty list", "name at least one value")
        return OneOf(tuple(_expected(_scalar(member)) for member in written))
    if isinstance(written, Mapping):
        return _from_table(written)
    raise UnfitError("needs a value, found {kind}", f"write for example {_EXAMPLES}")


def _from_table(written: Mapping[str, object]) -> Wanted:
    unknown = next((key for key in written if key not in _KEYS), None)
    if unknown is not None:
        raise UnfitError(f"has unknown key {unknown!r}", suggestion(unknown, _KEYS), key=unknown, unknown=True)
    if not written:
        raise UnfitError("is empty", "add a bound, for example 'at_most: 100'")
    if "equals" in written:
        if len(written) > 1:
            raise UnfitError("has 'equals' beside other keys", "keep one of them", key="equals")
        return Expected(_scalar(written["equals"]))
    bounds = tuple(_bound(key, value) for key, value in written.items())
    _refuse_impossible(tuple(written), bounds)
    return Range(bounds)


def _bound(key: str, written: object) -> Bound:
    text = _scalar(written)
    value: Comparable | None = moment_of(text)
    if value is None and key not in _DATES_ONLY:
        value = number_of(text)
    if value is None:
        needs = "a date" if key in _DATES_ONLY else "a number or a date"
        example = "2024-01-31" if key in _DATES_ONLY else "100 or 2024-01-31"
        raise UnfitError(f"needs {needs} for {key!r}, found {text!r}", f"write for example {key}: {example}", key=key)
    return Bound(_SIGNS[key], text, value)


def _refuse_impossible(keys: tuple[str, ...], bounds: tuple[Bound, ...]) -> None:
    if len({isinstance(bound.value, Moment) for bound in bounds}) > 1:
        raise UnfitError("mixes numbers and dates", "keep one kind", key=keys[-1])
    if len({bound.sign[0] for bound in bounds}) < len(bounds):
        raise UnfitError("has two bounds on one side", "keep one of them", key=keys[-1])
    if len(bounds) == 2:
        low, high = sorted(bounds, key=lambda bound: bound.sign[0] == "<")
        if not high.holds(low.text) or (low.value == high.value and not low.holds(high.text)):
            raise UnfitError(
                "has a lower bound that is above the upper one", "no value can be both: change one", key=keys[0]
            )


def _expected(text: str) -> Expected:
    try:
        return Expected.parse(text)
    except ValueError as error:
        fix = "write it as /pattern/ or /pattern/i, or without slashes for equal text"
        raise UnfitError(f": {error}", fix) from None


def _scalar(written: object) -> str:
    if isinstance(written, str):
        return str(written)
    if isinstance(written, bool | int | float):
        return json_text(written)
    if isinstance(written, date | datetime):
        return written.isoformat()
    raise UnfitError("needs texts, numbers or dates in it", f"write for example {_EXAMPLES}")


def _validated(written: object) -> Wanted:
    try:
        return wanted(written)
    except UnfitError as unfit:
        problem = f"{{path}}{unfit}" if str(unfit).startswith(":") else f"{{path}} {unfit}"
        raise misfit(problem, unfit.fix, key=unfit.key, at_key=unfit.unknown) from None


def _nonempty(expected: dict[str, Wanted]) -> FieldCondition:
    if not expected:
        raise misfit("{path} names no field", "write for example 'category: footwear'")
    return FieldCondition(expected)


_SCALAR = {"type": ["string", "number", "boolean"]}
_SCHEMA = {
    "anyOf": [
        {**_SCALAR, "description": "equal text, /regex/flags, or the words present and absent"},
        {"type": "array", "items": _SCALAR, "minItems": 1, "description": "one of these"},
        {
            "type": "object",
            "properties": dict.fromkeys(_KEYS, _SCALAR),
            "additionalProperties": False,
            "minProperties": 1,
            "description": "bounds, or 'equals' for the words present and absent themselves",
        },
    ]
}
ExpectedValue: TypeAlias = Annotated[Any, PlainValidator(_validated), WithJsonSchema(_SCHEMA)]
