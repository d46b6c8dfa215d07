"""Telling: what a session says besides its verdicts: edited bounds, checks that are gone, baselines nobody asserts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from pytest_relevance.baseline import FOLDER, BaselineFolder, GitReference, written_names
from pytest_relevance.baseline.names import file_name
from pytest_relevance.errors import RelevanceError, as_shown
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.tasks import CheckTask, Task
from pytest_relevance.measures import RankingFunction
from pytest_relevance.suite import Suite
from pytest_relevance.suite.edits import edits_of, gone_checks
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of
from pytest_relevance.verdict import Verdict


class Telling:
    """Adds to the verdicts of one suite what else its readers should know."""

    def __init__(self, suite: Suite, settings: Settings, known_measures: Mapping[str, RankingFunction]) -> None:
        self._suite = suite
        self._settings = settings
        self._known_measures = known_measures
        self._told = False

    def told(self, task: Task, verdict: Verdict) -> Verdict:
        """The verdict with the edits of its check, and, the first of the suite, with what is true of all of it."""
        notices = verdict.notices
        if not self._told:
            self._told = True
            notices += (*self._gone, *self._unasserted())
        if isinstance(task, CheckTask):
            edits = self._edits(task)
            notices += edits
            if edits and verdict.outcome != "pass":
                verdict = replace(verdict, remarks=(*verdict.remarks, *edits))
        return replace(verdict, notices=notices) if notices != verdict.notices else verdict

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

    def _edits(self, task: CheckTask) -> tuple[str, ...]:
        if not isinstance(self._then, Suite):
            return ()
        edits = edits_of(task.check, self._then)
        where = self._settings.baseline_reference
        return tuple(f"edited since {where}: {edit}, in {task.check.title} of {task.check.of}" for edit in edits)

    @property
    def _gone(self) -> tuple[str, ...]:
        if isinstance(self._then, str):
            return (self._then,)
        if self._then is None:
            return ()
        where = self._settings.baseline_reference
        return tuple(f"gone since {where}: the check {title}" for title in gone_checks(self._suite, self._then))

    def _unasserted(self) -> tuple[str, ...]:
        folder = BaselineFolder(self._settings.baselines or self._suite.path.parent / FOLDER, self._suite.name)
        asserted = {file_name(check.of) for check in self._suite.checks if check.needs_baseline}
        shown = as_shown(str(folder.folder))
        return tuple(
            f"no check of {self._suite.name} is against the baseline {shown}/{name}: add one, or delete the file"
            for name in written_names(folder.folder)
            if name not in asserted
        )
