"""Telling: what a session says besides its verdicts: warnings of runs, edited bounds, baselines nobody asserts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from pytest_relevance.baseline import FOLDER, BaselineFolder, GitReference, written_names
from pytest_relevance.baseline.names import file_name
from pytest_relevance.errors import RelevanceError, as_shown
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.tasks import AssertionTask, CheckTask, Task
from pytest_relevance.measures import RankingFunction
from pytest_relevance.suite import Suite
from pytest_relevance.suite.edits import SuiteEdits
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of
from pytest_relevance.verdict import Verdict


class Telling:
    """Adds to the verdicts of one suite what else its readers should know."""

    def __init__(
        self,
        suite: Suite,
        settings: Settings,
        known_measures: Mapping[str, RankingFunction],
        warnings_of: Callable[[str], tuple[str, ...]],
    ) -> None:
        """`warnings_of` gives what the run of a retriever warns of."""
        self._suite = suite
        self._settings = settings
        self._known_measures = known_measures
        self._warnings_of = warnings_of
        self._told = False
        self._warned: set[str] = set()  # retrievers whose warnings were told

    def told(self, task: Task, verdict: Verdict) -> Verdict:
        """The verdict with the edits of what it decides.

        The first of a retriever also has its run's warnings, and the first of a suite what is true of all of it.
        """
        notices, edits = verdict.notices, self._edits_of(task)
        remarks = edits if verdict.outcome != "pass" else ()
        if not self._told:
            self._told = True
            notices += self._unasserted()
            edits = (*self._gone, *edits)
        if task.retriever not in self._warned:
            self._warned.add(task.retriever)
            notices += self._warnings_of(task.retriever)
        if notices == verdict.notices and not edits:
            return verdict
        return replace(verdict, notices=notices, edits=edits, remarks=(*verdict.remarks, *remarks))

    @cached_property
    def _then(self) -> Suite | str | None:
        """The suite as the git reference has it; why it cannot be read; None where there is none."""
        name = self._settings.baseline_reference
        if not name:
            return None
        try:
            data = GitReference(name, self._suite.path.parent).read(self._suite.path)
            if data is None:
                return None
            source = source_of(str(self._suite.path), data)
            return suite_of(source, self._suite.path, known_measures=self._known_measures)
        except RelevanceError as error:
            return f"{self._suite.name} at {name} cannot be compared with this one: {error.problem}"

    @cached_property
    def _edits(self) -> SuiteEdits | None:
        return SuiteEdits(self._suite, self._then) if isinstance(self._then, Suite) else None

    def _edits_of(self, task: Task) -> tuple[str, ...]:
        if self._edits is None:
            return ()
        found: tuple[str, ...] = ()
        if isinstance(task, CheckTask):
            found = self._edits.of_check(task.check)
        elif isinstance(task, AssertionTask):
            found = self._edits.of_expectation(task.retriever, task.expectation)
        return tuple(f"edited since {self._settings.baseline_reference}: {edit}" for edit in found)

    @property
    def _gone(self) -> tuple[str, ...]:
        if isinstance(self._then, str):
            return (self._then,)
        gone = () if self._edits is None else self._edits.gone
        return tuple(f"gone since {self._settings.baseline_reference}: {one}" for one in gone)

    def _unasserted(self) -> tuple[str, ...]:
        folder = BaselineFolder(self._settings.baselines or self._suite.path.parent / FOLDER, self._suite.name)
        asserted = {file_name(check.of) for check in self._suite.checks if check.needs_baseline}
        shown = as_shown(str(folder.folder))
        return tuple(
            f"no check of {self._suite.name} is against the baseline {shown}/{name}: add one, or delete the file"
            for name in written_names(folder.folder)
            if name not in asserted
        )
