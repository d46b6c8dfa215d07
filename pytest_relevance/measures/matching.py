"""Where the documents that two rankings share stand in each: for all queries, a block of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pytest_relevance.records.columns import gathered
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.run import Run

_CELLS = 1 << 18  # documents matched at a time: two megabytes, so that sorting stays in the cache


@dataclass(frozen=True, eq=False)
class Shared:
    """The shared documents of some pairs of rankings.

    Shapes: queries, lengths, other_lengths (q,); offsets (q + 1,); ranks, other_ranks (shared documents,): those of
    pair i are offsets[i] to offsets[i + 1].
    """

    queries: Integers  # which of the queries asked for each pair is
    lengths: Integers
    other_lengths: Integers
    offsets: Integers
    ranks: Integers  # from 1
    other_ranks: Integers

    @property
    def counts(self) -> Integers:
        """Shared documents of each pair; shape (q,)."""
        return np.diff(self.offsets)

    @property
    def pair(self) -> Integers:
        """The place in `queries` of each shared document's pair; shape (shared documents,)."""
        return np.repeat(np.arange(len(self.queries)), self.counts)


def shared_documents(run: Run, other: Run, rows: Integers, other_rows: Integers) -> Iterator[Shared]:
    """The shared documents of query rows[i] of `run` and query other_rows[i] of `other`; -1 is an empty ranking.

    Pairs of like length come together, so that padding to the longest of a block costs little.
    """
    code_here = _common_codes(run, other)
    lengths, other_lengths = _lengths(run, rows), _lengths(other, other_rows)
    by_length = np.argsort(lengths + other_lengths, kind="stable")
    cells = (lengths + other_lengths)[by_length]
    start = 0
    while start < len(rows):
        window = cells[start : start + _CELLS // max(1, int(cells[start]))]
        # The last pair of a block is its longest: as many as fit when padded to it.
        size = max(1, int(np.count_nonzero(np.arange(1, len(window) + 1) * window <= _CELLS)))
        chosen = by_length[start : start + size]
        ours, theirs = _padded(run, rows[chosen]), _padded(other, other_rows[chosen])
        found = _matched(ours, theirs if code_here is None else code_here[theirs])
        yield Shared(chosen, lengths[chosen], other_lengths[chosen], *found)
        start += size


def _common_codes(run: Run, other: Run) -> Integers | None:
    """What each code of `other` is in `run`; shape (documents + 1,), the last for cells without one. None: the same."""
    if run.doc_ids is other.doc_ids:
        return None
    found = np.append(run.doc_ids.find(other.doc_ids), -1)
    strange = np.flatnonzero(found[:-1] < 0)  # not in the first run: codes beyond all of its own
    found[strange] = len(run.doc_ids) + np.arange(len(strange))
    return found


def _lengths(run: Run, rows: Integers) -> Integers:
    counts = np.append(run.counts, 0)
    return counts[rows]  # row -1 is the 0 at the end


def _padded(run: Run, rows: Integers) -> Integers:
    """A matrix of codes, a ranking a line, best first; unused cells are -1."""
    first, last = int(rows[0]), int(rows[-1])
    counts = _lengths(run, rows)
    width = int(counts.max())
    if first >= 0 and (counts == width).all() and np.array_equal(rows, np.arange(first, last + 1)):
        return run.codes[run.offsets[first] : run.offsets[last + 1]].reshape(len(rows), width)  # as it stands
    there = np.flatnonzero(rows >= 0)
    bounds, picked = gathered(run.offsets, rows[there])
    matrix = np.full((len(rows), width), -1, dtype=np.int64)
    within = np.arange(len(picked)) - np.repeat(bounds[:-1], np.diff(bounds))
    matrix[np.repeat(there, np.diff(bounds)), within] = run.codes[picked]
    return matrix


def _matched(ours: Integers, theirs: Integers) -> tuple[Integers, Integers, Integers]:
    """The codes that stand in the same line of both: offsets by line, rank in `ours`, rank in `theirs`."""
    lines, widths = len(ours), (ours.shape[1], theirs.shape[1])
    bits = max(widths).bit_length()  # of a rank
    cells = np.concatenate((ours, theirs), axis=1)
    empty = cells < 0
    if empty.any():  # empty cells get codes of their own, so that no two are equal
        cells[empty] = int(cells.max()) + 1 + np.broadcast_to(np.arange(sum(widths)), cells.shape)[empty]
    # Code, list and rank in one number: after sorting a line, the two places of a shared document are neighbours.
    cells <<= bits + 1
    cells |= np.concatenate((np.arange(1, widths[0] + 1), np.arange(1, widths[1] + 1) | (1 << bits)))
    cells.sort(axis=1)
    flat = cells.reshape(-1)
    equal = np.zeros(len(flat) + 1, dtype=np.bool_)
    np.less(flat[1:] ^ flat[:-1], 2 << bits, out=equal[1 : len(flat)])
    ends = np.arange(1, lines + 1) * sum(widths)
    equal[ends] = False  # the first of the next line is no neighbour
    spots = np.flatnonzero(equal)
    offsets = np.concatenate(([0], np.searchsorted(spots, ends)))
    mask = (1 << bits) - 1
    return offsets, flat[spots - 1] & mask, flat[spots] & mask
