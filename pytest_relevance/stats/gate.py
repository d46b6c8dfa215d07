"""The gate: is a drop beyond what is allowed, within it, or not to be told from noise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.records.columns import Floats
from pytest_relevance.stats.corrections import CORRECTIONS, Correction
from pytest_relevance.stats.intervals import CONFIDENCE, SAME, SEED, Interval, check_share, snapped
from pytest_relevance.stats.pairs import Counts, aligned_columns, counted
from pytest_relevance.stats.planning import POWER, detectable
from pytest_relevance.stats.randomisation import FLIPS, randomisation_test
from pytest_relevance.stats.strata import Strata, strata_for
from pytest_relevance.stats.student import Spread, spread_of

Outcome: TypeAlias = Literal["pass", "fail", "inconclusive"]
Reason: TypeAlias = Literal[
    "no queries",  # inconclusive: nothing was compared
    "nothing changed",  # pass: no query's value differs by more than 1e-12
    "within",  # pass: the whole interval is at or below the allowed drop
    "beyond",  # fail: the whole interval is above it, and so many queries changed that chance is no explanation
    "straddles",  # inconclusive: the allowed drop lies inside the interval
    "one query",  # inconclusive: one query that changed shows no noise to compare with
    "too few changed",  # inconclusive: the interval is beyond, but random signs explain it more often than allowed
    "corrected",  # inconclusive: beyond on its own, but not among so many gates
]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate decides, and all that it decides from. All numbers are in units of the measure; none is NaN."""

    outcome: Outcome
    reason: Reason
    queries: int  # that count
    old_mean: float
    new_mean: float
    drop: float  # how much worse the new mean is; negative if it is better
    allowed: float  # the drop that is allowed
    interval: Interval  # of the drop
    counts: Counts  # queries better, same, worse
    p_value: float | None  # two-sided, of "the true drop is not above the allowed one"; None: nothing was compared
    # The smallest true drop, spread over the queries, that this gate fails with the stated power; None: not known,
    # because nothing varied or there are too few queries (fewer than six at 0.95).
    detectable: float | None
    corrected_p: float | None = None  # `p_value` among all gates, once `correct_decisions` has seen them


def decide_drop(
    old: Floats,
    new: Floats,
    *,
    max_drop: float,
    relative: bool = False,
    confidence: float = CONFIDENCE,
    strata: Strata | None = None,
    higher_is_better: bool = True,
    power: float = POWER,
    seed: int = SEED,
) -> Decision:
    """Decide from a minimum effect and a paired interval together; shapes (q,), (q,), same queries in the same order.

    *fail* when the whole interval of the drop is beyond the allowed drop, *pass* when it is within, *inconclusive* when
    it straddles. The interval is Student's t of the paired differences. A fail must also stand against random signs: if
    swapping old and new at random, query by query, gives such a drop in more than 1 - `confidence` of cases, the gate
    is inconclusive. That needs five changed queries at 0.95. With no true change it therefore fails in at most
    1 - `confidence` of cases, whatever the values look like, and in half as many with ordinary ones; its figures are in
    docs/statistics.md.

    `relative`: the allowed drop is `max_drop` (0.02 is 2 %) of the true old mean, which is as uncertain as the new one;
    the interval's width includes that. Strata make it a gate on weighted totals. To ask if a change is *better* by some
    amount, exchange old and new: a fail of the way back shows it.

    Raises:
        UsageError: `max_drop` is negative (or above 1, if relative), `confidence` or `power` not between 0 and 1,
            lengths differ, or a value is NaN.
    """
    _check(max_drop, relative, confidence, power)
    first, second = aligned_columns(old, new)
    groups = strata_for(len(first), strata)
    sign = 1.0 if higher_is_better else -1.0
    drops = snapped(sign * (first - second)[:, 0])
    old_mean, new_mean = groups.totals(np.column_stack([first, second])).tolist()
    allowed = max_drop * old_mean if relative else max_drop
    counting = drops[groups.codes >= 0]
    common = _Common(len(counting), old_mean, new_mean, sign * (old_mean - new_mean), allowed, counted(-counting))
    if not counting.any():
        return common.decided_alike(confidence)
    excess = spread_of(drops - max_drop * (first[:, 0] if relative else 1.0), groups)
    interval = excess.interval(confidence)
    # Elsewhere random signs could only raise a p-value that is above the level already.
    flipped = randomisation_test(drops, strata=groups, flips=FLIPS, seed=seed)[0].above if interval.low > SAME else 0.0
    return common.decided(excess, interval, flipped, power)


def correct_decisions(decisions: Sequence[Decision], correction: Correction = "holm") -> tuple[Decision, ...]:
    """The gates of one suite together: a fail whose corrected p-value is above its level becomes inconclusive.

    Gates that compared nothing are not counted. A pass stays a pass: the correction guards against false alarms only.
    """
    corrected = CORRECTIONS[correction]([decision.p_value for decision in decisions])
    return tuple(_corrected(decision, p_value) for decision, p_value in zip(decisions, corrected, strict=True))


@dataclass(frozen=True, slots=True)
class _Common:
    """What a decision holds however it falls."""

    queries: int
    old_mean: float
    new_mean: float
    drop: float
    allowed: float
    counts: Counts

    def decided_alike(self, confidence: float) -> Decision:
        """Nothing changed, or there is nothing."""
        point = Interval(0.0, 0.0, confidence)
        if not self.queries:
            return self._decision("inconclusive", "no queries", point, None, None)
        return self._decision("pass", "nothing changed", point, 1.0, None)

    def decided(self, excess: Spread, beyond: Interval, flipped: float, power: float) -> Decision:
        """From what the drop exceeds the allowed one by, its interval, and the p-value under random signs."""
        interval = Interval(self.allowed + beyond.low, self.allowed + beyond.high, beyond.confidence)
        p_value = max(min(1.0, 2 * excess.p_above()), flipped)
        outcome, reason = _outcome(beyond, excess.freedom, flipped)
        return self._decision(outcome, reason, interval, p_value, self._detectable(excess, beyond.confidence, power))

    def _detectable(self, excess: Spread, confidence: float, power: float) -> float | None:
        level = 1 - confidence
        # Where one sign vector alone may fail, every query must fall, and that costs a good part of the power.
        if excess.error == 0 or excess.freedom <= 0 or 2 * 0.5**self.queries > level:
            return None
        return self.allowed + detectable(excess.error, excess.freedom, level=level / 2, power=power)

    def _decision(
        self,
        outcome: Outcome,
        reason: Reason,
        interval: Interval,
        p_value: float | None,
        smallest: float | None,
    ) -> Decision:
        return Decision(
            outcome,
            reason,
            self.queries,
            self.old_mean,
            self.new_mean,
            self.drop,
            self.allowed,
            interval,
            self.counts,
            p_value,
            smallest,
        )


def _outcome(beyond: Interval, freedom: float, flipped: float) -> tuple[Outcome, Reason]:
    if freedom <= 0:
        return "inconclusive", "one query"
    if beyond.low > SAME:
        chance = flipped > 1 - beyond.confidence
        return ("inconclusive", "too few changed") if chance else ("fail", "beyond")
    return ("pass", "within") if beyond.high <= SAME else ("inconclusive", "straddles")


def _corrected(decision: Decision, p_value: float | None) -> Decision:
    if decision.outcome == "fail" and p_value is not None and p_value > 1 - decision.interval.confidence:
        return replace(decision, outcome="inconclusive", reason="corrected", corrected_p=p_value)
    return replace(decision, corrected_p=p_value)


def _check(max_drop: float, relative: bool, confidence: float, power: float) -> None:
    check_share("confidence", confidence)
    check_share("power", power)
    if not (max_drop >= 0 and np.isfinite(max_drop)):
        raise UsageError(f"max_drop {max_drop!r} is not zero or more", fix="for example max_drop=0.01")
    if relative and max_drop > 1:
        raise UsageError(f"a relative max_drop of {max_drop!r} is more than everything", fix="0.02 is 2 %")
