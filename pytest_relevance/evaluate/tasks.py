"""Tasks: what a suite asks, one by one, each under the retriever it is asked of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_relevance.suite import Assertion, Check, Expectation, OrderCheck, OverlapCheck, Suite


@dataclass(frozen=True, slots=True)
class ReportTask:
    """Measure what the suite reports of one retriever; gates nothing."""

    retriever: str
    title: str = "report"


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One check."""

    retriever: str
    check: Check

    @property
    def title(self) -> str:
        return self.check.title


@dataclass(frozen=True, slots=True)
class AssertionTask:
    """One expectation about one query's ranking."""

    retriever: str
    assertion: Assertion
    expectation: Expectation

    @property
    def title(self) -> str:
        return self.expectation.text


Task = ReportTask | CheckTask | AssertionTask


def tasks_of(suite: Suite) -> Iterator[Task]:
    """Every task of a suite: by retriever in the order of the suite, report first, then checks, then assertions."""
    for retriever in suite.retrievers:
        if suite.report:
            yield ReportTask(retriever)
        for check in suite.checks:
            if check.of == retriever:
                yield CheckTask(retriever, check)
        for assertion in suite.assertions:
            if retriever in assertion.of:
                for expectation in assertion.expect:
                    yield AssertionTask(retriever, assertion, expectation)


def retrievers_of(task: Task) -> tuple[str, ...]:
    """Every retriever a task needs the run of."""
    if isinstance(task, CheckTask):
        check = task.check
        if isinstance(check, OrderCheck):
            return check.order
        if isinstance(check, OverlapCheck):
            return (check.of, check.with_)
    return (task.retriever,)
