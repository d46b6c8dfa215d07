"""P, R, Rprec and Success: how many of the documents are relevant, how many of the relevant ones are there."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import View, counts_up_to, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers


def precision(view: View, settings: Settings) -> Floats:
    """Relevant documents among the first k, over k; without a cutoff over the documents retrieved; shape (q,).

    A list shorter than k is still divided by k. Unjudged documents are not relevant. Source: trec_eval `P`, `set_P`.
    """
    found = relevant_within(view, settings)
    if settings.cutoff is None:
        return shares(found, view.judged(judged_only=settings.judged_only).retrieved)
    return found / settings.cutoff


def recall(view: View, settings: Settings) -> Floats:
    """Relevant documents among the first k, over all relevant ones in the qrels; 0.0 if there are none; shape (q,).

    Source: trec_eval `recall`, `set_recall`.
    """
    return shares(relevant_within(view, settings), view.relevant_counts(settings.rel))


def r_precision(view: View, settings: Settings) -> Floats:
    """Precision at R, the number of relevant documents in the qrels; 0.0 if there are none; shape (q,).

    Source: trec_eval `Rprec`.
    """
    wanted = view.relevant_counts(settings.rel)
    found = view.relevant(settings.rel, judged_only=settings.judged_only)
    return shares(counts_up_to(found.ranks, found.offsets, wanted), wanted)


def success(view: View, settings: Settings) -> Floats:
    """1.0 if any of the first k documents is relevant, else 0.0; shape (q,). Source: trec_eval `success`."""
    return (relevant_within(view, settings) > 0).astype(np.float64)


def relevant_within(view: View, settings: Settings) -> Integers:
    """Relevant documents among the first k; shape (q,)."""
    found = view.relevant(settings.rel, judged_only=settings.judged_only)
    if settings.cutoff is None:
        return found.counts
    return counts_up_to(found.ranks, found.offsets, np.full(len(view), settings.cutoff))


_YES_NO = ("rel", "judged_only")

FAMILIES = (
    Family("P", precision, _YES_NO, page="precision-recall", divides="rel"),
    Family("R", recall, _YES_NO, page="precision-recall", divides="rel"),
    Family("Rprec", r_precision, _YES_NO, page="precision-recall", at="none", divides="rel"),
    Family("Success", success, _YES_NO, page="precision-recall", divides="rel"),
)
