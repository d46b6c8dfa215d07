"""RankedGrades: where the judged documents stand in a run. All that a measure of one run needs, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytest_relevance.records.columns import Floats, Truths, gathered, spans
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.qrels import Qrels
from pytest_relevance.records.run import Run

_MOST_GRADES = 1 << 16  # whole grades from lowest to highest


@dataclass(frozen=True, eq=False)
class RankedGrades:
    """A run joined with its judgments, for every judged query, in the order of the qrels.

    Shapes: query_ids, retrieved, in_run (q,); offsets, judged_offsets (q + 1,); ranks, grades (rows that are judged and
    retrieved,), ranks ascending within a query; judged_grades (judged rows,), descending within a query.
    Unjudged documents are not listed: they are the ranks that are missing.
    """

    query_ids: tuple[str, ...]
    retrieved: Integers  # documents in the ranking, 0 where it is empty or absent
    in_run: Truths  # the run has the query (with or without documents)
    offsets: Integers
    ranks: Integers  # from 1
    grades: Floats
    judged_offsets: Integers
    judged_grades: Floats

    @classmethod
    def join(cls, run: Run, qrels: Qrels) -> RankedGrades:
        """Look up every retrieved document of every judged query in the qrels."""
        places = np.array([run.positions.get(query_id, -1) for query_id in qrels.query_ids], dtype=np.int64)
        in_run = places >= 0
        bounds, rows = gathered(run.offsets, places[in_run])
        retrieved = np.zeros(len(places), dtype=np.int64)
        retrieved[in_run] = np.diff(bounds)
        query_of_row = np.repeat(np.arange(len(places)), retrieved)
        ranks = np.arange(len(rows)) - np.repeat(bounds[:-1], np.diff(bounds)) + 1
        row_of_pair = _pairs(run, qrels, rows, query_of_row)
        judged = row_of_pair >= 0
        kept = np.concatenate(([0], np.cumsum(judged)))
        ends = np.concatenate(([0], np.cumsum(retrieved)))
        judged_offsets, judged_grades = sorted_grades(qrels.offsets, qrels.grades)
        return cls(
            qrels.query_ids,
            retrieved,
            in_run,
            kept[ends],
            ranks[judged],
            qrels.grades[row_of_pair[judged]],
            judged_offsets,
            judged_grades,
        )

    @cached_property
    def query_of_row(self) -> Integers:
        """The place in `query_ids` of each judged and retrieved row; shape (rows,)."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))

    @cached_property
    def query_of_judgment(self) -> Integers:
        """The place in `query_ids` of each judgment; shape (judged rows,)."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.judged_offsets))

    def restricted_to(self, query_ids: Iterable[str]) -> RankedGrades:
        """Only these queries, in the order of this record; unknown ids are ignored."""
        wanted = set(query_ids)
        places = [place for place, query_id in enumerate(self.query_ids) if query_id in wanted]
        offsets, rows = gathered(self.offsets, places)
        judged_offsets, judged_rows = gathered(self.judged_offsets, places)
        return RankedGrades(
            tuple(self.query_ids[place] for place in places),
            self.retrieved[places],
            self.in_run[places],
            offsets,
            self.ranks[rows],
            self.grades[rows],
            judged_offsets,
            self.judged_grades[judged_rows],
        )


def sorted_grades(offsets: Integers, grades: Floats) -> tuple[Integers, Floats]:
    """The grades of each query, highest first, with their offsets; shapes (q + 1,), (rows,)."""
    highest, lowest = float(grades.max(initial=0.0)), float(grades.min(initial=0.0))
    span = int(highest - lowest) + 1
    if span > _MOST_GRADES or (grades != np.trunc(grades)).any():
        order = np.lexsort((-grades, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
        return offsets, grades[order]
    descending = np.empty_like(grades)
    for rows, bounds in spans(offsets):
        # Query and grade in one whole number: sorting these is many times faster than sorting by two columns.
        keys = np.repeat(np.arange(len(bounds) - 1) * span, np.diff(bounds))
        keys += (highest - grades[rows]).astype(np.int64)
        keys.sort()
        descending[rows] = highest - keys % span
    return offsets, descending


def _pairs(run: Run, qrels: Qrels, rows: Integers, query_of_row: Integers) -> Integers:
    """For each of the run's rows the qrels row of the same query and document, or -1."""
    code_in_qrels = qrels.doc_ids.find(run.doc_ids)[run.codes[rows]]
    documents = len(qrels.doc_ids) + 1
    keys = qrels.query_of_row * documents + qrels.codes
    order = np.argsort(keys)
    wanted = np.where(code_in_qrels >= 0, query_of_row * documents + code_in_qrels, -1)
    if not len(keys):
        return np.full(len(rows), -1, dtype=np.int64)
    spot = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = order[spot]
    return np.where(keys[found] == wanted, found, -1)
