"""Nodes: file → retriever → checks and assertions; an assertion's id has its query as a level before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any

import pytest

from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate import AssertionTask, CheckTask, SuiteFlow, Task
from pytest_relevance.evaluate.reporting import set_up_verdict
from pytest_relevance.plugin.names import UniqueNames, keyword_of, node_name
from pytest_relevance.plugin.stash import FINDING_PROPERTY, MARKER_PROPERTY, SESSION
from pytest_relevance.suite import BiasCheck, QueryMeasure, ResultsCheck
from pytest_relevance.suite.located import collector_paused
from pytest_relevance.verdict import Verdict


class SuiteFile(pytest.File):
    """One suite file."""

    def collect(self) -> Iterator[RetrieverNode]:
        """A node for each retriever that the session asks for."""
        session = self.config.stash[SESSION]
        try:
            flow = session.flow_of(self)
        except RelevanceError as error:
            raise self.CollectError(str(error)) from None
        wanted = session.options.settings.retrievers
        by_retriever: dict[str, list[Task]] = {name: [] for name in flow.suite.retrievers}
        try:
            for task in flow.tasks():
                if session.is_wanted(flow, task):
                    by_retriever[task.retriever].append(task)
        except RelevanceError as error:
            raise self.CollectError(str(error)) from None
        for name, tasks in by_retriever.items():
            if tasks and (not wanted or name in wanted):
                yield RetrieverNode.from_parent(self, name=node_name(name), retriever=name, flow=flow, tasks=tasks)


class RetrieverNode(pytest.Collector):
    """One retriever of a suite: its report, its checks, and what is stated of each query."""

    def __init__(self, *, retriever: str, flow: SuiteFlow, tasks: list[Task], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.retriever = retriever
        self.flow = flow
        self.tasks = tasks

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Report and checks first, then the queries in the order of the suite."""
        with collector_paused():
            return list(self._collected())

    def _collected(self) -> Iterator[pytest.Item | pytest.Collector]:
        by_query: dict[str, list[Task]] = {}
        others: list[Task] = []
        for task in self.tasks:
            if isinstance(task, AssertionTask):
                by_query.setdefault(task.assertion.about, []).append(task)
            else:
                others.append(task)
        unique, searched = UniqueNames(), self._is_searched
        yield from _items(self, others, unique)
        for query, tasks in by_query.items():
            name = unique(node_name(query))
            if searched:
                yield QueryNode.from_parent(self, name=name, flow=self.flow, tasks=tasks)
            else:
                yield from _items(self, tasks, UniqueNames(), before=f"{name}::")

    @property
    def _is_searched(self) -> bool:
        """Whether a node id on the command line names a query: pytest finds its way there level by level.

        Else a query is no node of its own: pytest's work for one costs more than its items do.
        """
        return any(argument.count("::") > 1 for argument in self.config.args)


class QueryNode(pytest.Collector):
    """One query and all that is stated of its ranking."""

    def __init__(self, *, flow: SuiteFlow, tasks: list[Task], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.flow = flow
        self.tasks = tasks

    def collect(self) -> Iterator[RelevanceItem]:
        """An item for each expectation."""
        return _items(self, self.tasks, UniqueNames())


def _items(
    parent: RetrieverNode | QueryNode, tasks: Iterable[Task], unique: UniqueNames, *, before: str = ""
) -> Iterator[RelevanceItem]:
    for task in tasks:
        name = before + unique(node_name(task.title))
        yield RelevanceItem.from_parent(parent, name=name, flow=parent.flow, task=task)


class RelevanceItem(pytest.Item):
    """One check or one assertion. Decided in set-up, so that a fault of the set-up is an ERROR; judged in the call."""

    def __init__(self, *, flow: SuiteFlow, task: Task, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.flow = flow
        self.task = task
        self.verdict: Verdict | None = None
        measure = _measure_of(task)
        if measure:
            self.extra_keyword_matches.add(keyword_of(measure))

    @property
    def needs_baseline(self) -> bool:
        """Whether it is a check against the stored baseline."""
        return isinstance(self.task, CheckTask) and self.task.check.needs_baseline

    def setup(self) -> None:
        """Retrieve what is needed, once for all items, and decide."""
        session = self.config.stash[SESSION]
        try:
            self.verdict = session.decided(self)
        except RelevanceError as error:
            failed = set_up_verdict(self.flow.suite, self.task, error)
            failed.position = self.flow.position_of(self.task)
            self._keep(failed)
            self._keep_findings()
            told = session.told(self, error)
        else:
            self._keep_findings()
            if self.verdict.outcome != "not comparable":
                return
            self._keep(self.verdict)
            told = "\n".join(session.lines(self, self.verdict))
        pytest.fail(told, pytrace=False)  # the traceback of our own code would say nothing

    def runtest(self) -> None:
        """Hand over the verdict, and fail where it fails."""
        assert self.verdict is not None  # set up before
        self._keep(self.verdict)
        if self.verdict.outcome == "known_failure":
            pytest.xfail(self.verdict.known_failure)  # under --runxfail this does nothing, and the next line fails
        if self.verdict.outcome in {"fail", "known_failure"}:
            text = "\n".join(self.config.stash[SESSION].lines(self, self.verdict))
            raise BelowExpectationError(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict's own text; a bug keeps its traceback."""
        if isinstance(excinfo.value, BelowExpectationError):
            return summed_up(excinfo.getrepr(style="value"), str(excinfo.value).partition("\n")[0])
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """The suite's file, the line that asks, and a heading."""
        return self.path, self.task.line - 1, self.nodeid.replace("::", ": ")

    def _keep_findings(self) -> None:
        """Warnings of the pre-flight travel with the item whose set-up found them."""
        self.user_properties += [(FINDING_PROPERTY, finding.to_json()) for finding in self.flow.untold_findings()]

    def _keep(self, verdict: Verdict) -> None:
        if verdict.value is not None:
            self.user_properties.append((verdict.measure, verdict.value))
        self.user_properties += [(mean.label, mean.mean) for mean in verdict.means if verdict.kind == "report"]
        self.user_properties.append((MARKER_PROPERTY, self.config.stash[SESSION].travelling(verdict)))


class BelowExpectationError(Exception):
    """A verdict that fails; its text is the whole block."""


def summed_up(representation: Any, sentence: str) -> Any:
    """A failure's representation with its own sentence for the summary, where pytest would put the whole text."""
    if representation.reprcrash is not None:
        representation.reprcrash.message = sentence
    return representation


def _measure_of(task: Task) -> str:
    if isinstance(task, CheckTask):
        return task.check.what if isinstance(task.check, ResultsCheck | BiasCheck) else task.check.subject.name
    if isinstance(task, AssertionTask) and isinstance(task.expectation, QueryMeasure):
        return task.expectation.measure.name
    return ""
