"""Worlds in which nothing changed, and what each gate of a suite says there: reruns, or queries drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, permutations
from typing import Literal, TypeAlias

from pytest_relevance.evaluate.comparing import NotComparableError
from pytest_relevance.evaluate.flow import SuiteFlow
from pytest_relevance.evaluate.measuring import Asked
from pytest_relevance.evaluate.trials import redrawn, resampled
from pytest_relevance.measures import overlap, parse_overlap
from pytest_relevance.stats import Decision
from pytest_relevance.suite import Check, DropCheck, OverlapCheck, ResultsCheck
from pytest_relevance.verdict import Outcome
from pytest_relevance.verdict.compared import Compared, corrected, with_decisions
from pytest_relevance.verdict.drops import regression_outcome
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.rules import BySet, MeasuredCheck, measured_outcome

How: TypeAlias = Literal["reruns", "resampled queries", "nothing to compare"]

_AS_IT_IS = -1  # the number of what is no trial


@dataclass(frozen=True)
class Gate:
    """What a gate says in each world: as it is, or as the same check with another bound."""

    check: Check
    how: How
    trials: int
    should: Callable[[Check], Outcome]  # what it has to say where nothing changed
    says: Callable[[int, Check], Outcome]  # what it says in a trial
    reason: str = ""  # why there is nothing to compare


@dataclass(frozen=True, eq=False)
class _Drop:
    """A gate against something, as it should be and in each trial; one is itself alone, whatever it is equal to."""

    check: DropCheck
    still: Sequence[Compared]
    drawn: Callable[[int], Sequence[Compared]]

    def decided(self, number: int, asked: DropCheck) -> list[Compared]:
        """What statistics say in a trial, before any correction."""
        worlds = self.still if number == _AS_IT_IS else self.drawn(number)
        return [with_decisions(asked, one) for one in worlds]


class Worlds:
    """The flows of some reruns of one suite, and what its gates say among them.

    Where reruns are alike as far as a check looks, queries are drawn anew instead, `trials` times.
    """

    def __init__(self, flows: Sequence[SuiteFlow], trials: int) -> None:
        self._flows = flows
        self._trials = trials
        self._drops: list[_Drop] = []  # corrected together, as a session corrects them
        self._decisions = cache(self._decided)
        self._differs = cache(self._differing)

    def gate(self, check: MeasuredCheck | DropCheck) -> Gate:
        """The gate of a check. Ask for all before any of them says something: drops are corrected together.

        Raises:
            RelevanceError: set-up is at fault.
        """
        alike = self._alike(check)
        if alike and check.needs_baseline and not self._flows[0].checking.comparing.folder.is_stored(check.of):
            return _nothing(check, f"no baseline of {check.of} is stored")
        try:
            return self._of_drop(check, alike) if isinstance(check, DropCheck) else self._of_measured(check, alike)
        except NotComparableError as problem:
            return _nothing(check, str(problem))

    def _of_measured(self, check: MeasuredCheck, alike: bool) -> Gate:
        if alike:
            still = _measured(self._flows[0], check)
            draw, trials = resampled(still), self._trials
        else:
            still, *worlds = self._measured_reruns(check)
            draw, trials = worlds.__getitem__, len(worlds)

        def outcome(asked: Check, by_set: BySet) -> Outcome:
            assert isinstance(asked, MeasuredCheck)  # as `check` is, of which it is the same with another bound
            return measured_outcome(asked, by_set)

        return Gate(
            check,
            _how(alike),
            trials,
            lambda asked: outcome(asked, still),
            lambda number, asked: outcome(asked, draw(number)),
        )

    def _measured_reruns(self, check: MeasuredCheck) -> list[BySet]:
        """What the check is decided from: first as it should be, then trial by trial."""
        if isinstance(check, OverlapCheck) and _looks_for_change(check):
            pairs = [(self._flows[0], self._flows[0]), *combinations(self._flows, 2)]
            return [_likeness(check, then, now) for then, now in pairs]
        return [_measured(flow, check) for flow in self._flows]

    def _of_drop(self, check: DropCheck, alike: bool) -> Gate:
        change = _looks_for_change(check)
        if alike:
            still = self._flows[0].checking.comparing.compared(check)
            drawn, trials = redrawn(still, exchanged=change), self._trials
        else:
            still, *worlds = self._drop_reruns(check)
            drawn, trials = worlds.__getitem__, len(worlds)
        drop = _Drop(check, [_with_itself(one) for one in still] if change else still, drawn)
        self._drops.append(drop)
        return Gate(
            check,
            _how(alike),
            trials,
            lambda asked: self._drop_outcome(drop, _AS_IT_IS, asked),
            lambda number, asked: self._drop_outcome(drop, number, asked),
        )

    def _drop_reruns(self, check: DropCheck) -> list[list[Compared]]:
        """As `_measured_reruns`."""
        if _looks_for_change(check):
            pairs = [(self._flows[0], self._flows[0]), *permutations(self._flows, 2)]
            return [_between(check, then, now) for then, now in pairs]
        return [flow.checking.comparing.compared(check) for flow in self._flows]

    def _drop_outcome(self, drop: _Drop, number: int, asked: Check) -> Outcome:
        assert isinstance(asked, DropCheck)
        own = drop.decided(number, asked)
        if any(one.decision and one.decision.outcome == "fail" for one in own):
            # A correction changes nothing else, and the other gates need not be drawn for it.
            others = [one for other in self._drops if other is not drop for one in self._decisions(other, number)]
            own = corrected(own, others)
        return regression_outcome(asked, own)

    def _decided(self, drop: _Drop, number: int) -> list[Decision]:
        return [one.decision for one in drop.decided(number, drop.check) if one.decision]

    def _alike(self, check: MeasuredCheck | DropCheck) -> bool:
        """Whether the runs that a check reads are the same in each rerun, as far down as it looks."""
        depth = check.results[1] + 1 if isinstance(check, ResultsCheck) else check.subject.depth
        return not any(self._differs(name, depth) for name in check.retrievers)

    def _differing(self, retriever: str, depth: int | None) -> bool:
        changed = parse_overlap("Changed" if depth is None else f"Changed@{depth}")
        first, *others = (flow.retrieval.run_of(retriever) for flow in self._flows)
        return any(overlap(first, run, changed).column.any() for run in others)


def _how(alike: bool) -> How:
    return "resampled queries" if alike else "reruns"


def _looks_for_change(check: Check) -> bool:
    """Whether a check is against something of before, so that nothing changed means that there is no difference."""
    return isinstance(check, DropCheck | OverlapCheck) and check.against.kind != "retriever"


def _measured(flow: SuiteFlow, check: MeasuredCheck) -> BySet:
    if isinstance(check, OverlapCheck):
        return [{check.of: flow.checking.comparing.alike(check)[0]}]
    if isinstance(check, ResultsCheck):
        return [{check.of: flow.measuring.few_results(check)}]
    return flow.checking.measured(check)


def _likeness(check: OverlapCheck, then: SuiteFlow, now: SuiteFlow) -> BySet:
    name = f"another run of {check.of}"
    now.measuring.add_run(name, then.retrieval.run_of(check.of), check.of)
    return [{check.of: now.measuring.overlapping(check, name)}]


def _between(check: DropCheck, then: SuiteFlow, now: SuiteFlow) -> list[Compared]:
    def pair(part: str | None, total: str | None, qrels: str) -> tuple[Measured, Measured]:
        asked = Asked(check.measure, check.of, part, total)
        return then.measuring.measured(asked, qrels), now.measuring.measured(asked, qrels)

    slices = now.checking.comparing.slices_of(check)
    return [
        Compared(
            *pair(check.slice, check.total, qrels),
            "another run",
            pairs={name: pair(name, None, qrels) for name in slices},
        )
        for qrels in now.measuring.sets(check.qrels)
    ]


def _with_itself(one: Compared) -> Compared:
    return replace(one, new=one.old, pairs={name: (old, old) for name, (old, _) in one.pairs.items()})


def _nothing(check: Check, reason: str) -> Gate:
    return Gate(check, "nothing to compare", 0, lambda _: "pass", lambda _number, _check: "pass", reason)
