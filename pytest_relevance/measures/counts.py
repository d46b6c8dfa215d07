"""Judged, and the counts: how much of a ranking is judged, retrieved, relevant."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import lists, relevant, relevant_counts, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades


def judged(ranked: RankedGrades, settings: Settings) -> Floats:
    """Share of the first k documents that have a grade, any grade; 0.0 for an empty list; shape (q,).

    Divided by the documents that are there (`of='retrieved'`), so that ten judged of ten is 1.0 at k = 100, or by k
    (`of='cutoff'`). Source: ir_measures `Judged`, which knows the first only.
    """
    seen = lists(ranked, settings)
    if settings.of == "cutoff" and settings.cutoff is not None:
        return seen.counts / settings.cutoff
    return shares(seen.counts, seen.retrieved)


def retrieved(ranked: RankedGrades, settings: Settings) -> Floats:
    """Documents in the list, at most k; shape (q,). Source: trec_eval `num_ret`."""
    return lists(ranked, settings).retrieved.astype(np.float64)


def relevant_judged(ranked: RankedGrades, settings: Settings) -> Floats:
    """Relevant documents in the qrels; shape (q,). Source: trec_eval `num_rel`, which stays at level 1 under -l."""
    return relevant_counts(ranked, settings).astype(np.float64)


def relevant_retrieved(ranked: RankedGrades, settings: Settings) -> Floats:
    """Relevant documents in the list, among the first k; shape (q,). Source: trec_eval `num_rel_ret`."""
    return relevant(ranked, settings).counts.astype(np.float64)


def queries(ranked: RankedGrades, settings: Settings) -> Floats:  # noqa: ARG001 (every definition takes settings)
    """1.0 for every query, so that the sum counts them; shape (q,). Source: trec_eval `num_q`."""
    return np.ones(len(ranked.query_ids))


def _of_needs_cutoff(settings: Settings) -> str | None:
    return "needs a cutoff to divide by" if settings.of == "cutoff" and settings.cutoff is None else None


FAMILIES = (
    Family("Judged", judged, ("of",), page="judged", check=_of_needs_cutoff),
    Family("NumRet", retrieved, ("judged_only",), page="counts", upper=None, aggregate="sum"),
    Family(
        "NumRel", relevant_judged, ("rel",), page="counts", upper=None, aggregate="sum", at="none", looks="judgments"
    ),
    Family("NumRelRet", relevant_retrieved, ("rel", "judged_only"), page="counts", upper=None, aggregate="sum"),
    Family("NumQ", queries, page="counts", upper=None, aggregate="sum", at="none", looks="judgments"),
)
