"""Tasks: what a suite asks, one by one, each under the retriever it is asked of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_relevance.records import Query
from pytest_relevance.suite import Assertion, Check, Expectation, QueryTable, Suite


@dataclass(frozen=True, slots=True)
class ReportTask:
    """Measure what the suite reports of one retriever; gates nothing."""

    retriever: str
    title: str = "report"
    line: int = 1  # of the suite's file, from 1


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One check."""

    retriever: str
    check: Check

    @property
    def title(self) -> str:
        return self.check.title

    @property
    def line(self) -> int:
        return self.check.place.line


@dataclass(frozen=True, slots=True)
class AssertionTask:
    """One expectation about one query's ranking."""

    retriever: str
    assertion: Assertion
    expectation: Expectation

    @property
    def title(self) -> str:
        return self.expectation.text

    @property
    def line(self) -> int:
        return self.expectation.spot.line


@dataclass(frozen=True, slots=True)
class DiversityTask:
    """What each retriever adds to the others; gates nothing. It stands under the last of them."""

    retriever: str
    among: tuple[str, ...]
    title: str = "diversity"
    line: int = 1


Task = ReportTask | CheckTask | AssertionTask | DiversityTask


def tasks_of(suite: Suite, queries_of: Callable[[QueryTable], Iterable[Query]]) -> Iterator[Task]:
    """Every task of a suite: by retriever in the order of the suite, report first, then checks, then assertions.

    `queries_of` reads a table; it is asked only for those that want an item for each query.
    """
    assertions = [single for assertion in suite.assertions for single in _singles(assertion, queries_of)]
    for retriever in suite.retrievers:
        if suite.report:
            yield ReportTask(retriever)
        for check in suite.checks:
            if check.of == retriever:
                yield CheckTask(retriever, check)
        for assertion in assertions:
            if retriever in assertion.of:
                for expectation in assertion.expect:
                    if not compares_with_itself(expectation, retriever):
                        yield AssertionTask(retriever, assertion, expectation)


def diversity_task(suite: Suite, wanted: Collection[str]) -> Iterator[DiversityTask]:
    """The task of a suite with judgments and two retrievers or more that the session asks for; else nothing."""
    among = tuple(name for name in suite.retrievers if not wanted or name in wanted)
    if suite.qrels and len(among) > 1:
        yield DiversityTask(among[-1], among)


def compares_with_itself(expectation: Expectation, retriever: str) -> bool:
    """Whether an expectation that is stated of every retriever names this one as the other."""
    target = expectation.target
    return target is not None and target.query is None and target.of == retriever


def _singles(assertion: Assertion, queries_of: Callable[[QueryTable], Iterable[Query]]) -> Iterator[Assertion]:
    """The assertion as it is, or one for each query of its table."""
    if assertion.table is None or not assertion.each:
        yield assertion
        return
    for query in queries_of(assertion.table):
        name = f"{assertion.name} {query.query_id}" if assertion.name else ""
        yield replace(assertion, query=query.query_id, table=None, name=name)


def retrievers_of(task: Task) -> tuple[str, ...]:
    """Every retriever a task needs the run of."""
    if isinstance(task, CheckTask):
        return task.check.retrievers
    return task.among if isinstance(task, DiversityTask) else (task.retriever,)
