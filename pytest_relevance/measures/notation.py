"""The notation `Name(param=value,…)@cutoff` as text: cut into parts, each with its place. Nothing is looked up here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_relevance.errors import MeasureError, Place

Scalar = bool | float | str
Value = Scalar | tuple[tuple[float, float], ...]  # a tuple is a table {grade: gain}

_NAME = re.compile(r"[^\W_][\w.\-]*")
_KEY = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_BLANK = re.compile(r"\s*")


@dataclass(frozen=True)
class Part:
    """A piece of the notation and where it begins, in characters from 0."""

    text: str
    start: int


@dataclass(frozen=True)
class Argument:
    """One `key=value`."""

    key: Part
    value: Value
    shown: Part  # the value as written


@dataclass(frozen=True)
class Written:
    """A notation cut into parts."""

    name: Part
    arguments: tuple[Argument, ...]
    at: Part | None  # what stands after @


class Reader:
    """Reads one notation from left to right, and makes errors that point into it."""

    def __init__(self, text: str, place: Place | None, *, kind: str = "measure") -> None:
        self.text = text
        self.place = place
        self.kind = kind
        self.position = 0

    def error(self, problem: str, part: Part, fix: str) -> MeasureError:
        """A problem with `part`, placed where it stands."""
        place = self.place and replace(self.place, column=self.place.column + part.start, width=max(1, len(part.text)))
        if self.text.strip() not in problem:
            problem += f" in {self.kind} {self.text!r}"
        return MeasureError(problem, place=place, fix=fix)

    def written(self) -> Written:
        """The whole notation.

        Raises:
            MeasureError: it is empty, a bracket is open, or something stands behind its end.
        """
        self._skip()
        name = self._match(_NAME)
        if name is None:
            raise self.error(f"no {self.kind} name", self._rest(), "write one, for example nDCG@10")
        arguments = self._arguments() if self._take("(") else ()
        at = self._after_at() if self._take("@") else None
        if self._rest().text:
            rest = self._rest()
            raise self.error(
                f"{rest.text!r} is too much", rest, "write Name(param=value,...)@cutoff, for example P(rel=2)@5"
            )
        return Written(name, arguments, at)

    def _arguments(self) -> tuple[Argument, ...]:
        found: list[Argument] = []
        while not found or self._take(","):
            found.append(self._argument())
            if found[-1].key.text.casefold() in {one.key.text.casefold() for one in found[:-1]}:
                key = found[-1].key
                raise self.error(f"{key.text} is given twice", key, "keep one of them")
        if not self._take(")"):
            raise self.error(
                "a bracket is not closed", self._rest(), "close it with ')', or separate parameters with ','"
            )
        return tuple(found)

    def _argument(self) -> Argument:
        self._skip()
        key = self._match(_KEY)
        if key is None or not self._take("="):
            raise self.error("expected param=value", self._rest(), "write for example (rel=2), or drop the brackets")
        self._skip()
        start = self.position
        value = self._table() if self._take("{") else self._scalar()
        return Argument(key, value, Part(self.text[start : self.position].rstrip(), start))

    def _scalar(self) -> Scalar:
        self._skip()
        quoted = _QUOTED.match(self.text, self.position)
        if quoted:
            self.position = quoted.end()
            return quoted.group(1) or quoted.group(2) or ""
        number = self._match(_NUMBER)
        if number:
            return float(number.text)
        word = self._match(_NAME)
        if word is None:
            raise self.error("a value is missing", self._rest(), "write a number, a word in quotes, True or False")
        return {"true": True, "false": False}.get(word.text.casefold(), word.text)

    def _table(self) -> tuple[tuple[float, float], ...]:
        rows: dict[float, float] = {}
        while not rows or self._take(","):
            self._skip()
            grade = self._match(_NUMBER)
            colon = self._take(":")
            self._skip()
            gain = self._match(_NUMBER)
            if grade is None or not colon or gain is None:
                raise self.error("expected grade:gain", self._rest(), "write for example gains={0:0,1:1,2:5}")
            if float(grade.text) in rows:
                raise self.error(f"grade {grade.text} is given twice", grade, "keep one gain for each grade")
            rows[float(grade.text)] = float(gain.text)
        if not self._take("}"):
            raise self.error("a bracket is not closed", self._rest(), "close it with '}', or separate rows with ','")
        return tuple(sorted(rows.items()))

    def _after_at(self) -> Part:
        rest = self._rest()
        self.position = len(self.text)
        return rest

    def _rest(self) -> Part:
        self._skip()
        return Part(self.text[self.position :].rstrip(), self.position)

    def _match(self, pattern: re.Pattern[str]) -> Part | None:
        found = pattern.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        return Part(found.group(), found.start())

    def _take(self, sign: str) -> bool:
        self._skip()
        if not self.text.startswith(sign, self.position):
            return False
        self.position += len(sign)
        return True

    def _skip(self) -> None:
        blank = _BLANK.match(self.text, self.position)
        self.position = blank.end() if blank else self.position
