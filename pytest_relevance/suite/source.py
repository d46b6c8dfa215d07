"""The text of one suite file: read as UTF-8 or refused, and places in it computed when somebody asks."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pytest_relevance.errors import Place, SuiteError

_LINE_END = re.compile("\r\n|\n|\r")
# What YAML refuses or silently takes for a line break; a tab, a line feed and a carriage return are welcome.
_UNWELCOME = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]|(?<=[\r\n])\ufeff")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNWRITTEN = b"\0" * 8  # how a file begins whose room was made and never filled; it may be of any size
_SHOWN = 60  # characters of a written value that a message repeats


class Source:
    """A file's name and text; offsets in it are characters from 0."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line(self, start: int) -> int:
        """The line of a character, from 1."""
        return bisect_right(self._starts, start)

    def place(self, start: int, end: int) -> Place:
        """Where the characters from `start` to `end` are, cut to their first line."""
        line = self.line(start)
        first = self._starts[line - 1]
        last = self._starts[line] if line < len(self._starts) else len(self.text)
        source = self.text[first:last].rstrip("\r\n")
        width = len(self.text[start : min(end, first + len(source))].rstrip())
        return Place(self.file, line, start - first + 1, source, max(width, 1))

    def written(self, start: int, end: int) -> str:
        """The characters as the user wrote them, without quotes: what a message may repeat, for it holds no secrets."""
        text = self.text[start:end].strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]
        first = text.splitlines()[0] if text else ""
        return first if first == text and len(first) <= _SHOWN else f"{first[:_SHOWN]}…"


class Spot(NamedTuple):
    """A stretch of a source; its `Place` is computed when asked for."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.line(self.start)

    @property
    def place(self) -> Place:
        return self.source.place(self.start, self.end)

    @property
    def written(self) -> str:
        return self.source.written(self.start, self.end)


def is_there(path: Path, *, folder: bool = False) -> bool:
    """Whether there is such a file or folder; a name that no system takes is not there."""
    try:
        return path.is_dir() if folder else path.is_file()
    except OSError:
        return False


def read_source(path: Path) -> Source:
    """Read a suite file.

    Raises:
        SuiteError: it cannot be opened, is not UTF-8, or holds characters that YAML does not allow.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise SuiteError(f"cannot read {path}: {reason}", fix="check the path and its permissions") from None
    return source_of(str(path), data)


def source_of(file: str, data: bytes) -> Source:
    """The source in these bytes; raises as `read_source` does."""
    if data.startswith(_WIDE_MARKS):
        raise SuiteError("this file is UTF-16, not UTF-8", place=Place(file, 1), fix="save it again as UTF-8")
    if data.startswith(_UNWRITTEN):
        problem = "this file begins with zero bytes, as one does that was never written"
        raise SuiteError(problem, place=Place(file, 1), fix="write it again, as UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(file, data, error.start) from None
    source = Source(file, text.removeprefix("\ufeff"))
    unwelcome = _UNWELCOME.search(source.text)
    if unwelcome:
        raise _unwelcome(source, unwelcome.start())
    return source


def _not_utf8(file: str, data: bytes, at: int) -> SuiteError:
    before = data[:at].decode("utf-8")
    line = len(_LINE_END.split(before))
    column = len(_LINE_END.split(before)[-1].removeprefix("\ufeff" if line == 1 else "")) + 1
    guess = bytes([data[at]]).decode("cp1252", "replace")
    hint = f" (it would be {guess!r} in Windows-1252)" if guess.isprintable() and guess != "\ufffd" else ""
    return SuiteError(
        f"byte 0x{data[at]:02X} is not UTF-8{hint}",
        place=Place(file, line, column),
        fix="save the file again as UTF-8",
    )


def _unwelcome(source: Source, at: int) -> SuiteError:
    code = ord(source.text[at])
    place = source.place(at, at + 1)
    shown = Place(place.file, place.line, place.column, "".join(c if c.isprintable() else "?" for c in place.source))
    escape = {0x85: r"\N", 0x2028: r"\L", 0x2029: r"\P"}.get(code, f"\\x{code:02x}" if code < 0x100 else None)
    advice = f"remove it, or write {escape} inside double quotes" if escape and code else "remove it"
    return SuiteError(f"control character U+{code:04X} in the text", place=shown, fix=advice)
