"""The rows of one file, whatever its format, on their way to Qrels or Run; repeats are named by both their lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from pytest_relevance.errors import MOST_PROBLEMS, DataError, Place, ProblemList, quoted
from pytest_relevance.records import Duplicates, Ids, Qrels, Run
from pytest_relevance.records.columns import Floats, Truths, first_repeat, gathered
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.run import Order
from pytest_relevance.trec.lines import DOCUMENT, field_place
from pytest_relevance.trec.source import Source

RANKS_DISAGREE = "the rank column disagrees with the scores; the scores decide"


class Row(NamedTuple):
    """One row and where its doc_id stands."""

    query_id: str
    doc_id: str
    number: float
    line: int
    column: int


@dataclass(frozen=True)
class ListedPlaces:
    """Line and column of each row."""

    listed: list[tuple[int, int]]

    def line(self, row: int) -> int:
        """The line of a row, from 1."""
        return self.listed[row][0]

    def place(self, row: int, source: Source, text: str, doc_id: str) -> Place:
        """The place of a row's doc_id."""
        line, column = self.listed[row]
        return source.place(line, column, text, len(doc_id))


@dataclass
class BlockLines:
    """Lines of the rows of a TREC file, kept by block: a regular block has a row on every line and needs no list."""

    ends: list[int] = field(default_factory=list)  # rows up to and with each block
    blocks: list[tuple[int, Integers | None]] = field(default_factory=list)  # first line, and each row's line from it

    def add(self, rows: int, first_line: int, lines: Integers | None) -> None:
        """One more block."""
        self.ends.append((self.ends[-1] if self.ends else 0) + rows)
        self.blocks.append((first_line, None if lines is None else lines.astype(np.int32)))

    def line(self, row: int) -> int:
        """The line of a row, from 1."""
        block = bisect_right(self.ends, row)
        first_line, lines = self.blocks[block]
        inside = row - (self.ends[block - 1] if block else 0)
        return first_line + (inside if lines is None else int(lines[inside]))

    def place(self, row: int, source: Source, text: str, doc_id: str) -> Place:  # noqa: ARG002 - found in the line
        """The place of a row's doc_id."""
        return field_place(text, DOCUMENT, source, self.line(row))


@dataclass(frozen=True)
class Rows:
    """Rows in file order. Shapes: queries, counts (stretches,); documents, numbers (rows,)."""

    queries: list[str]  # one for each stretch of neighbouring rows of one query
    counts: Integers
    documents: Ids
    numbers: Floats
    places: ListedPlaces | BlockLines  # where each row's doc_id stands

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows:
        """Columns of listed rows."""
        listed = list(rows)
        return cls(
            [row.query_id for row in listed],
            np.ones(len(listed), dtype=np.int64),
            Ids.of(row.doc_id for row in listed),
            np.array([row.number for row in listed], dtype=np.float64),
            ListedPlaces([(row.line, row.column) for row in listed]),
        )

    def grouped(self) -> Grouping:
        """The queries in order of first appearance, their offsets, and the rows put together by query."""
        places: dict[str, int] = {}
        place_of_stretch = np.array([places.setdefault(query_id, len(places)) for query_id in self.queries])
        bounds = np.concatenate(([0], np.cumsum(self.counts))).astype(np.int64)
        if len(places) == len(self.queries):
            return Grouping(tuple(places), bounds, None)
        _, order = gathered(bounds, np.argsort(place_of_stretch, kind="stable"))
        counts = np.bincount(place_of_stretch, weights=self.counts, minlength=len(places)).astype(np.int64)
        return Grouping(tuple(places), np.concatenate(([0], np.cumsum(counts))), order)


class Grouping(NamedTuple):
    """How rows of a file go together by query."""

    query_ids: tuple[str, ...]
    offsets: Integers
    order: Integers | None  # the file's row numbers, query by query; None where they stand so already

    def documents(self, rows: Rows) -> Ids:
        return rows.documents if self.order is None else rows.documents.take(self.order)

    def numbers(self, rows: Rows) -> Floats:
        return rows.numbers if self.order is None else rows.numbers[self.order]


def qrels_of(
    rows: Rows, source: Source, name: str | None, duplicates: Duplicates, notes: tuple[str, ...] = ()
) -> Qrels:
    """The judgments of a file.

    Raises:
        DataError: there are none, or a pair has two grades (both lines named).
    """
    if not len(rows.documents):
        raise source.empty("judgments")
    grouping = rows.grouped()
    try:
        qrels = Qrels.from_columns(
            grouping.query_ids,
            grouping.offsets,
            grouping.documents(rows),
            grouping.numbers(rows),
            name=name or source.stem,
            duplicates=duplicates,
        )
    except DataError:
        _refuse_repeats(rows, grouping, source, judged=True)
        raise
    return replace(qrels, notes=(*qrels.notes, *notes)) if notes else qrels


def run_of(
    rows: Rows,
    source: Source,
    name: str | None,
    duplicates: Duplicates,
    *,
    order: Order = "score",
    notes: tuple[str, ...] = (),
    empty: Iterable[str] = (),
) -> Run:
    """The rankings of a file; `empty` are queries that were answered with nothing.

    Raises:
        DataError: there are none, or a document stands twice in one ranking (both lines named).
    """
    unanswered = [query_id for query_id in empty if query_id not in set(rows.queries)]
    if not len(rows.documents) and not unanswered:
        raise source.empty("rankings: nothing was retrieved")
    grouping = rows.grouped()
    shown = name or source.stem
    try:
        run = Run.from_columns(
            (*grouping.query_ids, *unanswered),
            np.concatenate((grouping.offsets, np.full(len(unanswered), grouping.offsets[-1], dtype=np.int64))),
            grouping.documents(rows),
            grouping.numbers(rows),
            name=shown,
            order=order,
            duplicates=duplicates,
            notes=tuple(f"{shown}: {note}" for note in notes),
        )
    except DataError:
        _refuse_repeats(rows, grouping, source, judged=False)
        raise
    return run


def _refuse_repeats(rows: Rows, grouping: Grouping, source: Source, *, judged: bool) -> None:
    """Raise the located form of what the record refused."""
    documents, numbers = grouping.documents(rows), grouping.numbers(rows)
    _, codes = documents.distinct()
    query_of_row = np.repeat(np.arange(len(grouping.query_ids)), np.diff(grouping.offsets))
    firsts = _first_rows(query_of_row, codes)
    repeated = first_repeat(query_of_row, codes, len(documents))
    wrong: Truths = repeated & (numbers != numbers[firsts]) if judged else repeated
    file_rows = np.arange(len(codes)) if grouping.order is None else grouping.order
    listed = np.flatnonzero(wrong)
    shown = listed[np.argsort(file_rows[listed], kind="stable")][:MOST_PROBLEMS].tolist()
    pairs = [(int(file_rows[firsts[row]]), int(file_rows[row])) for row in shown]
    texts = source.lines({rows.places.line(row) for pair in pairs for row in pair})
    problems = ProblemList()
    for row, (one, other) in zip(shown, pairs, strict=True):
        query_id, doc_id = grouping.query_ids[query_of_row[row]], documents[row]
        places = [
            rows.places.place(place, source, texts.get(rows.places.line(place), ""), doc_id) for place in (one, other)
        ]
        grades = (rows.numbers[one], rows.numbers[other]) if judged else None
        problems.add(_repeat(query_id, doc_id, places, grades))
    problems.raise_any(total=len(listed))


def _repeat(query_id: str, doc_id: str, places: list[Place], grades: tuple[float, float] | None) -> DataError:
    first, place = places
    if grades:
        return DataError(
            f"duplicate judgment of {quoted(doc_id)} for query {quoted(query_id)}: "
            f"first at {first} with grade {grades[0]:g}, here with {grades[1]:g}",
            place=place,
            fix="keep one of them, or read with duplicates: first",
        )
    return DataError(
        f"duplicate document {quoted(doc_id)} in the ranking of query {quoted(query_id)}: first at {first}",
        place=place,
        fix="keep each document once, or read with duplicates: first",
    )


def _first_rows(query_of_row: Integers, codes: Integers) -> Integers:
    keys = query_of_row * (int(codes.max(initial=0)) + 1) + codes
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rows: Integers = first[inverse]
    return rows
