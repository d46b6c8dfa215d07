"""RR: how far down the first relevant document is."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import View
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats


def reciprocal_rank(view: View, settings: Settings) -> Floats:
    """1 / rank of the first relevant document within k, 0.0 if there is none; shape (q,).

    Unjudged documents are not relevant. Source: trec_eval `recip_rank`.
    """
    found = view.relevant(settings.rel, judged_only=settings.judged_only)
    hit = np.flatnonzero(found.counts)
    first = found.ranks[found.offsets[hit]]
    values = np.zeros(len(view))
    values[hit] = 1.0 / first if settings.cutoff is None else (first <= settings.cutoff) / first
    return values


FAMILIES = (Family("RR", reciprocal_rank, ("rel", "judged_only"), page="reciprocal-rank", divides="rel"),)
