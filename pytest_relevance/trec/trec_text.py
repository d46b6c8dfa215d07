"""TREC text to records."""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.errors import ProblemList
from pytest_relevance.records import Duplicates, Qrels, Run
from pytest_relevance.trec.lines import DOCUMENT, QRELS, RUN, Layout, careful_lines
from pytest_relevance.trec.rows import Row, Rows, qrels_of, run_of
from pytest_relevance.trec.source import Source


def trec_qrels(source: Source, name: str | None, duplicates: Duplicates) -> Qrels:
    """Judgments of a TREC file."""
    return qrels_of(_rows(source, QRELS), source, name, duplicates)


def trec_run(source: Source, name: str | None, duplicates: Duplicates) -> Run:
    """Rankings of a TREC file."""
    return run_of(_rows(source, RUN), source, name, duplicates)


def _rows(source: Source, layout: Layout) -> Rows:
    problems = ProblemList()
    rows: list[Row] = []
    before = 0
    for block in source.blocks():
        lines, count = careful_lines(block, layout, source, before, problems)
        before += count
        for line in lines:
            query_id, doc_id = line.fields[0].decode(), line.fields[DOCUMENT].decode()
            rows.append(Row(query_id, doc_id, float(line.fields[layout.number]), line.number, 1))
    problems.raise_any()
    return replace(Rows.of(rows), columns=None)
