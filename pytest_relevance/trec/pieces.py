"""A text file of records, cut into them while it is read: the bytes of each, where they begin, and on which line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pytest_relevance.trec.source import Source

_QUOTE = b'"'
_INSIDE = re.compile(rb'[^"]*(?:""[^"]*)*')  # of a quoted field, up to the quote that closes it


class Piece(NamedTuple):
    """One record with its line end."""

    start: int  # bytes of the unpacked file before it, its byte order mark not counted
    line: int  # its first, from 1
    data: bytes

    @property
    def stop(self) -> int:
        """Where the next piece begins."""
        return self.start + len(self.data)


def line_pieces(source: Source) -> Iterator[Piece]:
    """The lines of a file as JSON Lines has them: each ends in a line feed, or with the file.

    They are counted as places are, where a carriage return alone ends a line too.
    """
    start, line = 0, 1
    begun: list[bytes] = []  # of a line that is longer than what is read at a time
    for part in source.parts():
        *ended, last = part.split(b"\n")
        for one in ended:
            data = b"".join((*begun, one, b"\n"))
            yield Piece(start, line, data)
            start, line, begun = start + len(data), line + 1 + _lone_returns(data), []
        if last:
            begun.append(last)
    if begun:
        yield Piece(start, line, b"".join(begun))


def row_pieces(source: Source, delimiter: str) -> Iterator[Piece]:
    """The rows of a table: lines, but that a line break in quotes ends none (in TSV quotes are letters)."""
    begun: list[Piece] = []
    inside = False
    for piece in _lines_of_rows(source):
        if inside or (_QUOTE in piece.data and delimiter != "\t"):
            begun.append(piece)
            inside = _goes_on(piece.data, delimiter.encode(), inside=inside)
            if inside:
                continue
            piece = begun[0]._replace(data=b"".join(one.data for one in begun))
            begun = []
        yield piece
    if begun:  # the quote is never closed: its reader says so
        yield begun[0]._replace(data=b"".join(one.data for one in begun))


def _lines_of_rows(source: Source) -> Iterator[Piece]:
    """The lines of a file, also those that a carriage return alone ends."""
    for piece in line_pieces(source):
        if b"\r" not in piece.data or not _lone_returns(piece.data):
            yield piece
            continue
        start = piece.start
        for number, data in enumerate(piece.data.splitlines(keepends=True), piece.line):
            yield Piece(start, number, data)
            start += len(data)


def _goes_on(line: bytes, delimiter: bytes, *, inside: bool) -> bool:
    """Whether a quoted field that begins in this line, or was begun before it, is still open at its end."""
    at = 0
    while True:
        if not inside and not line.startswith(_QUOTE, at):
            at = line.find(delimiter, at) + 1
            if not at:
                return False
            continue
        within = _INSIDE.match(line, at if inside else at + 1)
        assert within is not None  # the pattern matches nothing at all too
        if within.end() == len(line):
            return True
        inside, at = False, within.end() + 1
        if not line.startswith(delimiter, at):  # the row ends here, or is wrong
            return False
        at += 1


def _lone_returns(data: bytes) -> int:
    return data.count(b"\r") - data.count(b"\r\n")
