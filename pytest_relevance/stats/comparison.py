"""Comparison: two runs over the same queries, by how much they differ and whether that may be chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.bootstrap import bca_intervals, percentile_intervals
from pytest_relevance.stats.intervals import CONFIDENCE, SAME, SEED, Interval, check_share, snapped
from pytest_relevance.stats.pairs import aligned_columns, counted
from pytest_relevance.stats.randomisation import FLIPS, Flipped, randomisation_test
from pytest_relevance.stats.resampling import resampled_totals
from pytest_relevance.stats.strata import Strata, strata_for
from pytest_relevance.stats.student import spread_of
from pytest_relevance.stats.wilcoxon import wilcoxon_p

RESAMPLES = 10_000  # a comparison is read to three digits; its Monte-Carlo error is about 1 % of the interval's width


@dataclass(frozen=True, slots=True)
class Comparison:
    """Old and new values of one measure over the same queries. Positive differences mean that new is higher.

    Nothing is NaN: where no query differs, the intervals have no width, every p-value is 1 and the effect is 0.
    """

    queries: int
    old_mean: float
    new_mean: float
    difference: float  # new_mean - old_mean
    student: Interval  # of the difference, by Student's t: the one that keeps its promise with few queries
    percentile: Interval  # of the difference, paired bootstrap
    bca: Interval  # of the difference, paired bootstrap, bias-corrected and accelerated
    better: int  # queries that rose by more than 1e-12
    same: int
    worse: int
    p_randomisation: float  # two-sided, as the other two
    p_student: float
    p_wilcoxon: float
    effect: float | None  # Cohen's d_z: difference over the deviation of differences; None if all differ by the same
    superiority: float  # chance that a query is better, half of the same ones counted: 0.0 to 1.0, 0.5 is no effect

    @property
    def interval(self) -> Interval:
        """The interval to show: `student`, for the reason in docs/decisions/0004-the-interval-of-a-gate.md."""
        return self.student


def compare(
    old: Floats,
    new: Floats,
    *,
    strata: Strata | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Comparison:
    """Compare two columns of values over the same queries, in the same order; shapes (q,), (q,).

    `strata` makes it a comparison of weighted totals: means, intervals, t and randomisation test, and effects count
    each query with its weight; better/same/worse and Wilcoxon count every query that has a weight once.

    Raises:
        UsageError: lengths differ, a value is NaN, or `confidence` is not between 0 and 1.
    """
    return compare_columns(old, new, strata=strata, confidence=confidence, resamples=resamples, seed=seed)[0]


def compare_columns(
    old: Floats,
    new: Floats,
    *,
    strata: Strata | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[Comparison, ...]:
    """`compare` for each column (a measure) of two matrices, all from one draw; shapes (q, m), (q, m) → m results."""
    check_share("confidence", confidence)
    before, after = aligned_columns(old, new)
    groups = strata_for(len(before), strata)
    differences = snapped(after - before)
    totals = resampled_totals(differences, groups, resamples=resamples, seed=seed)
    percentile = percentile_intervals(totals, confidence)
    bca = bca_intervals(totals, differences, groups, confidence)
    flipped = randomisation_test(differences, strata=groups, flips=FLIPS, seed=seed)
    return tuple(
        _compared(before[:, place], after[:, place], groups, percentile[place], bca[place], flipped[place])
        for place in range(before.shape[1])
    )


def _compared(
    old: Floats, new: Floats, strata: Strata, percentile: Interval, bca: Interval, flipped: Flipped
) -> Comparison:
    counting = differences_that_count(old, new, strata)
    counts = counted(counting)
    spread = spread_of(snapped(new - old), strata)
    old_mean, new_mean = strata.totals(np.column_stack([old, new])).tolist()
    return Comparison(
        queries=len(counting),
        old_mean=old_mean,
        new_mean=new_mean,
        difference=spread.estimate,
        student=spread.interval(percentile.confidence),
        percentile=percentile,
        bca=bca,
        better=counts.better,
        same=counts.same,
        worse=counts.worse,
        p_randomisation=flipped.two_sided,
        p_student=spread.p_different(),
        p_wilcoxon=wilcoxon_p(counting),
        effect=standardised(snapped(new - old), strata),
        superiority=superiority(snapped(new - old), strata),
    )


def differences_that_count(old: Floats, new: Floats, strata: Strata) -> Floats:
    """new - old of the queries that have a weight, rounding removed; shape (q that count,)."""
    return snapped(new - old)[strata.codes >= 0]


def standardised(differences: Floats, strata: Strata) -> float | None:
    """Cohen's d_z: the mean difference over the standard deviation of the differences (q - 1), weighted by the strata.

    0.0 where nothing differs or there is no query; None where all differ by the same amount, one query included: the
    ratio has no bound.

    Source: Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd edition, 1988, section 2.3.
    """
    mean = float(strata.weights @ differences)
    queries = int((strata.codes >= 0).sum())
    deviation = float(np.sqrt(strata.weights @ (differences - mean) ** 2 * queries / max(queries - 1, 1)))
    if deviation <= SAME:
        return 0.0 if abs(mean) <= SAME else None
    return mean / deviation


def superiority(differences: Floats, strata: Strata) -> float:
    """The weighted share of queries that are better, those that are the same counting half; 0.5 over no query.

    Source: McGraw, Wong, "A common language effect size statistic", Psychological Bulletin 111(2), 1992, with ties
    as in Vargha, Delaney, J. Educ. Behav. Stat. 25(2), 2000.
    """
    return 0.5 + float(strata.weights @ np.sign(differences)) / 2
