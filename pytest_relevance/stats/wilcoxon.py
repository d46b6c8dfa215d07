"""The Wilcoxon signed-rank test of paired differences."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.intervals import columns_of

MOST_EXACT = 50  # changed queries up to which the exact distribution is used, where no two changed by the same amount
_DIGITS = 12  # differences equal to twelve decimals are equal: they differ by rounding


def wilcoxon_p(differences: Floats) -> float:
    """The two-sided p-value of "a fall is as likely as a rise of the same size"; shape (q,).

    Zeros are dropped (Wilcoxon's rule) and equal sizes share the mean of their ranks, both after rounding to twelve
    decimals. Exact up to 50 changed queries without equal sizes; otherwise the normal approximation with the correction
    for ties and none for continuity. No changed query: 1.0. Every query counts once, whatever its weight.

    Source: Wilcoxon, Biometrics Bulletin 1(6), 1945; Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods",
    3rd edition, 2014, section 3.1.
    """
    rounded = np.round(columns_of(differences)[:, 0], _DIGITS)
    changed = rounded[rounded != 0]
    if not len(changed):
        return 1.0
    _, place, counts = np.unique(np.abs(changed), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    up = float(ranks[changed > 0].sum())
    smaller = min(up, float(ranks.sum()) - up)
    if len(changed) <= MOST_EXACT and counts.max() == 1:
        return _exact(len(changed), round(smaller))
    return _approximate(len(changed), smaller, float((counts**3 - counts).sum()))


def _exact(queries: int, smaller: int) -> float:
    """Twice the share of all sign vectors whose positive ranks sum to at most `smaller`."""
    ways = np.zeros(queries * (queries + 1) // 2 + 1)  # ways to reach each sum; whole numbers below 2^53, so exact
    ways[0] = 1.0
    for rank in range(1, queries + 1):
        ways[rank:] += ways[:-rank].copy()
    return min(1.0, float(2 * ways[: smaller + 1].sum() / 2.0**queries))


def _approximate(queries: int, smaller: float, ties: float) -> float:
    middle = queries * (queries + 1) / 4
    deviation = sqrt(queries * (queries + 1) * (2 * queries + 1) / 24 - ties / 48)
    return erfc((middle - smaller) / deviation / sqrt(2))
