"""Checking: each check of a suite, from what it needs to its verdict."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial

from pytest_relevance.errors import RelevanceError, SuiteError, UsageError
from pytest_relevance.evaluate.comparing import Comparing, NotComparableError
from pytest_relevance.evaluate.measuring import Asked, Measuring
from pytest_relevance.evaluate.origins import baseline_of_now
from pytest_relevance.evaluate.retrieval import Retrieval, Settings
from pytest_relevance.evaluate.sides import sides_of
from pytest_relevance.preflight.bias import audit_bias, pairs_of
from pytest_relevance.preflight.bias_check import decide_bias
from pytest_relevance.preflight.features import feature_of
from pytest_relevance.preflight.material import Material
from pytest_relevance.suite import (
    BiasCheck,
    Check,
    DropCheck,
    OrderCheck,
    OverlapCheck,
    ResultsCheck,
    Suite,
    SuiteData,
    Threshold,
)
from pytest_relevance.verdict import Verdict, decide_order, decide_overlap, decide_results, decide_threshold
from pytest_relevance.verdict.compared import Compared
from pytest_relevance.verdict.incomparable import not_comparable
from pytest_relevance.verdict.record import SidesOf
from pytest_relevance.verdict.regression import beside_baseline, decide_regression
from pytest_relevance.verdict.rules import BySet


class Checking:
    """Decides the checks of one suite."""

    def __init__(
        self, suite: Suite, data: SuiteData, settings: Settings, retrieval: Retrieval, measuring: Measuring
    ) -> None:
        self._suite = suite
        self._data = data
        self._settings = settings
        self._retrieval = retrieval
        self._measuring = measuring
        self._written: dict[str, Verdict] = {}  # retriever → what came of storing its baseline

    @cached_property
    def comparing(self) -> Comparing:
        """What compares; made when first needed, for most suites compare nothing."""
        return Comparing(self._suite, self._data, self._settings, self._retrieval, self._measuring)

    def expect(self, check: Check) -> None:
        """Say that a check will be decided."""
        if isinstance(check, DropCheck) and not self._settings.update_baselines:
            self.comparing.expect(check)

    def decide(self, check: Check) -> Verdict:
        """The verdict of a check that was expected.

        Raises:
            RelevanceError: set-up is at fault.
        """
        name = self._suite.name
        if isinstance(check, DropCheck | OverlapCheck):
            return self._against(check)
        if isinstance(check, Threshold):
            verdict = decide_threshold(name, check, [one[check.of] for one in self.measured(check)])
            return verdict if verdict.outcome == "pass" else self._beside_baseline(check, verdict)
        if isinstance(check, OrderCheck):
            return decide_order(name, check, self.measured(check))
        if isinstance(check, BiasCheck):
            return self._bias(check)
        assert isinstance(check, ResultsCheck)
        return decide_results(name, check, self._measuring.few_results(check))

    def measured(self, check: Threshold | OrderCheck) -> BySet:
        """What a check of one measure is decided from: for each judgment set, each retriever's values."""
        measure, part, total = check.measure, check.slice, check.total
        return [
            {one: self._measuring.measured(Asked(measure, one, part, total), qrels) for one in check.retrievers}
            for qrels in self._measuring.sets(check.qrels)
        ]

    def _bias(self, check: BiasCheck) -> Verdict:
        """Whether judged and unjudged pairs of a retriever are alike in a feature; scores are those of the suite."""
        (qrels,) = self._measuring.sets(check.qrels)
        run, judged = self._retrieval.run_of(check.of), self._measuring.qrels(qrels)
        if check.slice:
            judged = judged.restricted_to(self._data.members[check.slice])
        runs = {name: self._retrieval.run_of(name) for name in check.retrievers}
        material = Material(self._data.queries, corpus=self._data.corpus, runs=runs)
        try:
            feature = feature_of(check.bias, material, folder=self._suite.path.parent)
        except UsageError as error:
            raise SuiteError(error.problem, place=check.place, fix=error.fix) from None
        pairs, retrieved = pairs_of(run, judged, top=check.top)
        known = set(pairs)
        if all(pair in known for pair in retrieved):
            return decide_bias(self._suite.name, check, qrels, None)
        return decide_bias(self._suite.name, check, qrels, audit_bias(feature, pairs, retrieved))

    def _against(self, check: DropCheck | OverlapCheck) -> Verdict:
        if self._settings.update_baselines and check.needs_baseline:
            return replace(self._stored(check.of), title=check.title, place=str(check.place))
        renew = self.comparing.renew(check.of)
        try:
            if isinstance(check, OverlapCheck):
                measured, other, changes = self.comparing.alike(check)
                sides = self._sides(other.name, check.of, self._suite.default_qrels, other.label, check.overlap.cutoff)
                return decide_overlap(self._suite.name, check, measured, other.label, sides, changes)
            compared = self.comparing.compared(check)
        except NotComparableError as problem:
            return not_comparable(self._suite.name, check, problem.changes, renew)
        of_each = [self._compared_sides(check, one) for one in compared]
        return decide_regression(self._suite.name, check, compared, of_each, renew)

    def _beside_baseline(self, check: Threshold, verdict: Verdict) -> Verdict:
        """The verdict of a threshold that does not hold, with the stored baseline beside it where there is one."""
        try:
            compared = self.comparing.beside(check, verdict.qrels)
        except (RelevanceError, NotComparableError):
            return verdict  # the threshold was decided without it
        if compared is None:
            return verdict
        return beside_baseline(check, verdict, compared, self._compared_sides(check, compared))

    def _compared_sides(self, check: DropCheck | Threshold, one: Compared) -> SidesOf:
        return self._sides(one.old.retriever, one.new.retriever, one.new.qrels, one.against, check.measure.cutoff)

    def _sides(self, old: str, new: str, qrels: str | None, against: str, cutoff: int | None) -> SidesOf:
        return partial(sides_of, self._measuring, old, new, qrels, against=against, cutoff=cutoff)

    def _stored(self, retriever: str) -> Verdict:
        """Store the baseline of a retriever, once for all checks against it, and tell how the old one compares."""
        if retriever not in self._written:
            self._written[retriever] = self._store(retriever)
        return self._written[retriever]

    def _store(self, retriever: str) -> Verdict:
        folder = self.comparing.folder
        baseline = baseline_of_now(self._suite, self._data, self._retrieval, self._measuring, retriever)
        try:
            before = folder.find(retriever)
        except RelevanceError:
            before = None
        written = folder.write(baseline, text_megabytes=self._settings.baseline_text_megabytes)
        moved = []
        for name, by_measure in baseline.values.items():
            for measure, values in by_measure.items():
                was = before.values.get(name, {}).get(measure) if before else None
                then = f", was {was.mean:.3f}" if was is not None and written == "renewed" else ""
                under = f" under {name}" if len(baseline.values) > 1 else ""
                moved.append(f"{measure}{under} {values.mean:.3f}{then}")
        told = {"new": "is stored", "renewed": "is renewed", "unchanged": "is as it was"}[written]
        sentence = f"the baseline of {retriever} {told}: {'; '.join(moved) or 'rankings only'}"
        return Verdict(
            suite=self._suite.name,
            retriever=retriever,
            title="",
            kind="baseline",
            outcome="pass",
            sentence=sentence,
            queries=len(baseline.queries),
            notices=(sentence,),
        )
