"""Columns that measures share: the part of each ranking that counts, and sums over each query's rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pytest_relevance.records.columns import Floats, Truths
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.ranked import RankedGrades


@dataclass(frozen=True, eq=False)
class Lists:
    """Documents of each ranking, best first; shapes offsets (q + 1,), ranks and grades (rows,), retrieved (q,)."""

    offsets: Integers
    ranks: Integers  # from 1, ascending within a query
    grades: Floats
    retrieved: Integers  # documents of the list, with a row here or not

    @property
    def counts(self) -> Integers:
        """Rows of each query; shape (q,)."""
        return np.diff(self.offsets)

    @property
    def places(self) -> Integers:
        """1 for a query's first row, 2 for its second, and so on; shape (rows,)."""
        return np.arange(1, len(self.ranks) + 1) - np.repeat(self.offsets[:-1], self.counts)

    def where(self, keep: Truths) -> Lists:
        """Only these rows, at the ranks they have."""
        return self.at(np.flatnonzero(keep))

    def at(self, rows: Integers) -> Lists:
        """Only the rows with these numbers, ascending."""
        return replace(
            self, offsets=np.searchsorted(rows, self.offsets), ranks=self.ranks[rows], grades=self.grades[rows]
        )

    def cut(self, depth: int | None) -> Lists:
        """The first `depth` documents; all for None."""
        if depth is None:
            return self
        counts = counts_up_to(self.ranks, self.offsets, np.full(len(self.retrieved), depth))
        retrieved = np.minimum(self.retrieved, depth)
        if np.array_equal(counts, self.counts):
            return replace(self, retrieved=retrieved)
        bounds, rows, _ = top_rows(self.offsets, counts)
        return Lists(bounds, self.ranks[rows], self.grades[rows], retrieved)


class View:
    """A run's judged rows as measures look at them. What one measure works out, the next finds here."""

    def __init__(self, ranked: RankedGrades) -> None:
        self.ranked = ranked
        self._rows: dict[float, Integers] = {}
        self._relevant: dict[tuple[float, bool], Lists] = {}
        self._counts: dict[float, Integers] = {}

    def __len__(self) -> int:
        return len(self.ranked.query_ids)

    def judged(self, *, judged_only: bool = False) -> Lists:
        """The judged documents, at their ranks or, `judged_only`, at those left when unjudged ones are squeezed out."""
        whole = Lists(self.ranked.offsets, self.ranked.ranks, self.ranked.grades, self.ranked.retrieved)
        return replace(whole, ranks=whole.places, retrieved=whole.counts) if judged_only else whole

    def relevant(self, rel: float, *, judged_only: bool = False) -> Lists:
        """Those of `judged` with grade >= rel."""
        key = (rel, judged_only)
        if key not in self._relevant:
            self._relevant[key] = self.judged(judged_only=judged_only).at(self.relevant_rows(rel))
        return self._relevant[key]

    def relevant_rows(self, rel: float) -> Integers:
        """The numbers of the rows of `judged` with grade >= rel, ascending."""
        if rel not in self._rows:
            self._rows[rel] = np.flatnonzero(self.ranked.grades >= rel)
        return self._rows[rel]

    def relevant_counts(self, rel: float) -> Integers:
        """Judgments of each query with grade >= rel, retrieved or not; shape (q,)."""
        if rel not in self._counts:
            grades, offsets = self.ranked.judged_grades, self.ranked.judged_offsets
            self._counts[rel] = _bisected(grades, offsets, np.full(len(self), rel), np.greater_equal)
        return self._counts[rel]


def counts_up_to(values: Integers, offsets: Integers, limits: Integers) -> Integers:
    """How many of each group's values, ascending, are <= its limit; shape (groups,)."""
    return _bisected(values, offsets, limits, np.less_equal)


def group_counts(flags: Truths, offsets: Integers) -> Integers:
    """How many flags are set in each group; shape (groups,)."""
    return np.diff(np.searchsorted(np.flatnonzero(flags), offsets))


def group_sums(values: Floats, offsets: Integers) -> Floats:
    """The sum of each group's values, 0.0 for an empty group; the groups hold all values, in order."""
    sums = np.zeros(len(offsets) - 1)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[filled])
    return sums


def top_rows(offsets: Integers, counts: Integers) -> tuple[Integers, Integers, Integers]:
    """The first counts[i] rows of each group: new offsets, row numbers, and their places from 1."""
    bounds = np.concatenate(([0], np.cumsum(counts)))
    rows = np.arange(bounds[-1])
    return bounds, rows + np.repeat(offsets[:-1] - bounds[:-1], counts), rows + 1 - np.repeat(bounds[:-1], counts)


def shares(parts: Floats | Integers, wholes: Floats | Integers) -> Floats:
    """parts / wholes, 0.0 where the whole is 0; shape (q,)."""
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes > 0)


def _bisected(values: Floats | Integers, offsets: Integers, limits: Floats | Integers, holds: np.ufunc) -> Integers:
    """How many of each group's first values hold against its limit, all groups halved at once; shape (groups,)."""
    low, high = offsets[:-1].copy(), offsets[1:].copy()
    unsure = np.flatnonzero(low < high)
    while len(unsure):
        middle = (low[unsure] + high[unsure]) // 2
        held = holds(values[middle], limits[unsure])
        low[unsure] = np.where(held, middle + 1, low[unsure])
        high[unsure] = np.where(held, high[unsure], middle)
        unsure = unsure[low[unsure] < high[unsure]]
    return low - offsets[:-1]
