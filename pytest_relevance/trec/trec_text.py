"""TREC text to records, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pytest_relevance.errors import ProblemList
from pytest_relevance.records import Duplicates, Ids, Qrels, Run
from pytest_relevance.records.columns import Floats, spans
from pytest_relevance.records.ids import pack_slices
from pytest_relevance.records.words import Integers
from pytest_relevance.trec.cuts import Lines, query_blocks
from pytest_relevance.trec.decimals import Numbers, make_exact, parse_numbers
from pytest_relevance.trec.in_order import in_order
from pytest_relevance.trec.judged import Judged, salts_of
from pytest_relevance.trec.lines import QRELS, RUN, Layout
from pytest_relevance.trec.order import ordered, ranks_disagree
from pytest_relevance.trec.rows import RANKS_DISAGREE, BlockLines, Rows, qrels_of, run_of
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.tokens import Block, careful_block, columns_of, keep_freed_memory


def trec_qrels(source: Source, name: str | None, duplicates: Duplicates) -> Qrels:
    """Judgments of a TREC file."""
    return qrels_of(_Reader(source, QRELS).rows(), source, name, duplicates)


def trec_judged(source: Source, duplicates: Duplicates) -> Judged:
    """Judgments of a TREC file, to be joined with runs only."""
    rows = _Reader(source, QRELS).rows()
    offsets = np.concatenate(([0], np.cumsum(rows.counts)))
    scattered = not rows.queries or len(set(rows.queries)) < len(rows.queries)
    if scattered or _may_repeat(rows.documents, offsets):
        return Judged.of(qrels_of(rows, source, None, duplicates))
    return Judged(tuple(rows.queries), offsets, rows.documents, rows.numbers, name=source.stem)


def trec_run(source: Source, name: str | None, duplicates: Duplicates) -> Run:
    """Rankings of a TREC file."""
    reader = _Reader(source, RUN)
    rows = reader.rows()
    return run_of(rows, source, name, duplicates, notes=(RANKS_DISAGREE,) if reader.disagrees else ())


def _may_repeat(documents: Ids, offsets: Integers) -> bool:
    """Whether two rows of a query have the same document, or documents of one hash."""
    for rows, bounds in spans(offsets):
        keys = documents.hashes[rows] ^ np.repeat(salts_of(len(bounds) - 1), np.diff(bounds))
        keys.sort()
        if (keys[1:] == keys[:-1]).any():
            return True
    return False


class _Part(NamedTuple):
    """The rows of one block. Shapes: queries, counts (stretches,); documents, numbers (rows,)."""

    queries: list[str]
    counts: Integers
    documents: Ids
    numbers: Floats
    lines: Integers | None
    line_count: int
    disagrees: bool


@dataclass
class _Reader:
    """Collects the columns of a file's blocks."""

    source: Source
    layout: Layout
    disagrees: bool = False
    _problems: ProblemList = field(default_factory=ProblemList)

    def rows(self) -> Rows:
        """All rows of the file."""
        parts: list[_Part] = []
        lines = BlockLines()
        before = 0
        keep_freed_memory()
        for block, part in in_order(query_blocks(self.source), self._columns_part):
            if part is None:
                part = self._part(careful_block(block, self.layout, self.source, before, self._problems))
            if part is not None and len(part.documents):
                parts.append(part)
                lines.add(len(part.documents), before + 1, part.lines)
            before += part.line_count if part is not None else 0
        self._problems.raise_any()
        self.disagrees = any(part.disagrees for part in parts)
        return Rows(
            [query_id for part in parts for query_id in part.queries],
            np.concatenate([np.zeros(0, dtype=np.int64), *(part.counts for part in parts)]),
            Ids.joined([part.documents for part in parts]),
            np.concatenate([np.zeros(0), *(part.numbers for part in parts)]),
            lines,
        )

    def _columns_part(self, lines: Lines) -> _Part | None:
        block = columns_of(lines, self.layout)
        return None if block is None else self._part(block)

    def _part(self, block: Block) -> _Part | None:
        """The columns of a block; None where a number cannot be read."""
        slices = block.numbers
        numbers = parse_numbers(block.data, slices.starts, slices.lengths, self.layout.problem)
        if numbers is None:
            return None
        make_exact(numbers, np.flatnonzero(~numbers.exact), block.data, slices.starts, slices.lengths)
        bounds = block.stretches()
        documents = Ids(*pack_slices(block.data, block.documents.starts, block.documents.lengths))
        _ = documents.hashes  # made here, where several threads work
        return _Part(
            block.texts(block.queries.at(bounds[:-1])),
            np.diff(bounds),
            documents,
            numbers.values,
            block.lines,
            block.line_count,
            self._ranks_disagree(block, numbers, bounds),
        )

    def _ranks_disagree(self, block: Block, numbers: Numbers, bounds: Integers) -> bool:
        if block.ranks is None or not len(block):
            return False
        return ranks_disagree(block, numbers, bounds, ordered(block, numbers, bounds))
