"""Reporting: what a suite tells of its retrievers besides checks and assertions, and of what could not be set up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate.diversity import depth_of, diversity_of
from pytest_relevance.evaluate.measuring import Asked, did_not_run
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.tasks import DiversityTask, ReportTask, Task
from pytest_relevance.suite import Suite
from pytest_relevance.verdict import Mean, Verdict
from pytest_relevance.verdict.assertions import rows_of

if TYPE_CHECKING:
    from pytest_relevance.evaluate.flow import SuiteFlow


def report_of(flow: SuiteFlow, task: ReportTask, settings: Settings) -> Verdict:
    """The means that the suite reports of one retriever; its first ranking where the session asks for queries."""
    (first,) = flow.measuring.sets(None)
    report = flow.suite.report if len(flow.measuring.qrels(first)) else ()  # queries asked for may be unjudged
    measured = [flow.measuring.measured(Asked(measure, task.retriever), first) for measure in report]
    means = tuple(Mean(one.values.measure, one.value, one.interval.low, one.interval.high) for one in measured)
    only = [flow.measuring.queries[query_id] for query_id in flow.measuring.queries.query_ids[:1]]
    rows = rows_of(flow.ranking(task.retriever, only[0]), {}, 10) if settings.queries and only else ()
    return Verdict(
        suite=flow.suite.name,
        retriever=task.retriever,
        title=task.title,
        kind="report",
        outcome="pass",
        sentence=f"{task.retriever}: {', '.join(f'{mean.label} {mean.mean:.3f}' for mean in means) or 'no judgments'}",
        qrels=first,
        queries=len(measured[0].values) if measured else 0,
        context=measured[0].context if measured else "",
        means=means,
        rows=rows,
        remarks=measured[0].remarks() if measured else (),
    )


def diversity_verdict(flow: SuiteFlow, task: DiversityTask, settings: Settings) -> Verdict:
    """What each retriever adds to the others.

    Raises:
        RetrieverError: one of them, or one of the judged queries, did not run: what it would have found is not known.
    """
    (first,) = flow.measuring.sets(None)
    qrels, runs = flow.measuring.qrels(first), {name: flow.retrieval.run_of(name) for name in task.among}
    for name, run in runs.items():
        failed = [query_id for query_id in qrels.query_ids if query_id in run.failures]
        if failed:
            raise did_not_run(name, run, failed, flow.suite)
    depth = depth_of(flow.suite.report, settings.depth)
    found = diversity_of(runs, qrels, depth=depth, relevant=flow.suite.grades.relevant)
    told = ", ".join(f"{one.retriever} {one.unique}" for one in found.finders)
    return Verdict(
        suite=flow.suite.name,
        retriever=task.retriever,
        title=task.title,
        kind="diversity",
        outcome="pass",
        sentence=f"relevant documents found by one retriever only: {told}",
        qrels=first,
        queries=found.queries,
        diversity=found,
    )


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
