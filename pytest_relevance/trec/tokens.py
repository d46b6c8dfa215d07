"""A block of TREC text cut into columns at once, or line by line where something in it is odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_relevance.errors import ProblemList
from pytest_relevance.records.words import WORD, Bytes, Integers, Truths, same_slices, word_at, words_in
from pytest_relevance.trec.decimals import FRONT
from pytest_relevance.trec.lines import DOCUMENT, Layout, careful_lines
from pytest_relevance.trec.source import Source

_TAB, _FEED, _RETURN, _BLANK = 9, 10, 13, 32
_FILLER = ord("x")  # before the first row: no separator
_BACK = 2 * WORD
_SEPARATORS = np.zeros(_BLANK + 1, dtype=np.bool_)
_SEPARATORS[[9, 10, 11, 12, 13, 32]] = True


@dataclass(frozen=True)
class Slices:
    """Parts of a buffer; shapes (rows,), (rows,)."""

    starts: Integers
    lengths: Integers

    def at(self, rows: Integers | Truths) -> Slices:
        return Slices(self.starts[rows], self.lengths[rows])


@dataclass(frozen=True)
class Block:
    """The rows of one block of a file, by column: slices of `data`, which has room before and after them."""

    data: Bytes
    queries: Slices
    documents: Slices
    numbers: Slices
    ranks: Slices | None
    lines: Integers | None  # line of each row, from 0; None: one row a line
    line_count: int

    def __len__(self) -> int:
        return len(self.documents.starts)

    def stretches(self) -> Integers:
        """Offsets of the stretches of neighbouring rows of one query; shape (stretches + 1,)."""
        if not len(self):
            return np.zeros(1, dtype=np.int64)
        words, slices = words_in(self.data), self.queries
        if int(slices.lengths.max()) <= WORD:
            word = word_at(words, slices.starts, slices.lengths, 0, WORD, int(slices.lengths.min()))
            changes = (word[1:] != word[:-1]) | (slices.lengths[1:] != slices.lengths[:-1])
        else:
            above, below = slices.at(np.arange(len(self) - 1)), slices.at(np.arange(1, len(self)))
            changes = ~same_slices(words, above.starts, above.lengths, words, below.starts, below.lengths)
        return np.concatenate(([0], np.flatnonzero(changes) + 1, [len(self)]))

    def texts(self, slices: Slices) -> list[str]:
        """Slices as text."""
        return [one.decode() for one in self.tokens(slices)]

    def tokens(self, slices: Slices) -> list[bytes]:
        """Slices as bytes."""
        ends = slices.starts + slices.lengths
        return [
            self.data[start:end].tobytes() for start, end in zip(slices.starts.tolist(), ends.tolist(), strict=True)
        ]


def keep_freed_memory() -> None:
    """Let the allocator keep what blocks free instead of giving it back and fetching it anew for every block.

    glibc raises its thresholds to the largest piece freed so far; without this, half the time goes into page faults.
    """
    np.empty(24 << 20, dtype=np.uint8)


def columns_of(block: memoryview, layout: Layout) -> Block | None:
    """The rows of a block, or None where a line has to be looked at by itself.

    That is: too few columns, bytes that are not UTF-8, a carriage return inside a line, other control characters.
    Tabs or runs of blanks, CRLF, comments, blank lines and further columns are handled here.
    """
    data = np.empty(FRONT + len(block) + 1 + _BACK, dtype=np.uint8)
    data[:FRONT] = _FILLER
    data[FRONT : FRONT + len(block)] = block
    data[FRONT + len(block) :] = _FEED
    size = len(block) + (block[-1] != _FEED)
    whole = data[: FRONT + size]
    if not _is_utf8(whole):
        return None
    stops = np.flatnonzero(whole <= _BLANK)
    return _regular(data, whole, stops, layout) or _irregular(data, stops, layout)


def _is_utf8(body: Bytes) -> bool:
    if int(body.max(initial=0)) < 128:
        return True
    try:
        body.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def careful_block(block: memoryview, layout: Layout, source: Source, before: int, problems: ProblemList) -> Block:
    """The good rows of a block read line by line; the bad ones go to `problems`."""
    lines, count = careful_lines(bytes(block), layout, source, before, problems)
    columns = [0, DOCUMENT, layout.number, *([] if layout.rank is None else [layout.rank])]
    tokens = [line.fields[column] for line in lines for column in columns]
    lengths = np.array([len(token) for token in tokens], dtype=np.int64)
    starts = FRONT + np.concatenate(([0], np.cumsum(lengths[:-1]))).astype(np.int64) if tokens else lengths
    data = np.frombuffer(b" " * FRONT + b"".join(tokens) + b" " * _BACK, dtype=np.uint8)
    slices = [Slices(starts[place :: len(columns)], lengths[place :: len(columns)]) for place in range(len(columns))]
    rows = np.array([line.number - before - 1 for line in lines], dtype=np.int64)
    return Block(data, slices[0], slices[1], slices[2], slices[3] if len(slices) > 3 else None, rows, count)


def _regular(data: Bytes, whole: Bytes, stops: Integers, layout: Layout) -> Block | None:
    """Every line has exactly its columns, one blank or tab between them, and none is a comment."""
    width = len(layout.names)
    rows, rest = divmod(len(stops), width)
    if rest or not rows or (data[stops[width - 1 :: width]] != _FEED).any():
        return None
    # Counting is cheaper than looking at every separator: a line feed at every line's end, blanks or tabs elsewhere.
    others = int(np.count_nonzero(whole < _BLANK)) - rows
    if others and others != int(np.count_nonzero(whole == _TAB)):
        return None
    # One column after the other in memory: each is gone through many times.
    ends = np.ascontiguousarray(stops.reshape(rows, width).T)
    starts = np.empty_like(ends)
    starts[0, 0], starts[0, 1:] = FRONT, ends[-1, :-1] + 1
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    if not int(lengths.min()) or (data[starts[0]] == ord("#")).any():
        return None
    columns = [Slices(starts[place], lengths[place]) for place in range(width)]
    return _block(data, columns, layout, None, rows)


def _irregular(data: Bytes, stops: Integers, layout: Layout) -> Block | None:
    """Lines of any shape that still have their columns."""
    kinds = data[stops]
    if not _SEPARATORS[kinds].all():
        return None
    feeds = kinds == _FEED
    returns = stops[kinds == _RETURN]
    if (data[returns + 1] != _FEED).any():
        return None
    line_of_stop = np.cumsum(feeds) - feeds
    before = np.concatenate(([FRONT - 1], stops[:-1]))
    filled = stops - before > 1
    starts, ends, line = before[filled] + 1, stops[filled], line_of_stop[filled]
    count = int(feeds.sum())
    tokens = np.bincount(line, minlength=count)
    first = np.cumsum(tokens) - tokens
    lines = np.flatnonzero(tokens)
    lines = lines[data[starts[first[lines]]] != ord("#")]
    if (tokens[lines] < len(layout.names)).any():
        return None
    first = first[lines]
    columns = [
        Slices(starts[first + place], ends[first + place] - starts[first + place]) for place in range(len(layout.names))
    ]
    return _block(data, columns, layout, lines, count)


def _block(data: Bytes, columns: Sequence[Slices], layout: Layout, lines: Integers | None, count: int) -> Block:
    ranks = None if layout.rank is None else columns[layout.rank]
    return Block(data, columns[0], columns[DOCUMENT], columns[layout.number], ranks, lines, count)
