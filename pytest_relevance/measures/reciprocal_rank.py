"""RR: how far down the first relevant document is."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import relevant
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades


def reciprocal_rank(ranked: RankedGrades, settings: Settings) -> Floats:
    """1 / rank of the first relevant document within k, 0.0 if there is none; shape (q,).

    Unjudged documents are not relevant. Source: trec_eval `recip_rank`.
    """
    found = relevant(ranked, settings)
    hit = np.flatnonzero(found.counts)
    values = np.zeros(len(ranked.query_ids))
    values[hit] = 1.0 / found.ranks[found.offsets[hit]]
    return values


FAMILIES = (Family("RR", reciprocal_rank, ("rel", "judged_only"), page="reciprocal-rank", divides="rel"),)
