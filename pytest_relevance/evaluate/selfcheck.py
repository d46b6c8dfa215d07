"""Self-check: a suite against itself. How often would each gate change its mind though nothing changed?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.evaluate.comparing import NotComparableError
from pytest_relevance.evaluate.flow import SuiteFlow
from pytest_relevance.evaluate.measuring import Asked
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.tasks import CheckTask
from pytest_relevance.measures import overlap
from pytest_relevance.records import Run, Values
from pytest_relevance.records.columns import Floats
from pytest_relevance.retrievers import BUILTIN, RetrieverKind
from pytest_relevance.stats import Decision, decide_drop, paired
from pytest_relevance.suite import DropCheck, Threshold, read_suite

LIKENESS = "RBO(p=0.9)"
TOO_OFTEN = 0.05  # a gate that flips more often is called out
TRIALS = 400  # resamples where reruns are all alike
_SEED = 20_100

How = Literal["reruns", "resampled queries", "nothing to compare"]


@dataclass(frozen=True)
class Steadiness:
    """How steady one gate is."""

    retriever: str
    title: str
    bound: str  # at_least, at_most or max_drop
    now: float
    how: How
    trials: int = 0
    flips: int = 0  # trials in which it decided otherwise than it should where nothing changed
    steady: float | None = None  # the bound that would flip in at most 5 % of trials

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
    trials: int = TRIALS,
) -> SelfCheck:
    """Retrieve `reruns` times and see which gates change their minds; where all reruns agree, resample the queries.

    A threshold flips when it decides otherwise than on the first run. A gate against something flips when it fails
    though nothing changed: a rerun against the first one or, where reruns are alike, resampled queries whose
    differences are moved to a mean of zero.

    Raises:
        UsageError: `reruns` is below 2. RelevanceError: the suite cannot be read or retrieved.
    """
    if reruns < 2:
        raise UsageError(f"{reruns} reruns show nothing", fix="use at least 2")
    flows = [_flow(path, settings or Settings(), kinds) for _ in range(reruns)]
    gates = [_steadiness(flows, check, trials) for check in flows[0].suite.checks if _is_gate(check)]
    names = dict.fromkeys(check.of for check in flows[0].suite.checks)
    likeness = {name: _likeness([flow.retrieval.run_of(name) for flow in flows]) for name in names}
    return SelfCheck(reruns, likeness, tuple(gates))


def _flow(path: str | Path, settings: Settings, kinds: Mapping[str, RetrieverKind]) -> SuiteFlow:
    flow = SuiteFlow(read_suite(Path(path)), settings, kinds=kinds)
    for check in flow.suite.checks:
        flow.expect(CheckTask(check.of, check))
    flow.prepare()
    return flow


def _is_gate(check: object) -> bool:
    return isinstance(check, Threshold) or (isinstance(check, DropCheck) and check.max_drop is not None)


def _likeness(runs: Sequence[Run]) -> float:
    return float(np.mean([overlap(runs[0], run, LIKENESS).mean for run in runs[1:]]))


def _steadiness(flows: Sequence[SuiteFlow], check: object, trials: int) -> Steadiness:
    assert isinstance(check, Threshold | DropCheck)
    (qrels, *_) = flows[0].measuring.sets(check.qrels)
    asked = Asked(check.measure, check.of, check.slice, check.total)
    values = [flow.measuring.measured(asked, qrels).values for flow in flows]
    alike = all(np.array_equal(one.column, values[0].column) for one in values[1:])
    if isinstance(check, Threshold):
        totals = np.array([flow.measuring.measured(asked, qrels).value for flow in flows])
        return _of_threshold(check, totals, None if not alike else _resampled_means(values[0].column, trials))
    if not alike:
        decisions = [_dropped(check, values[0], one) for one in values[1:]]
        return _of_drop(check, decisions, "reruns")
    return _resampled_drop(flows[0], check, trials)


def _of_threshold(check: Threshold, totals: Floats, resampled: Floats | None) -> Steadiness:
    low, high = check.at_least, check.at_most
    bound, now = ("at_least", low) if low is not None else ("at_most", high or 0.0)
    held = _within(totals[:1], low, high)[0]
    trials = totals[1:] if resampled is None else resampled
    flips = int((_within(trials, low, high) != held).sum())
    steady = float(np.quantile(trials, TOO_OFTEN if low is not None else 1 - TOO_OFTEN))
    how: How = "reruns" if resampled is None else "resampled queries"
    return Steadiness(check.of, check.title, bound, now, how, len(trials), flips, steady)


def _within(values: Floats, low: float | None, high: float | None) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return (values >= (-np.inf if low is None else low)) & (values <= (np.inf if high is None else high))


def _resampled_means(column: Floats, trials: int) -> Floats:
    random = np.random.default_rng(_SEED)
    return np.array([column[random.integers(0, len(column), len(column))].mean() for _ in range(trials)])


def _dropped(check: DropCheck, old: Values, new: Values) -> Decision:
    pairs = paired(old, new)
    return _decided(check, pairs.old, pairs.new)


def _decided(check: DropCheck, old: Floats, new: Floats) -> Decision:
    assert check.max_drop is not None
    return decide_drop(
        old,
        new,
        max_drop=check.max_drop.value,
        relative=check.max_drop.relative,
        confidence=check.confidence,
        higher_is_better=check.measure.higher_is_better,
    )


def _of_drop(check: DropCheck, decisions: Sequence[Decision], how: How) -> Steadiness:
    assert check.max_drop is not None
    relative = check.max_drop.relative
    lows = [one.interval.low / (one.old_mean or 1.0) if relative else one.interval.low for one in decisions]
    steady = max(0.0, float(np.quantile(lows, 1 - TOO_OFTEN)))
    flips = sum(one.outcome == "fail" for one in decisions)
    return Steadiness(check.of, check.title, "max_drop", check.max_drop.value, how, len(decisions), flips, steady)


def _resampled_drop(flow: SuiteFlow, check: DropCheck, trials: int) -> Steadiness:
    assert check.max_drop is not None
    try:
        compared = flow.checking.comparing.compared(check)[0]
    except NotComparableError:
        return Steadiness(check.of, check.title, "max_drop", check.max_drop.value, "nothing to compare")
    pairs = paired(compared.old.values, compared.new.values)
    if not len(pairs.old):
        return Steadiness(check.of, check.title, "max_drop", check.max_drop.value, "nothing to compare")
    new = pairs.new - (pairs.new - pairs.old).mean()  # the same noise, and no effect
    random = np.random.default_rng(_SEED)
    draws = [random.integers(0, len(new), len(new)) for _ in range(trials)]
    return _of_drop(check, [_decided(check, pairs.old[rows], new[rows]) for rows in draws], "resampled queries")
