"""Blocks of a file cut between two queries, so that each block can be ranked by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from pytest_relevance.records.words import ROOM, Bytes
from pytest_relevance.trec.decimals import FRONT
from pytest_relevance.trec.source import BLOCK, Source

_FILLER = ord("x")  # around the text: neither a blank nor a line's end
_FEED = ord("\n")
_TAIL = 1 << 17  # bytes in which the last query is looked for at first
_STEP = 1 << 12
_LONGEST_ID = 1 << 12  # bytes looked at; longer ids may part a query's rows


@dataclass(frozen=True)
class Lines:
    """Whole lines of a file: `size` bytes of `data` after FRONT, with a line feed at the end and ROOM behind."""

    data: Bytes
    size: int

    @property
    def text(self) -> bytes:
        """The lines as they stand in the file."""
        return self.data[FRONT : FRONT + self.size].tobytes()


def query_blocks(source: Source, size: int = BLOCK) -> Iterator[Lines]:
    """The file in pieces of about `size` bytes of whole lines; neighbouring rows of one query are never parted.

    A comment line inside a query's rows may part them, which costs time and not correctness.
    """
    rest = np.zeros(0, dtype=np.uint8)
    with source.opened() as file:
        while True:
            # Of one long query there is twice as much at the next look, so that time stays linear.
            wanted = max(size, 2 * len(rest))
            data, end = _filled(file, rest, wanted)
            if end < FRONT + wanted:
                break
            cut = FRONT + _whole_queries(data[FRONT:end])
            if cut > FRONT:
                yield Lines(data, cut - FRONT)
            rest = data[cut:end]
    if end > FRONT:
        if data[end - 1] != _FEED:
            data[end] = _FEED
        yield Lines(data, end - FRONT)


def _filled(file: BinaryIO, rest: Bytes, wanted: int) -> tuple[Bytes, int]:
    """A buffer with `rest` and what follows in the file, `wanted` bytes of text if there are so many, and their end."""
    data = np.empty(FRONT + wanted + ROOM, dtype=np.uint8)
    data[:FRONT] = _FILLER
    end, stop = FRONT + len(rest), FRONT + wanted
    data[FRONT:end] = rest
    while end < stop and (more := file.readinto(data[end:stop])):  # type: ignore[attr-defined]  # binary files have it
        end += more
    data[end : end + ROOM] = _FILLER
    return data, end


def _whole_queries(text: Bytes) -> int:
    """How many bytes of a text belong to queries that end in it for sure: all but the last one's; 0 if there is one."""
    size = _TAIL
    while True:
        tail = text[max(0, len(text) - size) :].tobytes()
        begin = 0 if len(tail) == len(text) else tail.find(b"\n") + 1
        cut = last_query(tail[begin:], tail.rfind(b"\n") + 1 - begin)
        if cut:
            return len(text) - len(tail) + begin + cut
        if len(tail) == len(text):
            return 0
        size *= 4


def last_query(block: bytes, end: int) -> int:
    """Where the last query of `block[:end]` begins, `end` being after a line feed; 0 if there is no other."""
    if end <= 0:
        return 0
    high = _line_start(block, end - 1)
    query = _query_at(block, high)
    step, low = _STEP, 0
    while high > step:
        start = _line_start(block, high - step)
        if _query_at(block, start) != query:
            low = start
            break
        high, step = start, 2 * step
    if low == 0 and _query_at(block, 0) == query:
        return 0
    while True:  # the line at `low` is of another query, the line at `high` of this one
        middle = _line_start(block, (low + high) // 2)
        if middle <= low:
            middle = block.find(b"\n", low) + 1
            if middle >= high:
                return high
        if _query_at(block, middle) == query:
            high = middle
        else:
            low = middle


def _line_start(block: bytes, at: int) -> int:
    return block.rfind(b"\n", 0, at) + 1


def _query_at(block: bytes, start: int) -> bytes:
    """The first field of the line at `start`; of a very long line its beginning."""
    stop = block.find(b"\n", start, start + _LONGEST_ID)
    fields = block[start : stop if stop >= 0 else start + _LONGEST_ID].split(None, 1)
    return fields[0] if fields else b""
