"""SuiteFlow: one suite from its tasks to their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate.measuring import Asked, Measuring, did_not_run
from pytest_relevance.evaluate.retrieval import Retrieval, Settings
from pytest_relevance.evaluate.tasks import AssertionTask, CheckTask, ReportTask, Task, retrievers_of, tasks_of
from pytest_relevance.measures import Measure, RankingFunction
from pytest_relevance.records import Corpus, Query, Run
from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.retrievers import BUILTIN, Progress, RetrieverKind
from pytest_relevance.runs import Shelf
from pytest_relevance.suite import (
    Assertion,
    OrderCheck,
    OverlapCheck,
    QueryMeasure,
    Suite,
    SuiteData,
    Threshold,
    load_data,
    read_suite,
    resolve_query,
)
from pytest_relevance.verdict import Verdict, decide_expectation, decide_order, decide_overlap, decide_threshold
from pytest_relevance.verdict.assertions import rows_of
from pytest_relevance.verdict.record import Mean


class SuiteFlow:
    """Decides the tasks of one suite. `expect` every task first, so that each retriever is asked once for all."""

    def __init__(
        self,
        suite: Suite,
        settings: Settings | None = None,
        *,
        kinds: Mapping[str, RetrieverKind] = BUILTIN,
        measures: Mapping[str, RankingFunction] | None = None,
        shelf: Shelf | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.suite = suite
        self.known_measures = measures or {}  # third parties' measures by name
        self._settings = settings or Settings()
        self._kinds = kinds
        self._shelf = shelf
        self._progress = progress
        self._expected: list[Task] | None = []  # None once their needs are told
        self._fault: RelevanceError | None = None

    def expect(self, task: Task) -> None:
        """Say that a task will be decided, without reading anything yet."""
        if self._expected is not None:
            self._expected.append(task)

    @cached_property
    def data(self) -> SuiteData:
        """Queries, judgments and documents, read when first asked for."""
        return load_data(self.suite)

    @cached_property
    def retrieval(self) -> Retrieval:
        return Retrieval(
            self.suite, self.data, self._settings, kinds=self._kinds, shelf=self._shelf, progress=self._progress
        )

    @cached_property
    def measuring(self) -> Measuring:
        return Measuring(self.suite, self.data, self._settings, self.retrieval)

    def _prepare(self) -> None:
        """Tell the needs of all expected tasks; a fault of the data is found once and raised for each task."""
        if self._fault:
            raise self._fault
        expected, self._expected = self._expected or (), None
        try:
            for task in expected:
                self._need(task)
        except RelevanceError as error:
            self._fault = error
            raise

    def _need(self, task: Task) -> None:
        for retriever in retrievers_of(task):
            self.retrieval.need(retriever, self._queries_of(task))
            self.measuring.want(retriever, self._measures_of(task))

    def decide(self, task: Task) -> Verdict:
        """The verdict of a task that was expected.

        Raises:
            RelevanceError: set-up is at fault: data cannot be read, a retriever or one of the queries did not run.
        """
        self._prepare()
        if isinstance(task, ReportTask):
            return self._report(task)
        if isinstance(task, AssertionTask):
            return self._assertion(task)
        check, name = task.check, self.suite.name
        if isinstance(check, Threshold):
            asked = Asked(check.measure, task.retriever, check.slice, check.total)
            sets = self.measuring.sets(check.qrels)
            return decide_threshold(name, check, [self.measuring.measured(asked, one) for one in sets])
        if isinstance(check, OrderCheck):
            return decide_order(
                name,
                check,
                [
                    {
                        retriever: self.measuring.measured(
                            Asked(check.measure, retriever, check.slice, check.total), one
                        )
                        for retriever in check.order
                    }
                    for one in self.measuring.sets(check.qrels)
                ],
            )
        return decide_overlap(name, check, self.measuring.overlapping(check))

    def ranking(self, retriever: str, query: Query) -> Ranking:
        """A retriever's answer to one query, with grades of the first judgment set and the fields known.

        Raises:
            RetrieverError: the query did not run.
        """
        return self.ranking_in(self.retrieval.run_of(retriever), retriever, query)

    def ranking_in(self, run: Run, retriever: str, query: Query) -> Ranking:
        """The same from a run at hand."""
        if query.query_id in run.failures:
            raise did_not_run(retriever, run, [query.query_id], self.suite)
        sets = tuple(self.suite.qrels)
        grades = self.data.qrels[sets[0]].grades_of(query.query_id) if sets else {}
        corpus = self.data.corpus or Corpus({})
        pairs = zip(run.ranking(query.query_id), run.scores_of(query.query_id), strict=True)
        documents = tuple(
            RankedDocument(
                rank,
                doc_id,
                score,
                grades.get(doc_id),
                run.fields.get(doc_id) or corpus.get(doc_id, {}),
            )
            for rank, (doc_id, score) in enumerate(pairs, start=1)
        )
        return Ranking(query, retriever, documents)

    def query_of(self, assertion: Assertion) -> Query:
        """The query an assertion is about: by its id, else by its text, else one of its own."""
        return resolve_query(self.data.queries, assertion.query) or Query(assertion.query, assertion.query)

    def _assertion(self, task: AssertionTask) -> Verdict:
        query = self.query_of(task.assertion)
        ranking = self.ranking(task.retriever, query)
        return decide_expectation(
            self.suite.name,
            task.assertion,
            task.expectation,
            ranking,
            lambda expectation: self.measuring.value(expectation, task.retriever, query),
        )

    def _report(self, task: ReportTask) -> Verdict:
        (first,) = self.measuring.sets(None)
        measured = [self.measuring.measured(Asked(measure, task.retriever), first) for measure in self.suite.report]
        means = tuple(Mean(one.values.measure, one.value, one.interval.low, one.interval.high) for one in measured)
        only = [self.measuring.queries[query_id] for query_id in self.measuring.queries.query_ids[:1]]
        rows = rows_of(self.ranking(task.retriever, only[0]), {}, 10) if self._settings.queries and only else ()
        return Verdict(
            suite=self.suite.name,
            retriever=task.retriever,
            title=task.title,
            kind="report",
            outcome="pass",
            sentence=f"{task.retriever}: {', '.join(f'{mean.label} {mean.mean:.3f}' for mean in means)}",
            qrels=first,
            queries=len(measured[0].values) if measured else 0,
            context=measured[0].context if measured else "",
            means=means,
            rows=rows,
            remarks=measured[0].remarks() if measured else (),
        )

    def _queries_of(self, task: Task) -> tuple[Query, ...]:
        if isinstance(task, AssertionTask):
            return (self.query_of(task.assertion),)
        queries = self.measuring.queries
        if isinstance(task, CheckTask) and isinstance(task.check, OverlapCheck):
            return queries.items
        sets = self.suite.qrels
        judged = {query_id for name in sets for query_id in self.measuring.qrels(name).query_ids}
        return tuple(query for query in queries if query.query_id in judged)

    def _measures_of(self, task: Task) -> tuple[Measure, ...]:
        if isinstance(task, ReportTask):
            return self.suite.report
        if isinstance(task, AssertionTask):
            return (task.expectation.measure,) if isinstance(task.expectation, QueryMeasure) else ()
        return () if isinstance(task.check, OverlapCheck) else (task.check.measure,)


def evaluate_suite(
    path: str | Path, settings: Settings | None = None, *, kinds: Mapping[str, RetrieverKind] = BUILTIN
) -> Iterator[Verdict]:
    """The verdict of everything a suite asks, in its order; without pytest.

    What did not run gives a verdict with outcome `error`, whose sentence is the whole message.

    Raises:
        RelevanceError: the suite or its data cannot be read.
    """
    settings = settings or Settings()
    flow = SuiteFlow(read_suite(Path(path)), settings, kinds=kinds)
    wanted = settings.retrievers
    tasks = [task for task in tasks_of(flow.suite) if not wanted or task.retriever in wanted]
    for task in tasks:
        flow.expect(task)
    for task in tasks:
        try:
            yield flow.decide(task)
        except RelevanceError as error:
            yield set_up_verdict(flow.suite, task, error)


def set_up_verdict(suite: Suite, task: Task, error: RelevanceError) -> Verdict:
    """What is reported of a task whose set-up failed: an error, never a value."""
    return Verdict(
        suite=suite.name,
        retriever=task.retriever,
        title=task.title,
        kind="set-up",
        outcome="error",
        sentence=str(error),
        place=str(error.place or ""),
    )
