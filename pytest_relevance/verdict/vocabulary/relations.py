"""Words about two rankings: same_as, subset_of, overlaps, more_results_than, fewer_results_than."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.verdict.numbers import listed, plural
from pytest_relevance.verdict.vocabulary.finding import Finding, nothing_came, ranks_text, whose


def same_as(ranking: Ranking, other: Ranking, *, top: int = 10, any_order: bool = False) -> Finding:
    """Whether the first documents are those of another ranking, in its order (`any_order`: in whatever order).

    Two empty rankings are not the same: nothing came back that could be.
    """
    mine, theirs = ranking.top(top), other.top(top)
    if not mine and not theirs:
        return nothing_came(ranking, f"nothing is the same as for {_called(other, ranking)}, where nothing came either")
    if [one.doc_id for one in mine] == [one.doc_id for one in theirs] or (any_order and _ids(mine) == _ids(theirs)):
        return Finding(True, f"{whose(ranking)}: the top {top} is that of {_called(other, ranking)}")
    moved = [one.rank for one in mine if _differs(one, theirs, any_order)]
    lost = [one for one in theirs if one.doc_id not in _ids(mine)]
    if moved:
        told = f"{len(moved)} of the top {len(mine)} {'differs' if len(moved) == 1 else 'differ'} from those of"
        told = f"{told} {_called(other, ranking)} ({ranks_text(moved)})"
    else:
        told = f"the top {len(mine)} lacks {plural(len(lost), 'document')} that {_called(other, ranking)} has"
    marks = {rank: _instead(rank, theirs, any_order) for rank in moved}
    return Finding(
        False,
        f"{whose(ranking)}: {told}",
        marks,
        top,
        beside=_ranks_in(other, mine, ranking),
        remarks=_only_there(lost, other, ranking),
        shortfall=max(len(moved), len(lost)) / max(len(mine), len(theirs)),
    )


def subset_of(ranking: Ranking, other: Ranking, *, top: int = 10) -> Finding:
    """Whether the first documents are all among those retrieved in another ranking; none is no subset."""
    mine = ranking.top(top)
    if not mine:
        return nothing_came(ranking, f"nothing is part of {_called(other, ranking)}")
    outside = [one.rank for one in mine if one.doc_id not in other.ranks]
    if not outside:
        return Finding(True, f"{whose(ranking)}: the top {len(mine)} is part of {_called(other, ranking)}")
    sentence = (
        f"{whose(ranking)}: {len(outside)} of the top {len(mine)} {'is' if len(outside) == 1 else 'are'} not among the "
        f"{plural(len(other), 'document')} of {_called(other, ranking)} ({ranks_text(outside)})"
    )
    marks = dict.fromkeys(outside, "not there")
    shortfall = len(outside) / len(mine)
    return Finding(False, sentence, marks, top, beside=_ranks_in(other, mine, ranking), shortfall=shortfall)


def overlaps(ranking: Ranking, other: Ranking, *, at_least: float, top: int = 10) -> Finding:
    """Whether the first documents of both share so much: those in both, over those of the longer one.

    Two empty rankings share nothing.
    """
    mine, theirs = ranking.top(top), other.top(top)
    if not mine and not theirs:
        return nothing_came(ranking, f"nothing is shared with {_called(other, ranking)}, where nothing came either")
    shared = _ids(mine) & _ids(theirs)
    longer = max(len(mine), len(theirs))
    share = len(shared) / longer
    is_are = "is" if len(shared) == 1 else "are"
    told = f"{whose(ranking)}: {len(shared)} of the top {longer} ({share:.4g}) {is_are} in that of"
    told = f"{told} {_called(other, ranking)}"
    if share >= at_least:
        return Finding(True, told)
    lost = [one for one in theirs if one.doc_id not in shared]
    return Finding(
        False,
        f"{told}, below the {at_least:.4g} this suite expects",
        {one.rank: f"not in the top {len(theirs)} there" for one in mine if one.doc_id not in shared},
        top,
        beside=_ranks_in(other, mine, ranking),
        remarks=_only_there(lost, other, ranking),
        shortfall=1 - share,
    )


def more_results_than(ranking: Ranking, other: Ranking) -> Finding:
    """Whether more documents came back than in another ranking. Both are counted as far down as was retrieved."""
    return _compared(ranking, other, len(ranking) > len(other), "more")


def fewer_results_than(ranking: Ranking, other: Ranking) -> Finding:
    """Whether fewer documents came back than in another ranking. Both are counted as far down as was retrieved."""
    return _compared(ranking, other, len(ranking) < len(other), "fewer")


def _compared(ranking: Ranking, other: Ranking, holds: bool, word: str) -> Finding:
    counts = f"{plural(len(ranking), 'document')} came back, and {len(other)} for {_called(other, ranking)}"
    if holds:
        return Finding(True, f"{whose(ranking)}: {counts}")
    full = ranking.asked is not None and len(ranking) == len(other) == ranking.asked
    remark = f"both have all {ranking.asked} documents that were asked for: raise 'depth' to tell which has more"
    sentence = f"{whose(ranking)}: {counts}; this suite expects {word}"
    return Finding(False, sentence, remarks=(remark,) if full else ())


def _called(other: Ranking, beside: Ranking) -> str:
    """The other ranking by what tells it from this one."""
    if other.retriever == beside.retriever:
        return repr(other.query.text)
    if other.query.query_id == beside.query.query_id:
        return other.retriever
    return whose(other)


def _ids(documents: Iterable[RankedDocument]) -> set[str]:
    return {one.doc_id for one in documents}


def _differs(one: RankedDocument, theirs: tuple[RankedDocument, ...], any_order: bool) -> bool:
    if any_order:
        return one.doc_id not in _ids(theirs)
    return one.rank > len(theirs) or theirs[one.rank - 1].doc_id != one.doc_id


def _instead(rank: int, theirs: tuple[RankedDocument, ...], any_order: bool) -> str:
    if any_order:
        return "not there"
    return f"there: {theirs[rank - 1].doc_id}" if rank <= len(theirs) else "there: nothing"


def _ranks_in(other: Ranking, mine: tuple[RankedDocument, ...], ranking: Ranking) -> Mapping[int, Mapping[str, str]]:
    name = f"rank in {_called(other, ranking)}"
    return {one.rank: {name: str(other.ranks.get(one.doc_id, "-"))} for one in mine}


def _only_there(lost: list[RankedDocument], other: Ranking, ranking: Ranking) -> tuple[str, ...]:
    if not lost:
        return ()
    return (f"only {_called(other, ranking)} has {listed([f'{one.doc_id} (rank {one.rank})' for one in lost])}",)
