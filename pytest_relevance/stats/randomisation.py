"""The paired randomisation test: if nothing changed, each difference could as well have had the other sign."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.intervals import SEED, columns_of, snapped
from pytest_relevance.stats.resampling import flipped_totals
from pytest_relevance.stats.strata import Strata, strata_for

FLIPS = 10_000  # random sign vectors: the smallest p-value they can show is about 0.0001
MOST_ENUMERATED = 14  # changed queries whose 2^14 = 16,384 sign vectors are all counted rather than drawn


@dataclass(frozen=True, slots=True)
class Flipped:
    """How often random signs give a total as large as the one seen: p-values, 0 < p ≤ 1."""

    two_sided: float
    above: float  # of "the true total is not above zero"


def randomisation_test(
    differences: Floats, *, strata: Strata | None = None, flips: int = FLIPS, seed: int = SEED
) -> tuple[Flipped, ...]:
    """The p-values of the total of each column of paired differences; shape (q, m) or (q,) → m results.

    The test assumes nothing of how values are distributed: if old and new are two runs of one thing, swapping them for
    any query changes nothing but the sign. Its false-alarm rate is therefore at most the level, for any number of
    queries. Differences up to 1e-12 are zero; zeros take part and change nothing.

    With up to 14 queries that changed, all sign vectors are counted (exact); with more, `flips` random ones are drawn,
    the same for all columns, and p is (1 + those as large) / (1 + flips), never zero; a total that none of them would
    reach has the smallest p without a draw. No change at all: p = 1.

    Source: Smucker, Allan, Carterette, "A comparison of statistical significance tests for IR evaluation", CIKM 2007;
    Phipson, Smyth, "Permutation p-values should never be zero", SAGMB 9(1), 2010.
    """
    columns = snapped(columns_of(differences))
    effects = columns * strata_for(len(columns), strata).weights[:, np.newaxis]
    changed = (effects != 0).sum(axis=0)
    results = {place: _enumerated(effects[:, place]) for place in np.flatnonzero(changed <= MOST_ENUMERATED).tolist()}
    drawn = np.flatnonzero(changed > MOST_ENUMERATED)
    if len(drawn):
        results.update(zip(drawn.tolist(), _drawn(effects[:, drawn], flips, seed), strict=True))
    return tuple(results[place] for place in range(columns.shape[1]))


def _enumerated(effects: Floats) -> Flipped:
    totals = np.zeros(1)
    for effect in effects[effects != 0].tolist():
        totals = np.concatenate((totals + effect, totals - effect))
    observed, slack = float(effects.sum()), _slack(effects)
    two_sided = float((np.abs(totals) >= abs(observed) - slack).mean())
    return Flipped(two_sided, float((totals >= observed - slack).mean()))


def _drawn(effects: Floats, flips: int, seed: int) -> list[Flipped]:
    observed, slack = effects.sum(axis=0), _slack(effects)
    # How many flips give as much, where none reaches what is seen: none, or all where that is far below zero.
    as_far, as_high = np.zeros(len(observed)), np.where(observed > 0, 0, flips)
    near = np.flatnonzero(observed**2 <= _out_of_reach(flips) * (effects**2).sum(axis=0))
    if len(near):
        totals, seen, less = flipped_totals(effects[:, near], resamples=flips, seed=seed), observed[near], slack[near]
        as_far[near] = (np.abs(totals) >= np.abs(seen) - less).sum(axis=0)
        as_high[near] = (totals >= seen - less).sum(axis=0)
    counts = zip(as_far.tolist(), as_high.tolist(), strict=True)
    return [Flipped((1 + far) / (1 + flips), (1 + high) / (1 + flips)) for far, high in counts]


def _out_of_reach(flips: int) -> float:
    """How large a total squared, over the sum of squared effects, is beyond what any of so many flips would reach.

    A sum with random signs is beyond a bound with a chance of at most 2 exp(-bound² / 2 Σ effect²); from here on the
    chance that one of the flips is, is below one in a million, and they need not be drawn.

    Source: Hoeffding, "Probability inequalities for sums of bounded random variables", JASA 58(301), 1963, theorem 2.
    """
    return 2 * log(2 * flips / 1e-6)


def _slack(effects: Floats) -> Floats:
    """What rounding may take from a sum with other signs that is in truth as large as the one seen."""
    return np.asarray(1e-12 * np.abs(effects).sum(axis=0))
