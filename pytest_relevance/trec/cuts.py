"""Blocks of a file cut between two queries, so that each block can be ranked by itself."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_relevance.trec.source import BLOCK, Source

_STEP = 1 << 12
_LONGEST_ID = 1 << 12  # bytes looked at; longer ids may part a query's rows


def query_blocks(source: Source, size: int = BLOCK) -> Iterator[memoryview]:
    """The file in pieces of about `size` bytes of whole lines; neighbouring rows of one query are never parted.

    A comment line inside a query's rows may part them, which costs time and not correctness.
    """
    rest, more = b"", list[bytes]()
    wanted = size
    for part in source.parts(size):
        more.append(part)
        if len(rest) + sum(map(len, more)) < wanted:
            continue
        rest, more = b"".join((rest, *more)), []
        cut = last_query(rest, rest.rfind(b"\n") + 1)
        if cut:
            yield memoryview(rest)[:cut]
            rest = rest[cut:]
            wanted = size
        else:
            wanted = 2 * len(rest)  # one long query: look again when there is much more, so that time stays linear
    last = b"".join((rest, *more))
    if last:
        yield memoryview(last)


def last_query(block: bytes, end: int) -> int:
    """Where the last query of `block[:end]` begins, `end` being after a line feed; 0 if there is no other."""
    if not end:
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
