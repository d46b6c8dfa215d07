"""AP: the mean of the precision at each relevant document."""

from __future__ import annotations

from pytest_relevance.measures.lists import View, group_sums, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats


def average_precision(view: View, settings: Settings) -> Floats:
    """Sum of the precision at each relevant document within k, over all relevant ones in the qrels; shape (q,).

    Divided by all relevant documents at a cutoff too. 0.0 if there are none. Unjudged documents are not relevant.
    Source: trec_eval `map`, `map_cut`.
    """
    found = view.relevant(settings.rel, judged_only=settings.judged_only).cut(settings.cutoff)
    return shares(group_sums(found.places / found.ranks, found.offsets), view.relevant_counts(settings.rel))


FAMILIES = (Family("AP", average_precision, ("rel", "judged_only"), page="average-precision", divides="rel"),)
