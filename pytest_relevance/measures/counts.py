"""Judged, and the counts: how much of a ranking is judged, retrieved, relevant."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import Lists, View, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.measures.precision_recall import relevant_within
from pytest_relevance.records.columns import Floats


def judged(view: View, settings: Settings) -> Floats:
    """Share of the first k documents that have a grade, any grade; 0.0 for an empty list; shape (q,).

    Divided by the documents that are there (`of='retrieved'`), so that ten judged of ten is 1.0 at k = 100, or by k
    (`of='cutoff'`). Source: ir_measures `Judged`, which knows the first only.
    """
    seen = _seen(view, settings)
    if settings.of == "cutoff" and settings.cutoff is not None:
        return seen.counts / settings.cutoff
    return shares(seen.counts, seen.retrieved)


def retrieved(view: View, settings: Settings) -> Floats:
    """Documents in the list, at most k; shape (q,). Source: trec_eval `num_ret`."""
    return _seen(view, settings).retrieved.astype(np.float64)


def relevant_judged(view: View, settings: Settings) -> Floats:
    """Relevant documents in the qrels; shape (q,). Source: trec_eval `num_rel`, which stays at level 1 under -l."""
    return view.relevant_counts(settings.rel).astype(np.float64)


def relevant_retrieved(view: View, settings: Settings) -> Floats:
    """Relevant documents in the list, among the first k; shape (q,). Source: trec_eval `num_rel_ret`."""
    return relevant_within(view, settings).astype(np.float64)


def queries(view: View, settings: Settings) -> Floats:  # noqa: ARG001 (every definition takes settings)
    """1.0 for every query, so that the sum counts them; shape (q,). Source: trec_eval `num_q`."""
    return np.ones(len(view))


def _seen(view: View, settings: Settings) -> Lists:
    return view.judged(judged_only=settings.judged_only).cut(settings.cutoff)


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
