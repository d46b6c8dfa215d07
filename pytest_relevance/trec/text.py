"""A whole text file in memory, with the line and column of every character."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from pytest_relevance.errors import DataError, Place
from pytest_relevance.trec.lines import encoding_problem
from pytest_relevance.trec.source import Source

_LINE_END = re.compile(r"\r\n|\n|\r")


class Text:
    """Decoded text of a source; every position in it has a place."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.source = source
        self.text = _decoded(data, source)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `at`."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def place(self, at: int, width: int = 1) -> Place:
        """The place of the character at `at`, with its source line."""
        line, column = self.position(at)
        start = self._starts[line - 1]
        stop = self._starts[line] if line < len(self._starts) else len(self.text)
        return self.source.place(line, column, self.text[start:stop].rstrip("\r\n"), width)

    def error(self, problem: str, at: int, fix: str, width: int = 1) -> DataError:
        """An error at a position."""
        return DataError(problem, place=self.place(at, width), fix=fix)


def _decoded(data: bytes, source: Source) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        lines = data.splitlines(keepends=True)
        before = 0
        for number, line in enumerate(lines, 1):
            if problem.start < before + len(line):
                raise _in_line(line, source, number) from None
            before += len(line)
        raise  # cannot be: the position lies in a line


def _in_line(line: bytes, source: Source, number: int) -> DataError:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as problem:
        return encoding_problem(line.rstrip(b"\r\n"), problem, source, number)
    return DataError("not valid UTF-8", place=source.place(number))
