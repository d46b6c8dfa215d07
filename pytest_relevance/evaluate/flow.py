"""SuiteFlow: one suite from its tasks to their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from pathlib import Path

from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate.asserting import Asserting
from pytest_relevance.evaluate.checking import Checking
from pytest_relevance.evaluate.measuring import Measuring, did_not_run
from pytest_relevance.evaluate.preflighting import Preflighting
from pytest_relevance.evaluate.reporting import diversity_verdict, report_of, set_up_verdict
from pytest_relevance.evaluate.retrieval import Retrieval, Settings
from pytest_relevance.evaluate.tasks import (
    AssertionTask,
    CheckTask,
    DiversityTask,
    ReportTask,
    Task,
    diversity_task,
    retrievers_of,
    tasks_of,
)
from pytest_relevance.evaluate.telling import Telling
from pytest_relevance.measures import Measure, RankingFunction
from pytest_relevance.preflight import Finding
from pytest_relevance.records import Query, Run
from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.retrievers import BUILTIN, PlannedRequests, Progress, RetrieverKind
from pytest_relevance.runs import RecordingFolder, Shelf
from pytest_relevance.suite import (
    Check,
    DropCheck,
    OrderCheck,
    QueryMeasure,
    Suite,
    SuiteData,
    Threshold,
    load_data,
    read_suite,
)
from pytest_relevance.verdict import Verdict


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
        self._positions: dict[int, int] = {}  # id of a task → its place in the suite

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
    def asserting(self) -> Asserting:
        return Asserting(self, self._settings.queries)

    @cached_property
    def measuring(self) -> Measuring:
        return Measuring(self.suite, self.data, self._settings, self.retrieval)

    @cached_property
    def preflighting(self) -> Preflighting:
        return Preflighting(self.suite, self.data, self.retrieval, self._settings.cache)

    @cached_property
    def telling(self) -> Telling:
        return Telling(self.suite, self._settings, self.known_measures, self.retrieval.warnings)

    @cached_property
    def checking(self) -> Checking:
        return Checking(self.suite, self.data, self._settings, self.retrieval, self.measuring)

    def concerns(self, task: Task) -> bool:
        """Whether a task has to do with the queries that the session asks for.

        Raises:
            RelevanceError: the suite's data cannot be read.
        """
        if not self._settings.queries:
            return True
        if isinstance(task, AssertionTask):
            return bool(self.asserting.queries_of(task.assertion))
        asked = {query.query_id for query in self._queries_of(task)}
        if isinstance(task, CheckTask):
            asked &= self.measuring.scope_of(task.check)
        return bool(asked)

    @property
    def recordings(self) -> RecordingFolder | None:
        """The recordings of this suite's search APIs, where the session has any and something was retrieved."""
        return self.retrieval.recordings if "retrieval" in self.__dict__ else None

    def plan(self) -> Mapping[str, Sequence[PlannedRequests]]:
        """Retriever → the requests that the expected tasks would cost; nothing is asked."""
        self.prepare()
        return self.retrieval.plan()

    def prepare(self) -> None:
        """Tell the needs of all expected tasks; a fault of the data is found once and raised for each task."""
        if self._fault:
            raise self._fault
        expected, self._expected = self._expected or (), None
        try:
            for task in expected:
                self._need(task)
            self.preflighting.look_at_data()
        except RelevanceError as error:
            self._fault = error
            raise

    def _need(self, task: Task) -> None:
        if isinstance(task, AssertionTask):
            for retriever, queries in self.asserting.needs(task):
                self.retrieval.need(retriever, queries)
            self.measuring.want(task.retriever, self._measures_of(task))
            return
        for retriever in retrievers_of(task):
            self.retrieval.need(retriever, self._queries_of(task))
            self.measuring.want(retriever, self._measures_of(task))
        if isinstance(task, CheckTask):
            self.checking.expect(task.check)

    def decide(self, task: Task) -> Verdict:
        """The verdict of a task that was expected.

        Raises:
            RelevanceError: set-up is at fault: data cannot be read, a retriever or one of the queries did not run.
        """
        self.prepare()
        for retriever in retrievers_of(task):
            self.preflighting.look_at_run(retriever)
        return self.telling.told(task, self._decided(task))

    def untold_findings(self) -> tuple[Finding, ...]:
        """Warnings of the pre-flight that nobody was told of yet."""
        return self.__dict__["preflighting"].untold() if "preflighting" in self.__dict__ else ()

    def _decided(self, task: Task) -> Verdict:
        if isinstance(task, ReportTask):
            return report_of(self, task, self._settings)
        if isinstance(task, DiversityTask):
            return diversity_verdict(self, task, self._settings)
        if isinstance(task, AssertionTask):
            return self.asserting.decide(task)
        return self.checking.decide(task.check)

    def tasks(self) -> Iterator[Task]:
        """Everything the suite asks; tables that want an item for each query are read for it.

        Raises:
            RelevanceError: such a table, or the data of the suite, cannot be read.
        """
        asked = tasks_of(self.suite, self.asserting.all_of_table)
        more = diversity_task(self.suite, self._settings.retrievers) if self._settings.diversity else ()
        for position, task in enumerate(chain(asked, more)):
            self._positions[id(task)] = position
            yield task

    def position_of(self, task: Task) -> int:
        """The place of a task that `tasks` gave, so that reports keep the suite's order in whatever order tests run."""
        return self._positions.get(id(task), 0)

    def ranking(self, retriever: str, query: Query, *, qrels: str | None = None) -> Ranking:
        """A retriever's answer to one query, with grades of a judgment set (the first) and the fields known.

        Raises:
            RetrieverError: the query did not run.
        """
        asked = self.retrieval.depth_of(retriever)
        return self.ranking_in(self.retrieval.run_of(retriever), retriever, query, qrels=qrels, asked=asked)

    def ranking_in(
        self, run: Run, retriever: str, query: Query, *, qrels: str | None = None, asked: int | None = None
    ) -> Ranking:
        """The same from a run at hand; `asked`: how many documents were asked for."""
        if query.query_id in run.failures:
            raise did_not_run(retriever, run, [query.query_id], self.suite)
        grades = self.grades_of(query, qrels)
        doc_ids = run.ranking(query.query_id)
        known = self.data.corpus.fields_of(doc_ids) if self.data.corpus else [{}] * len(doc_ids)
        fields = [run.fields.get(doc_id) or stored for doc_id, stored in zip(doc_ids, known, strict=True)]
        # Ten thousand rankings are soon a million documents: no line of Python for each.
        columns = count(1), doc_ids, run.scores_of(query.query_id), map(grades.get, doc_ids), fields
        documents = tuple(map(RankedDocument, *columns))
        return Ranking(query, retriever, documents, asked, run.seconds.get(query.query_id))

    def grades_of(self, query: Query, qrels: str | None = None) -> dict[str, float]:
        """doc_id → grade in a judgment set, by default the first; parents are judged where the suite folds."""
        name = qrels or self.suite.default_qrels
        return self.measuring.all_qrels(name).grades_of(query.query_id) if name else {}

    def _queries_of(self, task: ReportTask | CheckTask | DiversityTask) -> tuple[Query, ...]:
        queries = self.measuring.queries
        if isinstance(task, CheckTask) and (not task.check.needs_judgments or self._stores(task.check)):
            return queries.items
        if isinstance(task, ReportTask) and self._settings.queries:
            return queries.items  # their rankings are shown, judged or not
        sets = self.suite.qrels
        judged = {query_id for name in sets for query_id in self.measuring.qrels(name).query_ids}
        return tuple(query for query in queries if query.query_id in judged)

    def _measures_of(self, task: Task) -> tuple[Measure, ...]:
        if isinstance(task, ReportTask):
            return self.suite.report
        if isinstance(task, DiversityTask):
            return ()
        if isinstance(task, AssertionTask):
            return (task.expectation.measure,) if isinstance(task.expectation, QueryMeasure) else ()
        if self._stores(task.check):
            return self.measuring.reported(task.retriever)
        return (task.check.measure,) if isinstance(task.check, Threshold | OrderCheck | DropCheck) else ()

    def _stores(self, check: Check) -> bool:
        """Whether deciding the check stores a baseline, for which every query and every measure is wanted."""
        return self._settings.update_baselines and check.needs_baseline


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
    tasks = [task for task in flow.tasks() if not wanted or task.retriever in wanted]
    for task in tasks:
        flow.expect(task)
    for task in tasks:
        try:
            yield flow.decide(task)
        except RelevanceError as error:
            yield set_up_verdict(flow.suite, task, error)
