"""Words about where documents stand: above, below, at_rank, in_order, in_tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict.numbers import listed
from pytest_relevance.verdict.vocabulary.finding import ROWS_SHOWN, Finding, not_there, where_is, whose


def above(ranking: Ranking, doc_id: str, other: str) -> Finding:
    """Whether a document stands above another; one that was not retrieved stands below all that were."""
    return _stands(ranking, doc_id, "above", other)


def below(ranking: Ranking, doc_id: str, other: str) -> Finding:
    """Whether a document stands below another; one that was not retrieved stands below all that were."""
    return _stands(ranking, doc_id, "below", other)


def at_rank(ranking: Ranking, doc_id: str, *, at_least: int | None = None, at_most: int | None = None) -> Finding:
    """Whether a document stands at a rank within bounds, both ends included; one that was not retrieved does not."""
    rank = ranking.ranks.get(doc_id)
    low, high = at_least or 1, at_most
    if rank and rank >= low and (high is None or rank <= high):
        return Finding(True, f"{whose(ranking)}: {doc_id} stands at rank {rank}")
    if low == high:
        wanted = f"at rank {low}"
    elif high is None:
        wanted = f"at rank {low} or lower down"
    else:
        wanted = f"within the first {high}" if low == 1 else f"at ranks {low} to {high}"
    found = f"stands at rank {rank}" if rank else f"is {not_there(ranking)}" if len(ranking) else "was not retrieved"
    sentence = f"{whose(ranking)}: {doc_id} {found}, and should stand {wanted}"
    depth = max(ROWS_SHOWN, high or 0)
    return Finding(False, sentence, {rank: f"should stand {wanted}"} if rank else {}, depth)


def in_order(ranking: Ranking, doc_ids: Sequence[str]) -> Finding:
    """Whether documents stand in this order, others between them or not; all but the last must be retrieved."""
    return _in_tiers(ranking, [[doc_id] for doc_id in doc_ids], f"the order {', '.join(doc_ids)}")


def in_tiers(ranking: Ranking, tiers: Sequence[Sequence[str]]) -> Finding:
    """Whether each document of a tier stands above each of the tiers after it; all but the last must be retrieved."""
    return _in_tiers(ranking, tiers, f"the order of tiers {' > '.join(', '.join(tier) for tier in tiers)}")


def _stands(ranking: Ranking, doc_id: str, side: Literal["above", "below"], other: str) -> Finding:
    upper, lower = (doc_id, other) if side == "above" else (other, doc_id)
    stands = f"{doc_id} ({where_is(ranking, doc_id)})"
    than = f"{other} ({where_is(ranking, other)})"
    if _stands_above(ranking, upper, lower):
        return Finding(True, f"{whose(ranking)}: {stands} stands {side} {than}")
    sentence = f"{whose(ranking)}: {stands} should stand {side} {than}, but does not"
    should = ((lower, "should stand below"), (upper, "should stand above"))
    marks = {ranking.ranks[one]: why for one, why in should if one in ranking.ranks}
    return Finding(False, sentence, marks)


def _in_tiers(ranking: Ranking, tiers: Sequence[Sequence[str]], called: str) -> Finding:
    tier_of = {doc_id: number for number, tier in enumerate(tiers) for doc_id in tier}
    pairs = [(one, other) for one in tier_of for other in tier_of if tier_of[one] < tier_of[other]]
    broken = [(one, other) for one, other in pairs if not _stands_above(ranking, one, other)]
    if not broken:
        return Finding(True, f"{whose(ranking)}: {called} holds")
    lost = [doc_id for doc_id in tier_of if doc_id not in ranking.ranks and tier_of[doc_id] < len(tiers) - 1]
    turned = [(one, other) for one, other in broken if one in ranking.ranks]
    told = [
        f"{other} ({where_is(ranking, other)}) stands above {one} ({where_is(ranking, one)})" for one, other in turned
    ]
    if lost:
        told.append(f"{listed(lost)} {'is' if len(lost) == 1 else 'are'} {_absent(ranking)}")
    marks = {}
    for one, other in turned:
        marks[ranking.ranks[one]] = f"should stand above {other}"
        marks[ranking.ranks[other]] = f"should stand below {one}"
    marks |= {
        ranking.ranks[other]: f"should stand below {one}"
        for one, other in broken
        if one in lost and other in ranking.ranks and ranking.ranks[other] not in marks
    }
    sentence = f"{whose(ranking)}: {called} does not hold: {'; '.join(told[:3])}"
    if len(told) > 3:
        sentence += f"; and {len(told) - 3} more"
    return Finding(False, sentence, marks, shortfall=len(broken) / len(pairs))


def _absent(ranking: Ranking) -> str:
    return not_there(ranking) if len(ranking) else "not there, for nothing was retrieved"


def _stands_above(ranking: Ranking, one: str, other: str) -> bool:
    upper, lower = ranking.ranks.get(one), ranking.ranks.get(other)
    return upper is not None and (lower is None or upper < lower)
