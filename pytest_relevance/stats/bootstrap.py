"""Bootstrap intervals of means and weighted totals: percentile and BCa, many columns from one draw."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.intervals import CONFIDENCE, RESAMPLES, SAME, SEED, Interval, check_share, columns_of
from pytest_relevance.stats.resampling import resampled_totals
from pytest_relevance.stats.strata import Strata, strata_for

Method: TypeAlias = Literal["percentile", "bca"]

_NORMAL = NormalDist()  # the standard library's: scipy.stats would cost half a second to import


def bootstrap_interval(
    column: Floats,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "percentile",
) -> Interval:
    """The bootstrap interval of a mean over queries; shape of `column` (q,).

    One query or none, or the same value everywhere, gives an interval of no width: nothing here varies.
    Both methods are too narrow below some fifty queries; see docs/statistics.md.

    Source: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 (percentile) and 14 (BCa).
    """
    return bootstrap_intervals(column, confidence=confidence, resamples=resamples, seed=seed, method=method)[0]


def weighted_interval(
    columns: Mapping[str, Floats],
    shares: Mapping[str, float],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "percentile",
) -> Interval:
    """The bootstrap interval of a weighted total, resampling inside each slice (stratified).

    Source: as `bootstrap_interval`, with strata as in Davison, Hinkley, "Bootstrap Methods and their Application",
    1997, section 3.2.
    """
    names = [name for name in shares if len(columns[name])]
    sizes = [len(columns[name]) for name in names]
    codes = np.repeat(np.arange(len(names)), sizes)
    column = np.concatenate([np.zeros(0), *(columns[name] for name in names)])
    strata = Strata(codes, np.array([shares[name] for name in names], dtype=np.float64))
    return bootstrap_intervals(
        column, strata=strata, confidence=confidence, resamples=resamples, seed=seed, method=method
    )[0]


def bootstrap_intervals(
    matrix: Floats,
    *,
    strata: Strata | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "percentile",
) -> tuple[Interval, ...]:
    """The bootstrap interval of the total of each column (a measure, a system), all from the same draws.

    Shape (q, m) → m intervals. Memory: about 50 MB beside the matrix, or 24 bytes a query if that is more.

    Raises:
        UsageError: `confidence` is not between 0 and 1, or a value is NaN.
    """
    check_share("confidence", confidence)
    columns = columns_of(matrix)
    groups = strata_for(len(columns), strata)
    totals = resampled_totals(columns, groups, resamples=resamples, seed=seed)
    if method == "percentile":
        return percentile_intervals(totals, confidence)
    return bca_intervals(totals, columns, groups, confidence)


def percentile_intervals(totals: Floats, confidence: float) -> tuple[Interval, ...]:
    """The middle `confidence` of the resampled totals; shape (resamples, m) → m intervals.

    Source: Efron, Tibshirani, 1993, section 13.3.
    """
    tail = (1 - confidence) / 2
    lows, highs = np.quantile(totals, [tail, 1 - tail], axis=0)
    return tuple(Interval(low, high, confidence) for low, high in zip(lows.tolist(), highs.tolist(), strict=True))


def bca_intervals(totals: Floats, columns: Floats, strata: Strata, confidence: float) -> tuple[Interval, ...]:
    """Bias-corrected and accelerated intervals; shapes (resamples, m), (q, m) → m intervals.

    The acceleration is the skewness of what each query does to the total. For a mean, leaving out query i moves it by
    (mean - value) / (q - 1), so the jackknife needs no loop; inside strata each query counts with its weight.
    Where nothing varies, the interval has no width.

    Source: Efron, "Better bootstrap confidence intervals", JASA 82(397), 1987; Efron, Tibshirani, 1993, eq. 14.10 and
    14.15; for strata Davison, Hinkley, 1997, section 5.3.2.
    """
    estimates = strata.totals(columns)
    effects = strata.centred(columns) * strata.weights[:, np.newaxis]
    squares, cubes = (effects**2).sum(axis=0), (effects**3).sum(axis=0)
    accelerations = np.divide(cubes, 6 * squares**1.5, out=np.zeros_like(cubes), where=squares > 0)
    return tuple(
        _bca(totals[:, place], float(estimates[place]), float(accelerations[place]), confidence)
        for place in range(columns.shape[1])
    )


def _bca(totals: Floats, estimate: float, acceleration: float, confidence: float) -> Interval:
    if not len(totals) or np.ptp(totals) == 0:
        return Interval(estimate, estimate, confidence)
    # Totals equal to the estimate (but for rounding: sums of yes-or-no values often are) lie half below it.
    # A share of 0 or 1 has no quantile, so at least half a resample.
    below = (float((totals < estimate - SAME).mean()) + float((totals <= estimate + SAME).mean())) / 2
    half = 0.5 / len(totals)
    bias = _NORMAL.inv_cdf(min(max(below, half), 1 - half))
    tail = (1 - confidence) / 2
    levels = [_bca_level(bias, acceleration, _NORMAL.inv_cdf(level)) for level in (tail, 1 - tail)]
    low, high = np.quantile(totals, sorted(levels))
    return Interval(float(low), float(high), confidence)


def _bca_level(bias: float, acceleration: float, quantile: float) -> float:
    """The share of resampled totals that takes the place of `quantile`; 0.0 to 1.0."""
    shift = bias + quantile
    stretch = 1 - acceleration * shift
    if stretch <= 0:  # beyond the pole of the transformation: as far out as there are totals
        return 1.0 if shift > 0 else 0.0
    return _NORMAL.cdf(bias + shift / stretch)
