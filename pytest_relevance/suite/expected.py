"""What a field may be expected to be: a text, a /regex/, one of several, a range of numbers or dates, there or not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from pytest_relevance.suite.moments import Moment, moment_of

_REGEX = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}


class Wanted(Protocol):
    """What is expected of the values that a document has at one path."""

    def holds(self, values: Sequence[object]) -> bool:
        """Whether the values are as expected; there may be none, and each may be a list."""
        ...

    def said_of(self, path: str) -> str:
        """The expectation in words short enough for a node's name."""
        ...


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

    def holds(self, values: Sequence[object]) -> bool:
        return any(self.fits(value) for value in values)

    def said_of(self, path: str) -> str:
        """`category=footwear`"""
        return f"{path}={self.text}"

    def fits(self, value: object) -> bool:
        """Whether a JSON value is what is expected; of a list, whether any of its members is."""
        if isinstance(value, list | tuple):
            return any(self.fits(member) for member in value)
        if value is None or isinstance(value, Mapping):
            return False
        if self.pattern is not None:
            return self.pattern.search(value if isinstance(value, str) else json_text(value)) is not None
        return self._equals(value)

    def _equals(self, value: object) -> bool:
        if isinstance(value, str):
            return value == self.text
        if isinstance(value, bool):
            return self.text.lower() == json_text(value)
        if isinstance(value, int | float) and _NUMBER.fullmatch(self.text):
            return value == (int(self.text) if self.text.lstrip("-").isdigit() else float(self.text))
        return str(value) == self.text


@dataclass(frozen=True)
class OneOf:
    """Any of several expected values."""

    members: tuple[Expected, ...]

    def holds(self, values: Sequence[object]) -> bool:
        return any(member.holds(values) for member in self.members)

    def said_of(self, path: str) -> str:
        """`category=boots|footwear`"""
        return f"{path}={'|'.join(member.text for member in self.members)}"


@dataclass(frozen=True)
class Presence:
    """The field is there with something in it, or is not."""

    present: bool

    def holds(self, values: Sequence[object]) -> bool:
        return any(map(_is_something, values)) is self.present

    def said_of(self, path: str) -> str:
        """`brand present`"""
        return f"{path} {'present' if self.present else 'absent'}"


Comparable: TypeAlias = float | Moment


@dataclass(frozen=True)
class Bound:
    """One end of a range."""

    sign: str  # >=, <=, > or <
    text: str  # as written
    value: Comparable

    def holds(self, value: object) -> bool:
        """Whether a JSON value is on the right side; what has no such order is not."""
        if isinstance(self.value, Moment):
            moment = moment_of(value)
            difference = None if moment is None else moment.compared_with(self.value)
        else:
            number = number_of(value)
            difference = None if number is None else number - self.value
        if difference is None:
            return False
        if difference == 0:
            return self.sign.endswith("=")
        return (difference > 0) == self.sign.startswith(">")


@dataclass(frozen=True)
class Range:
    """One value that keeps to every bound; of several values one is enough."""

    bounds: tuple[Bound, ...]

    def holds(self, values: Sequence[object]) -> bool:
        return any(
            all(bound.holds(member) for bound in self.bounds)
            for value in values
            for member in (value if isinstance(value, list | tuple) else (value,))
        )

    def said_of(self, path: str) -> str:
        """`price>=10 and price<=100`"""
        return " and ".join(f"{path}{bound.sign}{bound.text}" for bound in self.bounds)


def number_of(value: object) -> float | None:
    """A number, or a text that JSON would read as one: search services often give numbers as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if value != value else value
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def json_text(value: object) -> str:
    """A value as JSON and YAML write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_something(value: object) -> bool:
    return value is not None and value != "" and value != [] and value != () and value != {}


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
