"""Student's t: how uncertain a total is, its interval and its test, alike for plain means and for strata."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.intervals import SAME, Interval
from pytest_relevance.stats.strata import Strata

# Quantiles of t are not in the standard library. scipy is installed wherever pytrec_eval is, and its `special` is a
# tenth of a second where `stats` is more than half a second; both functions import it when they are called.


@dataclass(frozen=True, slots=True)
class Spread:
    """A total and how far it may be off: what a t interval and a t test need."""

    estimate: float
    error: float  # standard error of `estimate`, 0.0 where nothing varies
    freedom: float  # degrees of freedom, 0.0 where nothing can be known (one query or none)

    def interval(self, confidence: float) -> Interval:
        """The two-sided t interval; of no width where nothing varies, or nothing can be known (`freedom` 0)."""
        reach = t_quantile((1 + confidence) / 2, self.freedom) * self.error if self.error > 0 else 0.0
        return Interval(self.estimate - reach, self.estimate + reach, confidence)

    def p_above(self, bound: float = 0.0) -> float:
        """The p-value of "the true total is not above `bound`": small when it clearly is.

        Where nothing varies it is 0.0 or 1.0, as the estimate says; where nothing can be known, 1.0.
        """
        if self.freedom <= 0:
            return 1.0
        if self.error == 0:
            return 0.0 if self.estimate > bound + SAME else 1.0
        return t_above((self.estimate - bound) / self.error, self.freedom)

    def p_different(self) -> float:
        """The two-sided p-value of "the true total is zero"."""
        if abs(self.estimate) <= SAME:
            return 1.0
        return min(1.0, 2 * Spread(abs(self.estimate), self.error, self.freedom).p_above())


def spread_of(column: Floats, strata: Strata) -> Spread:
    """The total of a column with its standard error and degrees of freedom; shape (q,).

    One group: the standard deviation over √q, with q - 1 degrees of freedom. Several: the root of the sum of share² ×
    variance / size, with Satterthwaite's degrees of freedom. A group of one query shows no variance of its own and
    takes the pooled variance of the others, or, if every group has one query, that of all queries together.

    Source: Cochran, "Sampling Techniques", 3rd edition, 1977, sections 5.4 and 5.12.
    """
    estimate = float(strata.totals(column[:, np.newaxis]).sum())
    squares = strata.centred(column[:, np.newaxis])[:, 0] ** 2
    sizes = strata.sizes.astype(np.float64)
    variances, freedoms = _variances(column, squares, strata, sizes)
    parts = strata.shares**2 * variances / np.maximum(sizes, 1)
    error = float(np.sqrt(parts.sum()))
    if error <= SAME:
        return Spread(estimate, 0.0, float(freedoms.max(initial=0.0)))
    freedom = parts.sum() ** 2 / (parts**2 / np.maximum(freedoms, 1)).sum()
    return Spread(estimate, error, float(freedom))


def _variances(column: Floats, squares: Floats, strata: Strata, sizes: Floats) -> tuple[Floats, Floats]:
    """The variance of each group and its degrees of freedom; shapes (s,), (s,)."""
    inside = strata.codes >= 0
    sums = np.bincount(strata.codes[inside], weights=squares[inside], minlength=len(sizes))
    freedoms = sizes - 1
    variances = sums / np.maximum(freedoms, 1)
    single = sizes == 1
    if single.any():
        pooled, freedom = (sums.sum(), freedoms.sum()) if freedoms.sum() > 0 else _all_together(column[inside])
        variances[single] = pooled / max(freedom, 1)
        freedoms[single] = freedom
    return variances, freedoms


def _all_together(column: Floats) -> tuple[float, float]:
    return float(((column - column.mean()) ** 2).sum()), float(len(column) - 1)


@lru_cache(maxsize=1024)
def t_quantile(share: float, freedom: float) -> float:
    """The value below which `share` of Student's t lies."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def t_above(value: float, freedom: float) -> float:
    """The share of Student's t above `value`."""
    from scipy.special import stdtr

    return float(stdtr(freedom, -value))
