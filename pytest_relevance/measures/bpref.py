"""Bpref: judged documents only, how many judged non-relevant ones stand above each relevant one."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.lists import Lists, group_counts, group_sums, relevant_counts, shares
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades


def bpref(ranked: RankedGrades, settings: Settings) -> Floats:
    """Mean over the R relevant documents of 1 - min(n, R) / min(N, R), 0 for those not retrieved; shape (q,).

    n: judged non-relevant documents above it; N: all of them in the qrels. Where N is 0 nothing can stand above, and a
    retrieved relevant document counts 1. Non-relevant is 0 <= grade < rel; unjudged documents and grades below 0 are
    passed over, as trec_eval does. 0.0 if nothing is relevant. Source: trec_eval `bpref` (Buckley, Voorhees, SIGIR
    2004).
    """
    seen = Lists(ranked.offsets, ranked.ranks, ranked.grades, ranked.retrieved)
    wanted = relevant_counts(ranked, settings)
    unwanted = group_counts(_not_relevant(ranked.judged_grades, settings), ranked.judged_offsets)
    before = np.concatenate(([0], np.cumsum(_not_relevant(seen.grades, settings))))
    above = before[1:] - np.repeat(before[seen.offsets[:-1]], seen.counts)
    hits = seen.grades >= settings.rel
    query = np.repeat(np.arange(len(wanted)), seen.counts)[hits]
    lost = shares(np.minimum(above[hits], wanted[query]), np.minimum(unwanted, wanted)[query])
    return shares(group_sums(1.0 - lost, seen.where(hits).offsets), wanted)


def _not_relevant(grades: Floats, settings: Settings) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return (grades >= 0) & (grades < settings.rel)


FAMILIES = (Family("Bpref", bpref, ("rel",), page="bpref", at="none", divides="rel"),)
