"""Sides: the rankings of a query in two runs, rank by rank, with grades and where each document went."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from pytest_relevance.evaluate.measuring import Measuring
from pytest_relevance.records import Qrels, Run
from pytest_relevance.verdict.record import Move, QueryValue, Side

_RANKS = 10  # shown of a query


def sides_of(
    measuring: Measuring,
    old: str,
    new: str,
    qrels: str | None,
    worst: Sequence[QueryValue],
    *,
    against: str,
    cutoff: int | None,
) -> tuple[Side, ...]:
    """The rankings of these queries in two runs, by the names under which they are measured; `sides` says the rest."""
    judged = None if qrels is None else measuring.qrels(qrels)
    return sides(measuring.run_of(old), measuring.run_of(new), judged, worst, against=against, cutoff=cutoff)


def sides(
    old: Run, new: Run, qrels: Qrels | None, worst: Sequence[QueryValue], *, against: str, cutoff: int | None = None
) -> tuple[Side, ...]:
    """The two rankings of each query, side by side; none of a query whose rankings are the same down to the cutoff.

    `against`: how messages call the old run. `cutoff`: what is deeper does not count.
    """
    found = (
        Side(
            one.query_id,
            one.text,
            against,
            one.other,
            one.value,
            qrels is not None,
            _moves(old.ranking(one.query_id), new.ranking(one.query_id), _grades(qrels, one.query_id), cutoff),
        )
        for one in worst
    )
    return tuple(side for side in found if side.moves)


def _grades(qrels: Qrels | None, query_id: str) -> dict[str, float]:
    return {} if qrels is None else qrels.grades_of(query_id)


def _moves(then: Sequence[str], now: Sequence[str], grades: dict[str, float], cutoff: int | None) -> tuple[Move, ...]:
    """Two rankings of one query, rank by rank: the first ten ranks, or ten from the first at which they differ.

    Where a document went is told however deep that is.
    """
    rows = list(enumerate(zip_longest(then[:cutoff], now[:cutoff], fillvalue=""), start=1))
    first = next((rank for rank, (was, is_) in rows if was != is_), None)
    if first is None:
        return ()
    begin = 0 if first <= _RANKS else first - 1
    then_ranks = {doc_id: rank for rank, doc_id in enumerate(then, start=1)}
    now_ranks = {doc_id: rank for rank, doc_id in enumerate(now, start=1)}
    return tuple(
        Move(rank, was, grades.get(was), now_ranks.get(was), is_, grades.get(is_), then_ranks.get(is_))
        for rank, (was, is_) in rows[begin : begin + _RANKS]
    )
