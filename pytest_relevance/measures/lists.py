"""Columns that measures share: the part of each ranking that counts, and sums over each query's rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_relevance.measures.measure import Settings
from pytest_relevance.records.columns import Floats, Truths, rows_kept
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.ranked import RankedGrades


@dataclass(frozen=True, eq=False)
class Lists:
    """The judged documents of each ranking, best first; shapes offsets (q + 1,), retrieved (q,), others (rows,)."""

    offsets: Integers
    ranks: Integers  # from 1
    grades: Floats
    retrieved: Integers  # documents of the list, judged or not

    def where(self, keep: Truths) -> Lists:
        """Only these rows, at the ranks they have."""
        return Lists(rows_kept(self.offsets, keep), self.ranks[keep], self.grades[keep], self.retrieved)

    @property
    def counts(self) -> Integers:
        """Rows of each query; shape (q,)."""
        return np.diff(self.offsets)

    @property
    def places(self) -> Integers:
        """1 for a query's first row, 2 for its second, and so on; shape (rows,)."""
        return np.arange(1, len(self.ranks) + 1) - np.repeat(self.offsets[:-1], self.counts)


def lists(ranked: RankedGrades, settings: Settings) -> Lists:
    """The lists as the settings see them: unjudged squeezed out where `judged_only`, then cut at `cutoff`."""
    whole = Lists(ranked.offsets, ranked.ranks, ranked.grades, ranked.retrieved)
    if settings.judged_only:
        whole = Lists(whole.offsets, whole.places, whole.grades, whole.counts)
    if settings.cutoff is None:
        return whole
    top = whole.where(whole.ranks <= settings.cutoff)
    return Lists(top.offsets, top.ranks, top.grades, np.minimum(whole.retrieved, settings.cutoff))


def relevant(ranked: RankedGrades, settings: Settings) -> Lists:
    """Only the relevant documents of `lists`, at the ranks they have there."""
    seen = lists(ranked, settings)
    return seen.where(seen.grades >= settings.rel)


def relevant_counts(ranked: RankedGrades, settings: Settings) -> Integers:
    """Relevant documents of each query in the qrels, retrieved or not; shape (q,)."""
    return group_counts(ranked.judged_grades >= settings.rel, ranked.judged_offsets)


def group_counts(flags: Truths, offsets: Integers) -> Integers:
    """How many flags are set in each group; shape (groups,)."""
    return np.diff(rows_kept(offsets, flags))


def group_sums(values: Floats, offsets: Integers) -> Floats:
    """The sum of each group's values, 0.0 for an empty group; the groups hold all values, in order."""
    sums = np.zeros(len(offsets) - 1)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[filled])
    return sums


def top_rows(offsets: Integers, most: int | None) -> tuple[Integers, Integers, Integers]:
    """The first `most` rows of each group: new offsets, row numbers, and their ranks from 1."""
    counts = np.diff(offsets) if most is None else np.minimum(np.diff(offsets), most)
    bounds = np.concatenate(([0], np.cumsum(counts)))
    within = np.arange(bounds[-1]) - np.repeat(bounds[:-1], counts)
    return bounds, within + np.repeat(offsets[:-1], counts), within + 1


def shares(parts: Floats | Integers, wholes: Floats | Integers) -> Floats:
    """parts / wholes, 0.0 where the whole is 0; shape (q,)."""
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes > 0)
