"""Rules: whether what was measured is as a check asks. The sentences and tables that tell it are made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from pytest_relevance.measures import kendall_tau_b
from pytest_relevance.stats.intervals import SAME
from pytest_relevance.suite import OrderCheck, OverlapCheck, ResultsCheck, Threshold
from pytest_relevance.verdict.compared import decided_drop
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.record import Outcome

BySet = Sequence[Mapping[str, Measured]]  # for each judgment set: retriever → what was measured of it
MeasuredCheck: TypeAlias = Threshold | OrderCheck | OverlapCheck | ResultsCheck  # decided from that alone


def outcome_where(holds: bool, level: str) -> Outcome:
    """The outcome of a check that holds or does not, by its level."""
    if holds:
        return "pass"
    return "warn" if level == "warn" else "fail"


def measured_outcome(check: MeasuredCheck, by_set: BySet) -> Outcome:
    """What the rules of the check's kind say of what was measured."""
    if isinstance(check, OrderCheck):
        return order_outcome(check, by_set)
    measured = [one[check.of] for one in by_set]
    return threshold_outcome(check, measured) if isinstance(check, Threshold) else bounded_outcome(check, measured[0])


def margin(value: float, at_least: float | None, at_most: float | None) -> float:
    """How far inside its bounds a value is; below zero it is outside."""
    margins = [value - at_least] if at_least is not None else []
    margins += [at_most - value] if at_most is not None else []
    return min(margins)


def threshold_outcome(check: Threshold, measured: Sequence[Measured]) -> Outcome:
    """Whether the value is within its bounds under every judgment set."""
    return outcome_where(all(margin(one.value, check.at_least, check.at_most) >= 0 for one in measured), check.level)


def bounded_outcome(check: OverlapCheck | ResultsCheck, measured: Measured) -> Outcome:
    """Whether a likeness, or a share of queries, is within its bounds."""
    return outcome_where(margin(measured.value, check.at_least, check.at_most) >= 0, check.level)


def order_outcome(check: OrderCheck, by_set: BySet) -> Outcome:
    """Whether the order stands under every judgment set: every pair of neighbours, or the whole by its tau-b."""
    if check.tau_b is not None:
        return outcome_where(min(agreements(check, by_set)) >= check.tau_b, check.level)
    return outcome_where(not broken_pairs(check, by_set), check.level)


def broken_pairs(check: OrderCheck, by_set: BySet) -> list[tuple[Mapping[str, Measured], str, str]]:
    """The neighbours of which the first is not better by more than the margin, each with its judgment set's values."""
    return [
        (measured, better, worse)
        for measured in by_set
        for better, worse in pairwise(check.order)
        if not _is_better(check, measured[better], measured[worse])
    ]


def agreements(check: OrderCheck, by_set: BySet) -> list[float]:
    """Kendall's tau-b between the order stated and that of the means, under each judgment set; -1.0 to 1.0."""
    stated = tuple(range(len(check.order), 0, -1))
    sign = 1.0 if check.measure.higher_is_better else -1.0
    return [kendall_tau_b(stated, [sign * one[name].value for name in check.order]) for one in by_set]


def _is_better(check: OrderCheck, better: Measured, worse: Measured) -> bool:
    sign = 1.0 if check.measure.higher_is_better else -1.0
    least = check.margin.of(better.value) if check.margin else 0.0
    if sign * (better.value - worse.value) <= least + SAME:
        return False
    if check.confidence is None:
        return True
    # Going from the better one to the worse must be a drop beyond the margin, and shown to be one.
    return decided_drop(check, better, worse).outcome == "fail"
