"""ERR and RBP: what a reader who stops somewhere down the list gets out of it."""

from __future__ import annotations

import numpy as np

from pytest_relevance.measures.gains import refuse_above_scale
from pytest_relevance.measures.lists import View, group_sums
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats


def expected_reciprocal_rank(view: View, settings: Settings) -> Floats:
    """Sum over ranks r of (1 / r) · S(r) · product over higher ranks of (1 - S); shape (q,).

    S = (2^grade - 1) / 2^max_grade is the chance that a document satisfies: fractional grades go in as they are, grades
    below 0 and unjudged documents never satisfy. `max_grade` is the highest grade in the qrels unless stated; gdeval
    fixes it at 4. Source: Chapelle, Metzler, Zhang, Grinspan, CIKM 2009.
    """
    refuse_above_scale(view.ranked.judged_grades, settings)
    seen = view.judged(judged_only=settings.judged_only).cut(settings.cutoff)
    seen = seen.where(seen.grades > 0)
    # 2^g - 1 over 2^top, written so that no scale overflows.
    top = settings.max_grade or 0.0
    satisfied = np.exp2(seen.grades - top) - np.exp2(-top)
    values, searching = np.zeros(len(seen.counts)), np.ones(len(seen.counts))
    left = np.arange(len(values))
    for place in range(int(seen.counts.max(initial=0))):  # down all lists at once
        left = left[seen.counts[left] > place]
        rows = seen.offsets[left] + place
        values[left] += searching[left] * satisfied[rows] / seen.ranks[rows]
        searching[left] *= 1.0 - satisfied[rows]
    return values


def rank_biased_precision(view: View, settings: Settings) -> Floats:
    """(1 - p) times the sum over ranks r of p^(r - 1) · worth; shape (q,).

    Worth: 1 for a relevant document, or with `graded` max(grade, 0) / max_grade, `max_grade` being the highest grade in
    the qrels unless stated. Unjudged documents are worth 0. Source: Moffat, Zobel, TOIS 27(1), 2008.
    """
    seen = view.judged(judged_only=settings.judged_only).cut(settings.cutoff)
    if settings.graded:
        refuse_above_scale(view.ranked.judged_grades, settings)
        worth = np.maximum(seen.grades, 0.0) / (settings.max_grade or 1.0)
    else:
        worth = (seen.grades >= settings.rel).astype(np.float64)
    weights = np.power(settings.p, seen.ranks - 1.0)
    return (1.0 - settings.p) * group_sums(weights * worth, seen.offsets)


def _idle(settings: Settings) -> frozenset[str]:
    return frozenset({"rel"} if settings.graded else {"max_grade"})


FAMILIES = (
    Family("ERR", expected_reciprocal_rank, ("max_grade", "judged_only"), page="err-rbp", divides="gain"),
    Family(
        "RBP",
        rank_biased_precision,
        ("p", "rel", "graded", "max_grade", "judged_only"),
        page="err-rbp",
        divides="rel",
        idle=_idle,
    ),
)
