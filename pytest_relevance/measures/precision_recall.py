"""P, R, Rprec and Success: how many of the documents are relevant, how many of the relevant ones are there."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import lists, relevant, relevant_counts, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades


def precision(ranked: RankedGrades, settings: Settings) -> Floats:
    """Relevant documents among the first k, over k; without a cutoff over the documents retrieved; shape (q,).

    A list shorter than k is still divided by k. Unjudged documents are not relevant. Source: trec_eval `P`, `set_P`.
    """
    found = relevant(ranked, settings)
    if settings.cutoff is None:
        return shares(found.counts, found.retrieved)
    return found.counts / settings.cutoff


def recall(ranked: RankedGrades, settings: Settings) -> Floats:
    """Relevant documents among the first k, over all relevant ones in the qrels; 0.0 if there are none; shape (q,).

    Source: trec_eval `recall`, `set_recall`.
    """
    return shares(relevant(ranked, settings).counts, relevant_counts(ranked, settings))


def r_precision(ranked: RankedGrades, settings: Settings) -> Floats:
    """Precision at R, the number of relevant documents in the qrels; 0.0 if there are none; shape (q,).

    Source: trec_eval `Rprec`.
    """
    wanted = relevant_counts(ranked, settings)
    seen = lists(ranked, settings)
    top = (seen.grades >= settings.rel) & (seen.ranks <= np.repeat(wanted, seen.counts))
    return shares(seen.where(top).counts, wanted)


def success(ranked: RankedGrades, settings: Settings) -> Floats:
    """1.0 if any of the first k documents is relevant, else 0.0; shape (q,). Source: trec_eval `success`."""
    return (relevant(ranked, settings).counts > 0).astype(np.float64)


_YES_NO = ("rel", "judged_only")

FAMILIES = (
    Family("P", precision, _YES_NO, page="precision-recall", divides="rel"),
    Family("R", recall, _YES_NO, page="precision-recall", divides="rel"),
    Family("Rprec", r_precision, _YES_NO, page="precision-recall", at="none", divides="rel"),
    Family("Success", success, _YES_NO, page="precision-recall", divides="rel"),
)
