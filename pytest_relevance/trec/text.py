"""Text in memory, a whole file or some lines of it, with the line and column of every character."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from pytest_relevance.errors import DataError, Place
from pytest_relevance.trec.lines import encoding_problem
from pytest_relevance.trec.source import Source

_LINE_END = re.compile(r"\r\n|\n|\r")


class Text:
    """Decoded text of a source, which begins at a line of it; every position in the text has a place."""

    def __init__(self, source: Source, data: bytes, first_line: int = 1) -> None:
        self.source = source
        self.first_line = first_line
        self.text = _decoded(data, source, first_line)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `at`."""
        before = bisect_right(self._starts, at) - 1
        return self.first_line + before, at - self._starts[before] + 1

    def place(self, at: int, width: int = 1) -> Place:
        """The place of the character at `at`, with its source line."""
        line, column = self.position(at)
        start, *after = self._starts[line - self.first_line : line - self.first_line + 2]
        return self.source.place(line, column, self.text[start : after[0] if after else None].rstrip("\r\n"), width)

    def error(self, problem: str, at: int, fix: str, width: int = 1) -> DataError:
        """An error at a position."""
        return DataError(problem, place=self.place(at, width), fix=fix)


def _decoded(data: bytes, source: Source, first_line: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        lines = data.splitlines(keepends=True)
        before = 0
        for number, line in enumerate(lines, first_line):
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
