"""Self-check: a suite against itself. How often would each gate change its mind though nothing changed?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.evaluate.flow import SuiteFlow
from pytest_relevance.evaluate.loosening import bounds_of, steady_value
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.tasks import AssertionTask, CheckTask, retrievers_of
from pytest_relevance.evaluate.worlds import Gate, How, Worlds
from pytest_relevance.measures import RankingFunction, overlap
from pytest_relevance.records import Run
from pytest_relevance.retrievers import BUILTIN, RetrieverKind
from pytest_relevance.suite import BiasCheck, Check, read_suite
from pytest_relevance.verdict import Outcome

LIKENESS = "RBO(p=0.9)"
TOO_OFTEN = 0.05  # a gate that flips more often is called out
TRIALS = 400  # resamples where reruns are all alike


@dataclass(frozen=True)
class SteadyBound:
    """A bound by which a gate flips too often, and one that would not."""

    name: str  # as the suite has it
    now: float
    steady: float | None  # the tightest that flips in at most 5 % of trials, all bounds of the gate together
    relative: bool = False  # a share of the old value


@dataclass(frozen=True)
class Steadiness:
    """How steady one gate is."""

    retriever: str
    title: str
    how: How
    trials: int = 0
    flips: int = 0  # trials in which it decided otherwise than it should where nothing changed
    bounds: tuple[SteadyBound, ...] = ()  # those to blame, where it flips too often
    reason: str = ""  # why there is nothing to compare
    kind: Literal["check", "assertion"] = "check"

    @property
    def rate(self) -> float:
        """Share of trials that flipped, 0.0 to 1.0."""
        return self.flips / self.trials if self.trials else 0.0

    @property
    def too_often(self) -> bool:
        """Whether it cries wolf."""
        return self.rate > TOO_OFTEN


@dataclass(frozen=True)
class SelfCheck:
    """What came of it."""

    reruns: int
    likeness: Mapping[str, float]  # retriever → mean RBO of each rerun with the first; 1.0 is deterministic
    gates: tuple[Steadiness, ...]


def self_check(
    path: str | Path,
    *,
    reruns: int = 5,
    settings: Settings | None = None,
    kinds: Mapping[str, RetrieverKind] = BUILTIN,
    measures: Mapping[str, RankingFunction] | None = None,
    trials: int = TRIALS,
) -> SelfCheck:
    """Retrieve `reruns` times and see which gates change their minds; where all reruns agree, resample the queries.

    Every check is asked, by the rules and with the corrections of a session. One that looks for change (against a
    baseline or a run file) flips where it decides otherwise than of two identical runs; it sees one rerun against
    another or, where reruns are alike, drawn queries whose values of then and now are exchanged at random. Any other
    flips where it decides otherwise than on the first run. Assertions and checks of bias are decided in each rerun.

    Raises:
        UsageError: `reruns` is below 2. RelevanceError: the suite cannot be read or retrieved.
    """
    if reruns < 2:
        raise UsageError(f"{reruns} reruns show nothing", fix="use at least 2")
    asked = replace(settings or Settings(), update_baselines=False)
    flows = [_flow(path, asked, kinds, measures or {}) for _ in range(reruns)]
    tasks = [task for task in flows[0].tasks() if isinstance(task, CheckTask | AssertionTask)]
    worlds = Worlds(flows, trials)
    # Every gate is there before the first is asked: those against something are corrected together.
    gates = {
        place: worlds.gate(task.check)
        for place, task in enumerate(tasks)
        if isinstance(task, CheckTask) and not isinstance(task.check, BiasCheck)
    }
    found = [_of_gate(gates[place]) if place in gates else _as_decided(task, flows) for place, task in enumerate(tasks)]
    names = dict.fromkeys(name for task in tasks for name in retrievers_of(task))
    likeness = {name: _likeness([flow.retrieval.run_of(name) for flow in flows]) for name in names}
    return SelfCheck(reruns, likeness, tuple(found))


def _flow(
    path: str | Path,
    settings: Settings,
    kinds: Mapping[str, RetrieverKind],
    measures: Mapping[str, RankingFunction],
) -> SuiteFlow:
    flow = SuiteFlow(read_suite(Path(path), known_measures=measures), settings, kinds=kinds, measures=measures)
    for task in flow.tasks():
        if isinstance(task, CheckTask | AssertionTask):
            flow.expect(task)
    flow.prepare()
    return flow


def _likeness(runs: Sequence[Run]) -> float:
    return float(np.mean([overlap(runs[0], run, LIKENESS).mean for run in runs[1:]]))


def _of_gate(gate: Gate) -> Steadiness:
    check = gate.check
    found = Steadiness(check.of, check.title, gate.how, gate.trials, _flips(gate, check), reason=gate.reason)
    if not found.too_often:
        return found
    bounds = bounds_of(check)
    share = TOO_OFTEN / max(1, len(bounds))  # so that all of them together flip no more often

    def rate(asked: Check) -> float:
        return _flips(gate, asked) / gate.trials

    to_blame = [one for one in bounds if rate(one.with_value(one.now)) > share]
    steady = [SteadyBound(one.name, one.now, steady_value(one, rate, share), one.relative) for one in to_blame]
    return replace(found, bounds=tuple(steady))


def _as_decided(task: CheckTask | AssertionTask, flows: Sequence[SuiteFlow]) -> Steadiness:
    """Of what has no bound to try: decided in each rerun as a session decides it."""
    first, *others = (_is_told(flow.decide(task).outcome) for flow in flows)
    flips = sum(one != first for one in others)
    if isinstance(task, CheckTask):
        return Steadiness(task.retriever, task.title, "reruns", len(others), flips)
    title = f"{task.assertion.about}: {task.title}"
    return Steadiness(task.retriever, title, "reruns", len(others), flips, kind="assertion")


def _flips(gate: Gate, check: Check) -> int:
    should = _is_told(gate.should(check))
    return sum(_is_told(gate.says(number, check)) != should for number in range(gate.trials))


def _is_told(outcome: Outcome) -> bool:
    """Whether somebody is told that something is wrong: what does not fail the session but comes and goes flips too."""
    return outcome in {"fail", "warn", "not comparable", "error"}
