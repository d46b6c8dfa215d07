"""Sides: the rankings of a query then and now, rank by rank, with grades and where each document went."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from pytest_relevance.evaluate.measuring import Measuring
from pytest_relevance.records import Qrels, Run
from pytest_relevance.verdict.compared import Compared
from pytest_relevance.verdict.record import Move, Side

SHOWN = 10  # ranks, where the measure has no cutoff or a deeper one


def sides_of(
    measuring: Measuring, compared: Compared, cutoff: int | None, query_ids: Sequence[str]
) -> tuple[Side, ...]:
    """The rankings of these queries side by side, down to the cutoff or ten ranks."""
    depth = min(cutoff or SHOWN, SHOWN)
    old, new = measuring.run_of(compared.old.retriever), measuring.run_of(compared.new.retriever)
    qrels = measuring.qrels(compared.new.qrels)
    return tuple(
        Side(
            query_id,
            compared.new.queries[query_id].text,
            compared.old.values[query_id],
            compared.new.values[query_id],
            moves_of(old, new, qrels, query_id, depth),
        )
        for query_id in query_ids
    )


def moves_of(old: Run, new: Run, qrels: Qrels | None, query_id: str, depth: int) -> tuple[Move, ...]:
    """Two rankings of one query, rank by rank down to `depth`; where a document went is told however deep that is."""
    then, now = old.ranking(query_id), new.ranking(query_id)
    then_ranks = {doc_id: rank for rank, doc_id in enumerate(then, start=1)}
    now_ranks = {doc_id: rank for rank, doc_id in enumerate(now, start=1)}
    grades = qrels.grades_of(query_id) if qrels is not None else {}
    return tuple(
        Move(rank, was, grades.get(was), now_ranks.get(was), is_, grades.get(is_), then_ranks.get(is_))
        for rank, (was, is_) in enumerate(zip_longest(then[:depth], now[:depth], fillvalue=""), start=1)
    )
