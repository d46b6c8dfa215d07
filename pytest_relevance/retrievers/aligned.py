"""A run brought to the queries that are asked for, in their order, and told query by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pytest_relevance.records import Run
from pytest_relevance.records.columns import gathered
from pytest_relevance.retrievers.protocol import HitColumns, Ranked


def aligned(run: Run, query_ids: Sequence[str]) -> Run:
    """The run for exactly these queries: one it does not have is empty, one that failed stays a failure."""
    scored = tuple(query_id for query_id in query_ids if query_id not in run.failures)
    places = np.array([run.positions.get(query_id, -1) for query_id in scored], dtype=np.int64)
    there = places >= 0
    bounds, rows = gathered(run.offsets, places[there])
    counts = np.zeros(len(scored), dtype=np.int64)
    counts[there] = np.diff(bounds)
    return replace(
        run,
        query_ids=scored,
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        codes=run.codes[rows],
        scores=run.scores[rows],
        failures={query_id: run.failures[query_id] for query_id in query_ids if query_id in run.failures},
    )


def answers(run: Run) -> Iterator[Ranked]:
    """What the run holds, as a retriever answers it."""
    for query_id in run.query_ids:
        rows = run.rows_of(query_id)
        yield Ranked(query_id, HitColumns(run.doc_ids, run.codes[rows], run.scores[rows]), order="given")
    for query_id, why in run.failures.items():
        yield Ranked(query_id, error=why)
