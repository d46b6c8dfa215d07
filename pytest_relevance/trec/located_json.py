"""JSON with the place of each key and value, for as many levels as a reader looks at."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance.errors import quoted
from pytest_relevance.trec.columns import first_named
from pytest_relevance.trec.text import Text

_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Located:
    """A JSON value and where it stands; `items` holds the children of an object (with keys) or a list (without)."""

    value: object
    at: int
    end: int
    items: list[tuple[Located | None, Located]] | None = None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


class LocatedReader:
    """Reads the first `levels` levels of JSON text value by value, deeper ones whole."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._decoder = json.JSONDecoder(object_pairs_hook=once)

    def document(self, levels: int, at: int = 0, end: int | None = None) -> Located:
        """The one value between two positions.

        Raises:
            DataError: it is not JSON, a key stands twice, or something follows it.
        """
        found = self._value(self._skip(at), levels)
        stop = len(self._text.text) if end is None else end
        after = self._skip(found.end)
        if found.end > stop:
            raise self._text.error("the JSON value goes on after its line", at, "write one JSON value a line")
        if after < stop:
            raise self._text.error("more text after the end of the JSON value", after, "keep one value")
        return found

    def _value(self, at: int, levels: int) -> Located:
        opening = self._text.text[at : at + 1]
        if levels and opening == "{":
            return self._children(at, levels, "}")
        if levels and opening == "[":
            return self._children(at, levels, "]")
        return self._whole(at)

    def _children(self, at: int, levels: int, closing: str) -> Located:
        items: list[tuple[Located | None, Located]] = []
        seen: dict[object, int] = {}
        here = self._skip(at + 1)
        if self._text.text.startswith(closing, here):
            return Located({} if closing == "}" else [], at, here + 1, items)
        while True:
            key = None
            if closing == "}":
                key = self._key(here, seen)
                here = self._skip(key.end)
                self._expect(here, ":")
                here = self._skip(here + 1)
            child = self._value(here, levels - 1)
            items.append((key, child))
            here = self._skip(child.end)
            if self._text.text.startswith(closing, here):
                return Located({} if closing == "}" else [], at, here + 1, items)
            self._expect(here, ",", closing)
            here = self._skip(here + 1)

    def _key(self, at: int, seen: dict[object, int]) -> Located:
        if not self._text.text.startswith('"', at):
            self._expect(at, '"')
        key = self._whole(at)
        if key.value in seen:
            first = self._text.place(seen[key.value])
            raise self._text.error(
                f"duplicate key {quoted(key.value)}: first at {first}", at, "keep it once", key.end - at
            )
        seen[key.value] = at
        return key

    def _whole(self, at: int) -> Located:
        try:
            value, end = self._decoder.raw_decode(self._text.text, at)
        except json.JSONDecodeError as problem:
            raise self._text.error(
                f"not valid JSON: {problem.msg}", min(problem.pos, len(self._text.text)), "correct the file's JSON"
            ) from None
        except RecursionError:
            raise self._text.error("JSON nested too deep", at, "flatten it") from None
        except ValueError as problem:  # a repeated key, or an integer of thousands of digits
            raise self._text.error(f"not usable JSON: {problem}", at, "correct the file's JSON") from None
        return Located(value, at, end)

    def _expect(self, at: int, *wanted: str) -> None:
        if not any(self._text.text.startswith(one, at) for one in wanted):
            shown = " or ".join(repr(one) for one in wanted)
            found, fix = quoted(self._text.text[at : at + 1]), "correct the file's JSON"
            if at >= len(self._text.text):
                found, fix = "nothing more", f"{fix}; in JSON Lines each value stands on one line"
            raise self._text.error(f"not valid JSON: expected {shown}, found {found}", at, fix)

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text.text, at)
        return match.end() if match else at


def id_text(text: Text, located: Located, kind: str) -> str:
    """An id as text: a JSON string, or a JSON integer as it is written.

    Raises:
        DataError: it is empty, true, false, null, a fraction, a list or an object.
    """
    value = located.value
    width = located.end - located.at
    if isinstance(value, int) and not isinstance(value, bool):
        return text.text[located.at : located.end]
    if not isinstance(value, str):
        written = text.text[located.at : located.end]
        fix = "write ids as text in quotes"
        raise text.error(f"{kind} {quoted(written)} is not text", located.at, fix, width)
    if not value:
        raise text.error(f"the {kind} is empty", located.at, f"give it a {kind}", width)
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise text.error(f"{kind} {quoted(value)} holds half a character", located.at, "write it whole", width)
    return value


def fields_of(text: Text, located: Located) -> Iterator[tuple[str, Located]]:
    """The members of an object.

    Raises:
        DataError: it is none.
    """
    if not located.is_object or located.items is None:
        raise text.error("expected an object in braces", located.at, "write an object", located.end - located.at)
    for key, value in located.items:
        if key is not None:
            yield str(key.value), value


def taken(text: Text, located: Located, fields: dict[str, Located], wanted: Sequence[str], what: str) -> Located:
    """The member under the first of the wanted names, taken out of `fields`.

    Raises:
        DataError: there is none.
    """
    name = first_named(list(fields), wanted)
    if name is None:
        raise text.error(f"expected a {what}", located.at, f"give the object a {what}", located.end - located.at)
    return fields.pop(list(fields)[name])


def number_of(text: Text, located: Located, kind: str) -> float:
    """A grade or a score: a number, or text that holds one.

    Raises:
        DataError: it is no number, or not finite (an infinite score is fine).
    """
    value = located.value
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
        known = not isinstance(value, str) or (value.isascii() and "_" not in value)
        if math.isnan(number) or (kind != "score" and math.isinf(number)) or not known:
            raise ValueError
    except (ValueError, OverflowError):
        written = text.text[located.at : located.end]
        what = f"{kind} {quoted(written)} is not a number that can be used"
        raise text.error(what, located.at, f"give it a {kind}, or drop it", located.end - located.at) from None
    return number


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of a JSON decoder, whose keys stand once each.

    Raises:
        ValueError: one stands twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"duplicate key {repeated!r}")
    return found
