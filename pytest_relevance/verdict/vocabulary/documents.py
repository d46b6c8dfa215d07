"""Words about which documents are there: first, contains, excludes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.suite import FieldCondition
from pytest_relevance.verdict.numbers import listed
from pytest_relevance.verdict.vocabulary.finding import Finding, not_there, whose


def first(ranking: Ranking, doc_id: str) -> Finding:
    """Whether this document is first."""
    rank = ranking.ranks.get(doc_id)
    if rank == 1:
        return Finding(True, f"{whose(ranking)}: the first document is {doc_id}")
    if not len(ranking):
        return Finding(False, f"{whose(ranking)}: nothing came back, but {doc_id} should be first")
    found = f"found at rank {rank}" if rank else not_there(ranking)
    sentence = f"{whose(ranking)}: the first document is {ranking.documents[0].doc_id}, not {doc_id} ({found})"
    marks = {1: f"{doc_id} should stand here"}
    if rank:
        marks[rank] = "should be first"
    return Finding(False, sentence, marks)


def contains(
    ranking: Ranking, doc_ids: Sequence[str], *, top: int, at_least: int | None = None, any_of: bool = False
) -> Finding:
    """Whether all of these documents are in the top (`at_least`: so many of them; `any_of`: one of them)."""
    needed = 1 if any_of else len(doc_ids) if at_least is None else at_least
    outside = [doc_id for doc_id in doc_ids if not 0 < ranking.ranks.get(doc_id, 0) <= top]
    found = len(doc_ids) - len(outside)
    if found >= needed:
        said = listed(list(doc_ids)) if needed == len(doc_ids) else f"{found} of {listed(list(doc_ids))}"
        return Finding(True, f"{whose(ranking)}: the top {top} contains {said}")
    late = {ranking.ranks[doc_id]: doc_id for doc_id in outside if doc_id in ranking.ranks}
    missing = [f"{doc_id} (rank {rank})" for rank, doc_id in late.items()]
    missing += [f"{doc_id} ({not_there(ranking)})" for doc_id in outside if doc_id not in ranking.ranks]
    if needed == len(doc_ids):
        said = f"the top {top} lacks {listed(missing)}"
    elif needed == 1:
        said = f"the top {top} contains none of {listed(missing)}"
    else:
        said = f"the top {top} contains {found or 'none'} of {len(doc_ids)} documents, fewer than the {needed} "
        said += f"this suite expects; it lacks {listed(missing)}"
    marks = dict.fromkeys(late, f"should be in the top {top}")
    return Finding(False, f"{whose(ranking)}: {said}", marks, top, shortfall=(needed - found) / needed)


def excludes(ranking: Ranking, unwanted: Sequence[str] | FieldCondition | Mapping[str, object], *, top: int) -> Finding:
    """Whether none of these documents, or none with such fields, is in the top. It holds where nothing came back."""
    if isinstance(unwanted, FieldCondition | Mapping):
        condition = FieldCondition.of(unwanted)
        found = {one.rank: one.doc_id for one in ranking.top(top) if condition.holds(one.fields)}
        return _excludes(top, condition.text, found, ranking, condition.names)
    found = {ranking.ranks[doc_id]: doc_id for doc_id in unwanted if 0 < ranking.ranks.get(doc_id, 0) <= top}
    return _excludes(top, listed(list(unwanted)), found, ranking)


def _excludes(top: int, what: str, found: Mapping[int, str], ranking: Ranking, fields: tuple[str, ...] = ()) -> Finding:
    if not found:
        came = "" if len(ranking) else ", for nothing came back"
        return Finding(True, f"{whose(ranking)}: the top {top} excludes {what}{came}")
    culprits = listed([f"{doc_id} at rank {rank}" for rank, doc_id in sorted(found.items())])
    sentence = f"{whose(ranking)}: the top {top} should exclude {what}, but holds {culprits}"
    marks = dict.fromkeys(found, "should not be here")
    return Finding(False, sentence, marks, top, fields, shortfall=len(found) / min(top, len(ranking)))
