"""Asserting: the rankings that assertions are about, and what else they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_relevance.evaluate.measuring import did_not_run
from pytest_relevance.evaluate.tasks import AssertionTask
from pytest_relevance.records import Query
from pytest_relevance.records.ranking import Ranking
from pytest_relevance.retrievers.callables import find_callable
from pytest_relevance.suite import Assertion, QueryMeasure, QueryTable, Target, Where, resolve_query
from pytest_relevance.suite.tables import queries_of_table
from pytest_relevance.verdict import Verdict, decide_expectation, decide_table

if TYPE_CHECKING:
    from pytest_relevance.evaluate.flow import SuiteFlow


class Asserting:
    """Decides the assertions of one suite."""

    def __init__(self, flow: SuiteFlow, only: tuple[str, ...]) -> None:
        self._flow = flow
        self._only = frozenset(only)  # queries this session asks for, by id or text; empty for all
        self._queries: dict[str, Query] = {}
        self._tables: dict[QueryTable, tuple[Query, ...]] = {}
        self._functions: dict[str, Callable[[Ranking], object]] = {}

    def query_of(self, text: str) -> Query:
        """The query of that id, or else of that text, or else one of its own."""
        found = self._queries.get(text)
        if found is None:
            found = self._queries[text] = resolve_query(self._flow.data.queries, text) or Query(text, text)
        return found

    def all_of_table(self, table: QueryTable) -> tuple[Query, ...]:
        """The queries of a table, whatever the session asks for.

        Raises:
            SuiteError: it cannot be read, or holds none.
        """
        if table not in self._tables:
            self._tables[table] = queries_of_table(table, self._flow.data)
        return self._tables[table]

    def queries_of(self, assertion: Assertion) -> tuple[Query, ...]:
        """The queries an assertion is about in this session."""
        if assertion.table is None:
            written = assertion.query
            found: tuple[Query, ...] = (self.query_of(written),)
        else:
            written = ""
            found = self.all_of_table(assertion.table)
        if not self._only or written in self._only:
            return found
        return tuple(one for one in found if one.query_id in self._only or one.text in self._only)

    def needs(self, task: AssertionTask) -> Iterator[tuple[str, tuple[Query, ...]]]:
        """Retrievers a task asks, each with the queries it asks them."""
        queries = self.queries_of(task.assertion)
        yield task.retriever, queries
        target = task.expectation.target
        if target is not None:
            yield target.of or task.retriever, (self.query_of(target.query),) if target.query else queries

    def decide(self, task: AssertionTask) -> Verdict:
        """The verdict of an assertion about one query, or about a table of them."""
        name, assertion, expectation = self._flow.suite.name, task.assertion, task.expectation
        if assertion.table is None:
            return decide_expectation(name, assertion, expectation, *self._seen(task, self.query_of(assertion.query)))
        queries = self.queries_of(assertion)
        self._refuse_failures(task, queries)
        rankings = (self._seen(task, query) for query in queries)
        return decide_table(name, assertion, expectation, task.retriever, rankings)

    def function(self, expectation: Where) -> Callable[[Ranking], object]:
        """The user's function, imported once."""
        if expectation.where not in self._functions:
            folder = self._flow.suite.path.parent
            found = find_callable(expectation.where, "this expectation", expectation.place, folder)
            self._functions[expectation.where] = found
        return self._functions[expectation.where]

    def _seen(self, task: AssertionTask, query: Query) -> tuple[Ranking, AboutOne]:
        expectation = task.expectation
        qrels = expectation.qrels if isinstance(expectation, QueryMeasure) else None
        return self._flow.ranking(task.retriever, query, qrels=qrels), AboutOne(self, self._flow, task.retriever, query)

    def _refuse_failures(self, task: AssertionTask, queries: tuple[Query, ...]) -> None:
        run = self._flow.retrieval.run_of(task.retriever)
        failed = [query.query_id for query in queries if query.query_id in run.failures] if run.failures else []
        if failed:
            raise did_not_run(task.retriever, run, failed, self._flow.suite)


class AboutOne:
    """What an expectation may ask about one query of one retriever, beyond its ranking."""

    __slots__ = ("_asserting", "_flow", "_query", "_retriever")

    def __init__(self, asserting: Asserting, flow: SuiteFlow, retriever: str, query: Query) -> None:
        self._asserting = asserting
        self._flow = flow
        self._retriever = retriever
        self._query = query

    def value(self, expectation: QueryMeasure) -> float:
        """The measure's value; raises as `Measuring.value` does."""
        return self._flow.measuring.value(expectation, self._retriever, self._query)

    def grades(self, expectation: QueryMeasure) -> Mapping[str, float]:
        """All judgments of the query in the set that the expectation names."""
        return self._flow.grades_of(self._query, expectation.qrels)

    def other(self, target: Target) -> Ranking:
        """The ranking of another query, of another retriever, or both."""
        query = self._asserting.query_of(target.query) if target.query else self._query
        return self._flow.ranking(target.of or self._retriever, query)

    def function(self, expectation: Where) -> Callable[[Ranking], object]:
        """The user's function."""
        return self._asserting.function(expectation)
