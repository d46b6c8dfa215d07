"""AP: the mean of the precision at each relevant document."""

from __future__ import annotations

from pytest_relevance.measures.lists import group_sums, relevant, relevant_counts, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades


def average_precision(ranked: RankedGrades, settings: Settings) -> Floats:
    """Sum of the precision at each relevant document within k, over all relevant ones in the qrels; shape (q,).

    Divided by all relevant documents at a cutoff too. 0.0 if there are none. Unjudged documents are not relevant.
    Source: trec_eval `map`, `map_cut`.
    """
    found = relevant(ranked, settings)
    return shares(group_sums(found.places / found.ranks, found.offsets), relevant_counts(ranked, settings))


FAMILIES = (Family("AP", average_precision, ("rel", "judged_only"), page="average-precision", divides="rel"),)
