"""FieldCondition: what is expected of a document's (or a query's) fields."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import GetCoreSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from pytest_relevance.suite.forms import misfit

_REGEX = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}


@dataclass(frozen=True)
class Expected:
    """One expected value: a text that equals, or a `/pattern/flags` that is found."""

    text: str  # as written
    pattern: re.Pattern[str] | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, text: str) -> Expected:
        """From what a user writes; between slashes it is a regular expression.

        Raises:
            ValueError: the expression or a flag is wrong; the message says what.
        """
        match = _REGEX.fullmatch(text)
        if match is None:
            return cls(text)
        unknown = [flag for flag in match[2] if flag not in _FLAGS]
        if unknown:
            raise ValueError(f"unknown flag {unknown[0]!r} (known: {', '.join(_FLAGS)})")
        flags = re.NOFLAG
        for flag in match[2]:
            flags |= _FLAGS[flag]
        return cls(text, _compiled(match[1], flags))

    def fits(self, value: object) -> bool:
        """Whether a JSON value is what is expected; of a list, whether any of its members is."""
        if isinstance(value, list | tuple):
            return any(self.fits(member) for member in value)
        if value is None or isinstance(value, Mapping):
            return False
        if self.pattern is not None:
            return self.pattern.search(value if isinstance(value, str) else _json_text(value)) is not None
        return self._equals(value)

    def _equals(self, value: object) -> bool:
        if isinstance(value, str):
            return value == self.text
        if isinstance(value, bool):
            return self.text.lower() == _json_text(value)
        if isinstance(value, int | float) and _NUMBER.fullmatch(self.text):
            return value == (int(self.text) if self.text.lstrip("-").isdigit() else float(self.text))
        return str(value) == self.text


@dataclass(frozen=True)
class FieldCondition:
    """Field path → expected value; all must hold. A missing field never fits."""

    expected: Mapping[str, Expected] = field(hash=False)

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> FieldCondition:
        """From what a user writes: `FieldCondition.of({"category": "footwear", "title": "/gift card/i"})`.

        Raises:
            ValueError: a regular expression is wrong.
        """
        return cls({path: Expected.parse(text) for path, text in fields.items()})

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = handler.generate_schema(dict[str, ExpectedText])
        return core_schema.no_info_after_validator_function(_nonempty, written)

    @property
    def names(self) -> tuple[str, ...]:
        """The field paths it looks at."""
        return tuple(self.expected)

    @property
    def text(self) -> str:
        """`category=footwear, title=/gift card/i`"""
        return ", ".join(f"{path}={expected.text}" for path, expected in self.expected.items())

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether every field is as expected."""
        return all(
            any(expected.fits(value) for value in values_at(fields, path)) for path, expected in self.expected.items()
        )


def values_at(fields: Mapping[str, Any], path: str) -> list[Any]:
    """Every value at a dotted path: a key that holds the dots itself goes first; lists on the way are entered."""
    if path in fields:
        return [fields[path]]
    found: list[Any] = [fields]
    for name in path.split("."):
        members = [one for value in found for one in (value if isinstance(value, list | tuple) else [value])]
        found = [one[name] for one in members if isinstance(one, Mapping) and name in one]
    return found


def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    if not pattern:
        raise ValueError("the expression between the slashes is empty")
    try:
        with warnings.catch_warnings():
            # A pattern that a later Python may read otherwise is still a pattern.
            warnings.simplefilter("ignore")
            return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"this is no regular expression: {error}") from None


def _json_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _expected(value: object) -> Expected:
    if not isinstance(value, str):
        raise misfit("{path} needs text or /regex/, found {kind}", "write for example 'footwear' or '/gift card/i'")
    try:
        return Expected.parse(value)
    except ValueError as error:
        raise misfit(
            f"{{path}}: {error}", "write it as /pattern/ or /pattern/i, or without slashes for equal text"
        ) from None


def _nonempty(expected: dict[str, Expected]) -> FieldCondition:
    if not expected:
        raise misfit("{path} names no field", "write for example 'category: footwear'")
    return FieldCondition(expected)


_SCHEMA = {"type": ["string", "number", "boolean"], "description": "equal text, or /regex/flags"}
ExpectedText: TypeAlias = Annotated[Expected, PlainValidator(_expected), WithJsonSchema(_SCHEMA)]
