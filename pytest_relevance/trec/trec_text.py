"""TREC text to records, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pytest_relevance.errors import ProblemList
from pytest_relevance.records import Duplicates, Ids, Qrels, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import pack_slices
from pytest_relevance.records.words import Integers
from pytest_relevance.trec.cuts import query_blocks
from pytest_relevance.trec.decimals import Numbers, make_exact, parse_numbers
from pytest_relevance.trec.lines import QRELS, RUN, Layout
from pytest_relevance.trec.order import ordered, ranks_disagree
from pytest_relevance.trec.rows import RANKS_DISAGREE, BlockLines, Rows, qrels_of, run_of
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.tokens import Block, careful_block, columns_of, keep_freed_memory


def trec_qrels(source: Source, name: str | None, duplicates: Duplicates) -> Qrels:
    """Judgments of a TREC file."""
    return qrels_of(_Reader(source, QRELS).rows(), source, name, duplicates)


def trec_run(source: Source, name: str | None, duplicates: Duplicates) -> Run:
    """Rankings of a TREC file."""
    reader = _Reader(source, RUN)
    rows = reader.rows()
    return run_of(rows, source, name, duplicates, notes=(RANKS_DISAGREE,) if reader.disagrees else ())


@dataclass
class _Reader:
    """Collects the columns of a file's blocks."""

    source: Source
    layout: Layout
    disagrees: bool = False
    _queries: list[str] = field(default_factory=list)
    _counts: list[Integers] = field(default_factory=list)
    _documents: list[Ids] = field(default_factory=list)
    _numbers: list[Floats] = field(default_factory=list)
    _lines: BlockLines = field(default_factory=BlockLines)
    _problems: ProblemList = field(default_factory=ProblemList)

    def rows(self) -> Rows:
        """All rows of the file."""
        before = 0
        keep_freed_memory()
        for data in query_blocks(self.source):
            block = columns_of(data, self.layout)
            numbers = None if block is None else self._parsed(block)
            if block is None or numbers is None:
                block = careful_block(data, self.layout, self.source, before, self._problems)
                numbers = self._parsed(block)
            if numbers is not None and len(block):
                self._add(block, numbers, before)
            before += block.line_count
        self._problems.raise_any()
        return Rows(
            self._queries,
            np.concatenate([np.zeros(0, dtype=np.int64), *self._counts]),
            Ids.joined(self._documents),
            np.concatenate([np.zeros(0), *self._numbers]),
            self._lines,
        )

    def _parsed(self, block: Block) -> Numbers | None:
        return parse_numbers(block.data, block.numbers.starts, block.numbers.lengths, self.layout.problem)

    def _add(self, block: Block, numbers: Numbers, before: int) -> None:
        inexact = np.flatnonzero(~numbers.exact)
        if len(inexact):
            make_exact(numbers, inexact, block.data, block.numbers.starts, block.numbers.lengths)
        bounds = block.stretches()
        self._queries += block.texts(block.queries.at(bounds[:-1]))
        self._counts.append(np.diff(bounds))
        self._documents.append(Ids(*pack_slices(block.data, block.documents.starts, block.documents.lengths)))
        self._numbers.append(numbers.values)
        self._lines.add(len(block), before + 1, block.lines)
        if block.ranks is not None and not self.disagrees:
            self.disagrees = ranks_disagree(block, numbers, bounds, ordered(block, numbers, bounds))
