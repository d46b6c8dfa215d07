"""Qrels: what people or models judged, query by query, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.records.columns import Floats, Grouped, first_repeat, grouped_rows, rows_kept
from pytest_relevance.records.ids import Ids, Integers

Duplicates = Literal["error", "first"]


@dataclass(frozen=True, eq=False)
class Qrels(Grouped):
    """Judgments as columns. Grades are any finite numbers; below zero they are judged and gain nothing.

    Shapes: query_ids (q,), offsets (q + 1,), codes and grades (rows,); `doc_ids` holds each document once.
    """

    query_ids: tuple[str, ...]
    offsets: Integers
    doc_ids: Ids
    codes: Integers
    grades: Floats
    name: str = "qrels"
    notes: tuple[str, ...] = ()  # what a reader should know, such as repeats that were dropped

    @classmethod
    def from_columns(
        cls,
        query_ids: tuple[str, ...],
        offsets: Integers,
        row_documents: Ids,
        grades: Floats,
        *,
        name: str = "qrels",
        duplicates: Duplicates = "error",
    ) -> Qrels:
        """From one id and grade a row, rows grouped by query.

        A row that repeats another to the letter counts once, with a note. Two grades for one pair are an error, or with
        `duplicates="first"` the first is kept and the others counted in a note.

        Raises:
            DataError: a pair has two grades, or a grade is not finite.
        """
        vocabulary, codes = row_documents.distinct()
        _refuse_unordered(grades, query_ids, offsets, row_documents)
        query_of_row = np.repeat(np.arange(len(query_ids)), np.diff(offsets))
        repeated = first_repeat(query_of_row, codes, len(vocabulary))
        notes: tuple[str, ...] = ()
        if repeated.any():
            _refuse_two_grades(query_of_row, codes, grades, query_ids, vocabulary, duplicates)
            count = int(repeated.sum())
            notes = (f"{name}: {count} duplicate judgment{'s' if count > 1 else ''} dropped, the first kept",)
            offsets, codes, grades = rows_kept(offsets, ~repeated), codes[~repeated], grades[~repeated]
        return cls(query_ids, offsets, vocabulary, codes, grades, name, notes)

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]], *, name: str = "qrels") -> Qrels:
        """From query_id → doc_id → grade, the shape pytrec_eval takes."""
        counts = [len(grades) for grades in judgments.values()]
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        documents = Ids.of(doc_id for grades in judgments.values() for doc_id in grades)
        column = np.array([grade for grades in judgments.values() for grade in grades.values()], dtype=np.float64)
        return cls.from_columns(tuple(judgments), offsets, documents, column, name=name)

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[str, str, float]], *, name: str = "qrels", duplicates: Duplicates = "error"
    ) -> Qrels:
        """From (query_id, doc_id, grade, …) rows; `ir_measures.Qrel` and `ir_datasets` tuples are such rows."""
        return cls.from_columns(*grouped_rows(rows), name=name, duplicates=duplicates)

    @classmethod
    def from_frame(cls, frame: Any, *, name: str = "qrels") -> Qrels:
        """From a pandas or polars data frame with query_id, doc_id, grade (or qid, docno, label; relevance) columns."""
        from pytest_relevance.records.frames import frame_rows

        return cls.from_rows(frame_rows(frame, ("grade", "relevance", "label", "score")), name=name)

    @cached_property
    def max_grade(self) -> float:
        """The highest grade, or 0.0 where nothing is judged."""
        return float(self.grades.max(initial=0.0))

    @cached_property
    def whole(self) -> bool:
        """Whether every grade is a whole number, as trec_eval needs."""
        return bool((self.grades == np.trunc(self.grades)).all())

    def grades_of(self, query_id: str) -> dict[str, float]:
        """doc_id → grade of one query; empty for a query without judgments."""
        rows = self.rows_of(query_id)
        return dict(zip(self.doc_ids.texts(self.codes[rows]), self.grades[rows].tolist(), strict=True))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """query_id → doc_id → grade."""
        return self.as_dicts(self.grades)

    def restricted_to(self, query_ids: Iterable[str]) -> Qrels:
        """Only these queries, in the order of this record; unknown ids are ignored."""
        chosen, offsets, rows = self.chosen(set(query_ids))
        return Qrels(chosen, offsets, self.doc_ids, self.codes[rows], self.grades[rows], self.name, self.notes)


def _refuse_unordered(grades: Floats, query_ids: tuple[str, ...], offsets: Integers, documents: Ids) -> None:
    wrong = np.flatnonzero(~np.isfinite(grades))
    if len(wrong):
        row = int(wrong[0])
        query_id = query_ids[int(np.searchsorted(offsets, row, side="right")) - 1]
        raise DataError(
            f"grade {grades[row]} of document {documents[row]!r} for query {query_id!r} is not a finite number",
            fix="give it a number, or drop the judgment",
        )


def _refuse_two_grades(
    query_of_row: Integers,
    codes: Integers,
    grades: Floats,
    query_ids: tuple[str, ...],
    vocabulary: Ids,
    duplicates: Duplicates,
) -> None:
    if duplicates == "first":
        return
    first: dict[tuple[int, int], float] = {}
    for query, code, grade in zip(query_of_row.tolist(), codes.tolist(), grades.tolist(), strict=True):
        if first.setdefault((query, code), grade) != grade:
            raise DataError(
                f"duplicate judgment: document {vocabulary[code]!r} has grades {first[query, code]:g} and {grade:g} "
                f"for query {query_ids[query]!r}",
                fix="keep one of them, or read with duplicates: first",
            )
