"""Bpref: judged documents only, how many judged non-relevant ones stand above each relevant one."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import View, group_sums, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats


def bpref(view: View, settings: Settings) -> Floats:
    """Mean over the R relevant documents of 1 - min(n, R) / min(N, R), 0 for those not retrieved; shape (q,).

    n: judged non-relevant documents above it; N: all of them in the qrels. Where N is 0 nothing can stand above, and a
    retrieved relevant document counts 1. Non-relevant is 0 <= grade < rel; unjudged documents and grades below 0 are
    passed over, as trec_eval does. 0.0 if nothing is relevant. Source: trec_eval `bpref` (Buckley, Voorhees, SIGIR
    2004).
    """
    seen, hits = view.judged(), view.relevant_rows(settings.rel)
    if seen.grades.min(initial=0.0) < 0:
        seen = seen.where(seen.grades >= min(0.0, settings.rel))
        hits = np.flatnonzero(seen.grades >= settings.rel)
    bounds = np.searchsorted(hits, seen.offsets)
    wanted = view.relevant_counts(settings.rel)
    unwanted = np.maximum(view.relevant_counts(0.0) - wanted, 0)
    # Every row above a hit is a hit too, or judged not relevant.
    above = hits - np.arange(len(hits)) - np.repeat(seen.offsets[:-1] - bounds[:-1], np.diff(bounds))
    charged = group_sums(np.minimum(above, np.repeat(wanted, np.diff(bounds))), bounds)
    return shares(np.diff(bounds) - shares(charged, np.minimum(unwanted, wanted)), wanted)


FAMILIES = (Family("Bpref", bpref, ("rel",), page="bpref", at="none", divides="rel"),)
