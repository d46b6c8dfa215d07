"""nDCG, nDCG-m, nDCG-f and DCG: graded gain, discounted by rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytest_relevance.measures.gains import best_gain, gains_of, refuse_above_scale
from pytest_relevance.measures.lists import View, group_sums, shares, top_rows
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers


def dcg(view: View, settings: Settings) -> Floats:
    """Sum over ranks r of gain / log2(1 + r); shape (q,).

    Gain: the grade (`linear`), 2^grade - 1 (`exp`) or a table; below 0 it is 0. An unjudged document gains 0 and keeps
    its rank, unless `judged_only` squeezes it out first. Source: Järvelin, Kekäläinen, TOIS 20(4), 2002, with
    trec_eval's discount, which starts at rank 2.
    """
    seen = view.judged(judged_only=settings.judged_only).cut(settings.cutoff)
    return group_sums(gains_of(seen.grades, settings) / _discounts(seen.ranks), seen.offsets)


def ndcg(view: View, settings: Settings) -> Floats:
    """DCG over the DCG of the ideal list, 0 to 1; 0.0 where nothing can be gained; shape (q,).

    The ideal list, cut at k too: all labels of the query, best first (`query`, as trec_eval); the scale's best grade k
    times (`max`, nDCG-m); or only the labels the run retrieved (`retrieved`).
    """
    if settings.ideal == "max":
        refuse_above_scale(view.ranked.judged_grades, settings)
        return np.minimum(dcg(view, settings) / _ideal_of_scale(settings), 1.0)
    return np.minimum(shares(dcg(view, settings), _ideal_of_query(view, settings)), 1.0)


def _ideal_of_scale(settings: Settings) -> float:
    ranks = np.arange(1, (settings.cutoff or 1) + 1)
    # Nothing to gain on the whole scale: any divisor gives the 0.0 that is meant.
    return best_gain(settings) * float((1.0 / _discounts(ranks)).sum()) or 1.0


def _ideal_of_query(view: View, settings: Settings) -> Floats:
    ranked, retrieved_only = view.ranked, settings.ideal == "retrieved"
    offsets = ranked.offsets if retrieved_only else ranked.judged_offsets
    grades = ranked.grades if retrieved_only else ranked.judged_grades
    if retrieved_only or settings.gains is not None:  # the ideal order is by gain, and a table may turn grades around
        gains = gains_of(grades, settings)
        grades = gains[np.lexsort((-gains, np.repeat(np.arange(len(view)), np.diff(offsets))))]
        settings = replace(settings, gain="linear", gains=None)
    counts = np.diff(offsets)
    bounds, rows, ranks = top_rows(offsets, counts if settings.cutoff is None else np.minimum(counts, settings.cutoff))
    return group_sums(gains_of(grades[rows], settings) / _discounts(ranks), bounds)


def _discounts(ranks: Integers) -> Floats:
    table: Floats = np.log2(np.arange(1, ranks.max(initial=0) + 2, dtype=np.float64))
    return table[ranks]


def _needs_cutoff(settings: Settings) -> str | None:
    if settings.ideal == "max" and settings.cutoff is None:
        return "needs a cutoff: its ideal is k documents of the highest grade"
    return None


def _idle(settings: Settings) -> frozenset[str]:
    table = settings.gains is not None
    idle = {"gain": table, "gains": settings.gain != "linear", "max_grade": settings.ideal != "max"}
    return frozenset(name for name, useless in idle.items() if useless)


_GAIN = ("gain", "gains", "max_grade", "judged_only")

FAMILIES = (
    Family(
        "nDCG",
        ndcg,
        (*_GAIN[:2], "ideal", *_GAIN[2:]),
        page="ndcg",
        short={"nDCG-m": {"ideal": "max"}, "nDCG-f": {"judged_only": True}},
        divides="gain",
        check=_needs_cutoff,
        idle=_idle,
    ),
    Family("DCG", dcg, ("gain", "gains", "judged_only"), page="ndcg", upper=None, idle=_idle),
)
