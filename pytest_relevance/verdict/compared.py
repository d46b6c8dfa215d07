"""Compared: one measure then and now over the same queries, ready to be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.stats import Decision, Strata, correct_decisions, decide_drop, paired
from pytest_relevance.stats.intervals import CONFIDENCE
from pytest_relevance.suite import Drop, DropCheck, OrderCheck
from pytest_relevance.verdict.measured import Measured


@dataclass(frozen=True, eq=False)
class Compared:
    """What a regression check looks at, under one judgment set."""

    old: Measured
    new: Measured  # over the same queries as `old`
    against: str  # how messages call the other side
    decision: Decision | None = None  # of the mean; None where only queries or slices are asked for
    slices: Mapping[str, Decision] = field(default_factory=dict)  # scheme=slice → its decision
    changes: tuple[str, ...] = ()  # what is not as it was
    left_out: int = 0  # queries of now that are not compared
    made_from: Mapping[str, str] = field(default_factory=dict)  # what each side was made from: hashes, commit, time
    pairs: Mapping[str, tuple[Measured, Measured]] = field(default_factory=dict)  # scheme=slice → then, now


def with_decisions(check: DropCheck, compared: Compared) -> Compared:
    """The comparison with what the statistics decide of its mean, and of each slice of `pairs` that has queries."""
    mean, slices = decided(check, compared.old, compared.new), decided_slices(check, compared.pairs)
    return replace(compared, decision=mean, slices=slices)


def corrected(compared: Sequence[Compared], others: Sequence[Decision] = ()) -> list[Compared]:
    """The same, the decisions of their means corrected among themselves and `others`, more gates of the suite."""
    own = [one.decision for one in compared if one.decision]
    again = iter(correct_decisions([*own, *others]))
    return [replace(one, decision=next(again)) if one.decision else one for one in compared]


def decided_drop(check: OrderCheck, better: Measured, worse: Measured) -> Decision:
    """What the paired statistics say of the drop from a retriever to the next one of an order."""
    return _drop(
        better,
        worse,
        allowed=check.margin,
        confidence=check.confidence or CONFIDENCE,
        higher_is_better=check.measure.higher_is_better,
    )


def decided(check: DropCheck, old: Measured, new: Measured) -> Decision | None:
    """What the paired statistics say of the mean or weighted total; None where the check does not ask for it.

    For `improves` old and new change places: a drop on the way back, shown, is a rise.
    """
    if check.max_drop is None and not check.improves:
        return None
    return _drop(
        old,
        new,
        allowed=check.max_drop,
        confidence=check.confidence,
        higher_is_better=check.measure.higher_is_better,
        backwards=check.improves,
    )


def shown_drop(old: Measured, new: Measured, *, higher_is_better: bool = True) -> Decision:
    """The same with no drop allowed: what a report shows of any two."""
    return _drop(old, new, allowed=None, higher_is_better=higher_is_better)


def decided_slices(check: DropCheck, slices: Mapping[str, tuple[Measured, Measured]]) -> dict[str, Decision]:
    """The decision of each slice that has queries, corrected among the slices of this check."""
    if check.each_slice is None:
        return {}
    allowed, higher = check.each_slice.max_drop, check.measure.higher_is_better
    decisions = {
        name: _drop(old, new, allowed=allowed, confidence=check.confidence, higher_is_better=higher)
        for name, (old, new) in slices.items()
        if len(new.values)
    }
    return dict(zip(decisions, correct_decisions(list(decisions.values())), strict=True))


def _drop(
    old: Measured,
    new: Measured,
    *,
    allowed: Drop | None,
    higher_is_better: bool,
    confidence: float = CONFIDENCE,
    backwards: bool = False,
) -> Decision:
    """The decision of a drop from old to new, or from new to old; of a weighted total where they are one."""
    pairs = paired(old.values, new.values)
    return decide_drop(
        pairs.new if backwards else pairs.old,
        pairs.old if backwards else pairs.new,
        max_drop=allowed.value if allowed else 0.0,
        relative=allowed is not None and allowed.relative,
        confidence=confidence,
        strata=_strata(new, pairs.query_ids),
        higher_is_better=higher_is_better,
    )


def _strata(measured: Measured, query_ids: tuple[str, ...]) -> Strata | None:
    if not measured.weights:
        return None
    slices = {name: values.query_ids for name, values in measured.strata.items()}
    return Strata.of_slices(slices, measured.weights, query_ids)
