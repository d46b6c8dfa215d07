"""Loosening: the bounds of a check, and how much looser one must be so that the check stops changing its mind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor
from typing import Any

from pytest_relevance.suite import Check, Drop, DropCheck, OrderCheck, OverlapCheck, ResultsCheck, Threshold
from pytest_relevance.suite.regressions import EachQuery, EachSlice

RateOf = Callable[[Check], float]  # how often a check decides otherwise than it should, 0.0 to 1.0

_ENDLESS = 1e12  # for measures whose values have no end
_STEPS = 1_000  # a bound is told to so many parts of one, or of itself where it is larger


@dataclass(frozen=True)
class Bound:
    """One number of a check by which it asks more or less."""

    name: str  # as the suite has it
    now: float
    with_value: Callable[[float], Check]  # the check with this rule alone, at another value
    limit: float  # the loosest value that can be written
    relative: bool = False  # a share of the old value

    @property
    def looser(self) -> float:
        """1.0 where a higher value asks less, -1.0 where a lower one does."""
        return 1.0 if self.limit > self.now else -1.0


def bounds_of(check: Check) -> tuple[Bound, ...]:
    """Every bound of a check; none where it only claims that something is better."""
    if isinstance(check, Threshold | OverlapCheck | ResultsCheck):
        return tuple(_ends(check))
    if isinstance(check, DropCheck):
        return tuple(_drops(check))
    return tuple(_of_order(check)) if isinstance(check, OrderCheck) else ()


def steady_value(bound: Bound, rate_of: RateOf, most: float) -> float | None:
    """The tightest value at which a rule that flips now decides otherwise in at most `most` of trials.

    None where it flips at the loosest value too.
    """
    grain = max(1.0, abs(bound.now)) / _STEPS
    tight, loose, step = bound.now, bound.now, grain
    while rate_of(bound.with_value(loose)) > most:
        if loose == bound.limit:
            return None
        tight, loose, step = loose, _within(bound, bound.now + bound.looser * step), 2 * step
    while abs(loose - tight) > grain / 2:
        middle = (tight + loose) / 2
        if rate_of(bound.with_value(middle)) > most:
            tight = middle
        else:
            loose = middle
    rounded = ceil(loose / grain) if bound.looser > 0 else floor(loose / grain)
    return _within(bound, rounded * grain)


def _within(bound: Bound, value: float) -> float:
    return min(value, bound.limit) if bound.looser > 0 else max(value, bound.limit)


def _ends(check: Threshold | OverlapCheck | ResultsCheck) -> Iterator[Bound]:
    low, high = (0.0, 1.0) if isinstance(check, ResultsCheck) else (check.subject.lower, check.subject.upper)
    if check.at_least is not None:
        lowest = -_ENDLESS if low is None else low
        yield Bound("at_least", check.at_least, lambda value: replace(check, at_least=value, at_most=None), lowest)
    if check.at_most is not None:
        highest = _ENDLESS if high is None else high
        yield Bound("at_most", check.at_most, lambda value: replace(check, at_most=value, at_least=None), highest)


def _drops(check: DropCheck) -> Iterator[Bound]:
    plain = replace(check, max_drop=None, improves=False, each_query=None, each_slice=None)
    if check.max_drop is not None:
        yield _drop(check, "max_drop", check.max_drop, lambda drop: replace(plain, max_drop=drop))
    for word in ("each_query", "each_slice"):
        rule: EachQuery | EachSlice | None = getattr(check, word)
        if rule is not None:
            yield _drop(check, f"{word} max_drop", rule.max_drop, partial(_with_rule, plain, word, rule))


def _with_rule(plain: DropCheck, word: str, rule: EachQuery | EachSlice, drop: Drop) -> DropCheck:
    changes: dict[str, Any] = {word: replace(rule, max_drop=drop)}
    return replace(plain, **changes)


def _drop(check: DropCheck, name: str, now: Drop, with_drop: Callable[[Drop], Check]) -> Bound:
    low, high = check.measure.lower, check.measure.upper
    widest = _ENDLESS if low is None or high is None else high - low
    limit = 1.0 if now.relative else max(widest, now.value)
    return Bound(name, now.value, lambda value: with_drop(Drop(value, now.relative)), limit, now.relative)


def _of_order(check: OrderCheck) -> Iterator[Bound]:
    if check.tau_b is not None:
        yield Bound("tau_b", check.tau_b, lambda value: replace(check, tau_b=value), -1.0)
    if check.margin is not None:
        relative = check.margin.relative
        yield Bound(
            "margin", check.margin.value, lambda value: replace(check, margin=Drop(value, relative)), 0.0, relative
        )
