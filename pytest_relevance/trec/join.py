"""A run file joined with qrels while it streams by: judged rows are kept, the others only counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pytest_relevance.errors import ProblemList
from pytest_relevance.records import Duplicates, Qrels, RankedGrades, Run
from pytest_relevance.records.columns import Floats, Truths, gathered
from pytest_relevance.records.ranked import sorted_grades
from pytest_relevance.records.words import Integers, Words, hash_words
from pytest_relevance.trec.cuts import Lines, query_blocks
from pytest_relevance.trec.decimals import parse_numbers
from pytest_relevance.trec.in_order import in_order
from pytest_relevance.trec.judged import HashTroubleError, Judged, Matches, salts_of
from pytest_relevance.trec.lines import RUN
from pytest_relevance.trec.order import ordered, ranks_disagree
from pytest_relevance.trec.read import PathLike, read_run
from pytest_relevance.trec.rows import RANKS_DISAGREE
from pytest_relevance.trec.sniff import rows_format
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.tokens import Block, careful_block, columns_of, keep_freed_memory

_HALF = np.uint64(32)  # bits


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """A run file as far as its judgments go."""

    ranked: RankedGrades  # equal to RankedGrades.join(read_run(path), qrels)
    name: str
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]  # queries of the run without judgments
    failures: Mapping[str, str] = field(default_factory=dict)  # queries that did not run, and why


class NotStreamableError(Exception):
    """The file needs the whole run in memory: rows of one query apart, a repeated document, hashes that collide."""


@dataclass(frozen=True)
class _Part:
    """What one block gives. Shapes: queries, retrieved, judged (stretches,); ranks, grades (sum of judged,)."""

    lines: int
    queries: list[str]
    retrieved: Integers
    judged: Integers
    ranks: Integers
    grades: Floats
    disagrees: bool


def join_run_file(path: PathLike, judgments: Qrels | Judged, *, duplicates: Duplicates = "error") -> JoinedRun:
    """Where the judged documents stand in the run at `path`.

    TREC text streams by in blocks and bounded memory; other formats, files whose rows of one query are apart, and files
    with duplicates are read whole first.

    Raises:
        DataError: as `read_run` does.
    """
    source = Source.of(path)
    judged = judgments if isinstance(judgments, Judged) else Judged.of(judgments)
    if rows_format(source, source.head()) == "trec":
        try:
            return _Join(source, judged).joined()
        except (NotStreamableError, HashTroubleError):
            pass
    run = read_run(path, duplicates=duplicates)
    return joined_run(run, judged.qrels)


def joined_run(run: Run, qrels: Qrels) -> JoinedRun:
    """The same from a run in memory."""
    unjudged = tuple(query_id for query_id in (*run.query_ids, *run.failures) if query_id not in qrels)
    return JoinedRun(RankedGrades.join(run, qrels), run.name, run.notes, unjudged, run.failures)


class _Join:
    """One pass over one file."""

    def __init__(self, source: Source, judged: Judged) -> None:
        self._source = source
        self._judged = judged
        self._problems = ProblemList()

    def joined(self) -> JoinedRun:
        parts: list[_Part] = []
        keep_freed_memory()
        self._judged.ready()
        before = 0
        for block, part in in_order(query_blocks(self._source), self._columns_part):
            if part is None:
                careful = careful_block(block, RUN, self._source, before, self._problems)
                part = self._part(careful)
                if part is None:
                    raise NotStreamableError
            before += part.lines
            parts.append(part)
        self._problems.raise_any()
        return self._assembled(parts)

    def _columns_part(self, block: Lines) -> _Part | None:
        columns = columns_of(block, RUN)
        return None if columns is None else self._part(columns)

    def _part(self, block: Block) -> _Part | None:
        """The judged rows of a block; None where a score cannot be read."""
        if not len(block):
            none = np.zeros(0, dtype=np.int64)
            return _Part(block.line_count, [], none, none, none, np.zeros(0), disagrees=False)
        scores = parse_numbers(block.data, block.numbers.starts, block.numbers.lengths, RUN.problem)
        if scores is None:
            return None
        bounds = block.stretches()
        queries = block.texts(block.queries.at(bounds[:-1]))
        order = ordered(block, scores, bounds)
        rows, grades = self._judged_rows(block, bounds, queries)
        if order is not None:
            rows, grades = _ranked(rows, grades, order)
        stretch = np.searchsorted(bounds, rows, side="right") - 1
        return _Part(
            block.line_count,
            queries,
            np.diff(bounds),
            np.bincount(stretch, minlength=len(queries)),
            rows - bounds[stretch] + 1,
            grades,
            ranks_disagree(block, scores, bounds, order),
        )

    def _judged_rows(self, block: Block, bounds: Integers, queries: list[str]) -> Matches:
        """The judged rows of a block in file order."""
        places = np.array([self._judged.positions.get(query_id, -1) for query_id in queries], dtype=np.int64)
        salts = salts_of(len(queries))
        documents = block.documents
        hashes = hash_words(block.data, documents.starts, documents.lengths)
        keys = hashes ^ np.repeat(salts, np.diff(bounds))
        _refuse_repeats(keys)
        return self._judged.matches(block, keys, places, salts)

    def _assembled(self, parts: list[_Part]) -> JoinedRun:
        queries = [query_id for part in parts for query_id in part.queries]
        if not queries:
            raise self._source.empty("rankings: nothing was retrieved")
        if len(set(queries)) < len(queries):
            raise NotStreamableError
        places, in_run, retrieved = self._places(queries, _end_to_end([part.retrieved for part in parts]))
        bounds = np.concatenate(([0], np.cumsum(_end_to_end([part.judged for part in parts])))).astype(np.int64)
        ranks, grades = _end_to_end([part.ranks for part in parts]), np.concatenate([part.grades for part in parts])
        if not np.array_equal(places, np.arange(len(queries))):
            empty = len(bounds) - 1  # a group without rows, for queries that are not in the run
            bounds, rows = gathered(np.concatenate((bounds, bounds[-1:])), np.where(in_run, places, empty))
            ranks, grades = ranks[rows], grades[rows]
        judged_offsets, judged_grades = sorted_grades(self._judged.offsets, self._judged.grades)
        ranked = RankedGrades(
            self._judged.query_ids,
            retrieved,
            in_run,
            bounds,
            ranks,
            grades,
            judged_offsets,
            judged_grades,
        )
        name = self._source.stem
        notes = (f"{name}: {RANKS_DISAGREE}",) if any(part.disagrees for part in parts) else ()
        unjudged = tuple(query_id for query_id in queries if query_id not in self._judged.positions)
        return JoinedRun(ranked, name, notes, unjudged)

    def _places(self, queries: list[str], counts: Integers) -> tuple[Integers, Truths, Integers]:
        """For each judged query its place in the file, whether it has one, and its number of rows."""
        found = {query_id: place for place, query_id in enumerate(queries)}
        places = np.array([found.get(query_id, -1) for query_id in self._judged.query_ids], dtype=np.int64)
        in_run = places >= 0
        return places, in_run, np.where(in_run, counts[places], 0)


def _ranked(rows: Integers, grades: Floats, order: Integers) -> tuple[Integers, Floats]:
    """Rows of a block as their places in `order`, ascending, with their grades."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    places = place[rows]
    ascending = np.argsort(places)
    return places[ascending], grades[ascending]


def _refuse_repeats(keys: Words) -> None:
    halves = (keys >> _HALF).astype(
        np.uint32
    )  # sorted in half the time; where two are equal by chance, all is looked at
    halves.sort()
    if (halves[1:] == halves[:-1]).any():
        ascending = np.sort(keys)
        if (ascending[1:] == ascending[:-1]).any():
            raise NotStreamableError


def _end_to_end(columns: list[Integers]) -> Integers:
    return np.concatenate(columns)
