"""A block of TREC text cut into columns at once, or line by line where something in it is odd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pytest_relevance.errors import ProblemList
from pytest_relevance.records.words import ROOM, WORD, Bytes, Integers, Truths, first_words, same_slices
from pytest_relevance.trec.cuts import Lines
from pytest_relevance.trec.decimals import FRONT
from pytest_relevance.trec.lines import DOCUMENT, Layout, careful_lines
from pytest_relevance.trec.short_lines import Ends, cut_short_lines
from pytest_relevance.trec.source import Source

_TAB, _FEED, _RETURN, _BLANK = 9, 10, 13, 32
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
        starts, lengths = self.queries.starts, self.queries.lengths
        if int(lengths.max()) <= WORD:
            word = first_words(self.data, starts, lengths)
            changes = (word[1:] != word[:-1]) | (lengths[1:] != lengths[:-1])
        else:
            changes = ~same_slices(self.data, starts[:-1], lengths[:-1], self.data, starts[1:], lengths[1:])
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


def columns_of(lines: Lines, layout: Layout) -> Block | None:
    """The rows of a block, or None where a line has to be looked at by itself.

    That is: too few columns, bytes that are not UTF-8, a carriage return inside a line, other control characters.
    Tabs or runs of blanks, CRLF, comments, blank lines and further columns are handled here.
    """
    data = lines.data
    size = lines.size + (data[FRONT + lines.size - 1] != _FEED)
    whole = data[: FRONT + size]
    if not _is_utf8(whole):
        return None
    return _regular(data, whole, layout) or _irregular(data, np.flatnonzero(whole <= _BLANK), layout)


def _is_utf8(body: Bytes) -> bool:
    if int(body.max(initial=0)) < 128:
        return True
    try:
        body.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def careful_block(block: Lines, layout: Layout, source: Source, before: int, problems: ProblemList) -> Block:
    """The good rows of a block read line by line; the bad ones go to `problems`."""
    lines, count = careful_lines(block.text, layout, source, before, problems)
    columns = [0, DOCUMENT, layout.number, *([] if layout.rank is None else [layout.rank])]
    tokens = [line.fields[column] for line in lines for column in columns]
    lengths = np.array([len(token) for token in tokens], dtype=np.int64)
    starts = FRONT + np.concatenate(([0], np.cumsum(lengths[:-1]))).astype(np.int64) if tokens else lengths
    data = np.frombuffer(b" " * FRONT + b"".join(tokens) + b" " * ROOM, dtype=np.uint8)
    slices = [Slices(starts[place :: len(columns)], lengths[place :: len(columns)]) for place in range(len(columns))]
    rows = np.array([line.number - before - 1 for line in lines], dtype=np.int64)
    return Block(data, slices[0], slices[1], slices[2], slices[3] if len(slices) > 3 else None, rows, count)


def _regular(data: Bytes, whole: Bytes, layout: Layout) -> Block | None:
    """Every line has exactly its columns, one blank or tab between them, and none is a comment."""
    feeds = _line_feeds(whole)
    if feeds is None or not len(feeds):
        return None
    cut = cut_short_lines(data, FRONT, feeds, len(layout.names)) or _cut_lines(whole, feeds, len(layout.names))
    if cut is None or (data[cut.begins] == ord("#")).any():
        return None
    begins, ends = cut

    def column(place: int) -> Slices:
        starts = ends[place - 1] + 1 if place else begins
        return Slices(starts, ends[place] - starts)

    return _block(data, column, layout, None, len(feeds))


def _line_feeds(whole: Bytes) -> Integers | None:
    """The line feeds; None if there are other control characters than these and tabs."""
    controls = np.flatnonzero(whole < _BLANK)
    kinds = whole[controls]
    feeds = kinds == _FEED
    if feeds.all():
        return controls
    return controls[feeds] if (feeds | (kinds == _TAB)).all() else None


def _cut_lines(whole: Bytes, feeds: Integers, columns: int) -> Ends | None:
    """What `cut_short_lines` gives, for lines of any length."""
    stops = np.flatnonzero(whole <= _BLANK)
    if len(stops) != columns * len(feeds) or (stops[columns - 1 :: columns] != feeds).any():
        return None
    if stops[0] == FRONT or (stops[1:] - stops[:-1] == 1).any():
        return None
    begins = np.concatenate(([FRONT], feeds[:-1] + 1))
    # One column after the other in memory: each is gone through many times.
    return Ends(begins, np.ascontiguousarray(stops.reshape(-1, columns).T))


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

    def column(place: int) -> Slices:
        return Slices(starts[first + place], ends[first + place] - starts[first + place])

    return _block(data, column, layout, lines, count)


def _block(
    data: Bytes, column: Callable[[int], Slices], layout: Layout, lines: Integers | None, line_count: int
) -> Block:
    ranks = None if layout.rank is None else column(layout.rank)
    return Block(data, column(0), column(DOCUMENT), column(layout.number), ranks, lines, line_count)
