"""Measuring: from the runs of a suite to what its checks compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.evaluate.retrieval import Retrieval, Settings
from pytest_relevance.measures import Measure, evaluate, fold_qrels, overlap, parse_measure
from pytest_relevance.records import Evaluation, Qrels, Queries, Query, Run, Values
from pytest_relevance.suite import Check, OverlapCheck, QueryMeasure, ResultsCheck, Suite, SuiteData, resolve_query
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.numbers import plural


@dataclass(frozen=True)
class Asked:
    """What of a measure is asked: where, over which queries, under which judgments."""

    measure: Measure
    retriever: str
    slice: str | None = None
    total: str | None = None


class Measuring:
    """Evaluates each retriever once under each judgment set, with every measure anybody asks of it."""

    def __init__(self, suite: Suite, data: SuiteData, settings: Settings, retrieval: Retrieval) -> None:
        self._suite = suite
        self._data = data
        self._settings = settings
        self._retrieval = retrieval
        self._evaluations: dict[tuple[str, str], Evaluation] = {}
        self._measures: dict[str, dict[str, Measure]] = {name: {} for name in suite.retrievers}
        self._folded: dict[str, Qrels] = {}
        self._judgments: dict[str, Qrels] = {}
        self._guests: dict[str, Run] = {}

    @cached_property
    def queries(self) -> Queries:
        """The suite's queries, or those of them that the session asks for."""
        if not self._settings.queries:
            return self._data.queries
        chosen = [resolve_query(self._data.queries, text) for text in self._settings.queries]
        return self._data.queries.restricted_to(query.query_id for query in chosen if query)

    def sets(self, asked: str | None) -> tuple[str, ...]:
        """The names of the judgment sets a check is decided under: the first, one by name, or each."""
        names = tuple(self._suite.qrels)
        if not names:
            raise SuiteError("this suite has no qrels", fix="add judgments, for example 'qrels: qrels.txt'")
        if asked == "each":
            return names
        return (asked,) if asked else names[:1]

    def scope_of(self, check: Check) -> set[str]:
        """The ids of the session's queries that a check is about: of its slice, of its weighted slices, or all."""
        part, total = getattr(check, "slice", None), getattr(check, "total", None)
        scope = set(self.queries.query_ids)
        if part:
            scope &= set(self._data.members[part])
        if total:
            scope &= {one for name in self._suite.weights[total] for one in self._data.members[f"{total}={name}"]}
        return scope

    def all_qrels(self, name: str) -> Qrels:
        """A judgment set, folded to parents where the suite says so."""
        if name not in self._folded:
            qrels = self._data.qrels[name]
            self._folded[name] = fold_qrels(qrels, self._data.fold) if self._data.fold else qrels
        return self._folded[name]

    def qrels(self, name: str) -> Qrels:
        """The same for the queries of this session."""
        if name not in self._judgments:
            self._judgments[name] = self.all_qrels(name).restricted_to(self.queries.query_ids)
        return self._judgments[name]

    def want(self, retriever: str, measures: Iterable[Measure]) -> None:
        """Say which measures will be asked of a retriever, so that one evaluation serves them all."""
        for measure in map(self._suite.grades.applied_to, measures):
            for one in (measure, *beside(measure)):
                self._measures[retriever].setdefault(one.name, one)

    def add_run(self, name: str, run: Run, like: str) -> None:
        """Measure a run of elsewhere under `name`, with the measures that are wanted of the retriever `like`."""
        self._guests[name] = run
        self._measures[name] = self._measures[like]

    def definitions(self, retriever: str) -> dict[str, int]:
        """Each measure that the suite reports or checks of a retriever, by its canonical name, with its version."""
        return {one.name: one.version for one in map(self._suite.grades.applied_to, self.reported(retriever))}

    def reported(self, retriever: str) -> tuple[Measure, ...]:
        """The measures that the suite reports or checks of a retriever."""
        subjects = [check.subject for check in self._suite.checks if retriever in check.retrievers]
        return (*self._suite.report, *(one for one in subjects if isinstance(one, Measure)))

    def run_of(self, name: str) -> Run:
        """The folded run of a retriever, or one of elsewhere."""
        return self._guests[name] if name in self._guests else self._retrieval.run_of(name)

    def evaluation(self, retriever: str, qrels: str) -> Evaluation:
        """All measures wanted of a retriever, under one judgment set."""
        key = (retriever, qrels)
        if key not in self._evaluations:
            run, judged = self.run_of(retriever), self.qrels(qrels)
            asked = judged.restricted_to(run.query_ids) if self._settings.queries else judged
            self._evaluations[key] = evaluate(run, asked, list(self._measures[retriever].values()))
        return self._evaluations[key]

    def measured(self, asked: Asked, qrels: str) -> Measured:
        """One measure of one retriever over a scope under one judgment set, with what to read beside it.

        Raises:
            RetrieverError: a query of the scope did not run.
        """
        self._refuse_failures(asked.retriever, asked.slice)
        measure = self._suite.grades.applied_to(asked.measure)
        evaluation = self.evaluation(asked.retriever, qrels)
        values = evaluation[measure.name]
        strata: dict[str, Values] = {}
        if asked.slice:
            values = values.restricted_to(self._data.members[asked.slice])
        if asked.total:
            strata = self._strata(asked.total, values)
            in_strata = {query_id for one in strata.values() for query_id in one.query_ids}
            values = values.restricted_to(in_strata)
        return Measured(
            retriever=asked.retriever,
            values=values,
            queries=self._data.queries,
            qrels=qrels,
            scope=f"weighted by {asked.total}" if asked.total else asked.slice or "",
            strata=strata,
            weights=self._suite.weights[asked.total] if asked.total else {},
            judged=judged_counts(evaluation, measure),
            beside=tuple(
                evaluation[one.name].restricted_to(values.query_ids) for one in beside(measure) if _is_read(one)
            ),
            context=self._context(values, qrels, measure),
            absent=_within((*evaluation.absent, *evaluation.empty), values),
            unjudged_queries=len([one for one in self.queries if one.query_id not in self.qrels(qrels)]),
            without_relevant=_within(evaluation.without_relevant, values),
            notes=(*evaluation.notes,),
        )

    def value(self, expectation: QueryMeasure, retriever: str, query: Query) -> float:
        """A measure's value for one query of an assertion.

        Raises:
            SuiteError: nobody judged the query.
        """
        (name,) = self.sets(expectation.qrels)
        if query.query_id not in self.qrels(name):
            raise SuiteError(
                f"query {query.query_id!r} has no judgments in {name}, so {expectation.measure.name} has no value",
                place=expectation.place,
                fix="judge some of its documents, or drop this expectation",
            )
        measure = self._suite.grades.applied_to(expectation.measure)
        return self.evaluation(retriever, name)[measure.name][query.query_id]

    def overlapping(self, check: OverlapCheck, against: str) -> Measured:
        """How alike the rankings of two runs are, query by query; no judgments needed."""
        run, other = self.run_of(check.of), self.run_of(against)
        self._refuse_failures(check.of, check.slice)
        self._refuse_failures(against, check.slice)
        values = overlap(run, other, check.overlap)
        values = values.restricted_to(self._data.members[check.slice] if check.slice else self.queries.query_ids)
        context = f"{plural(len(values), 'query', 'queries')}, no judgments needed"
        return Measured(check.of, values, self._data.queries, scope=check.slice or "", context=context)

    def few_results(self, check: ResultsCheck) -> Measured:
        """1 for each query that got so many results, 0 for the others; no judgments needed."""
        run = self.run_of(check.of)
        self._refuse_failures(check.of, check.slice)
        low, high = check.results
        counts = dict(zip(run.query_ids, run.counts.tolist(), strict=True))
        scope = self._data.members[check.slice] if check.slice else self.queries.query_ids
        column = [float(low <= counts.get(query_id, 0) <= high) for query_id in scope]
        values = Values(check.what, tuple(scope), np.array(column, dtype=np.float64))
        context = f"{plural(len(values), 'query', 'queries')}, no judgments needed"
        return Measured(check.of, values, self._data.queries, scope=check.slice or "", context=context)

    def _strata(self, scheme: str, values: Values) -> dict[str, Values]:
        return {
            name: values.restricted_to(self._data.members[f"{scheme}={name}"]) for name in self._suite.weights[scheme]
        }

    def _context(self, values: Values, qrels: str, measure: Measure) -> str:
        judged = self.qrels(qrels)
        low, high = float(judged.grades.min(initial=0)), judged.max_grade
        source = self._suite.qrels[qrels]
        where = getattr(source, "name", qrels) if len(self._suite.qrels) == 1 else qrels
        gain = ", gain = grade" if "nDCG" in measure.name and "gain" not in measure.name else ""
        return f"{plural(len(values), 'query', 'queries')}, {where}, grades {low:g} to {high:g}{gain}"

    def _refuse_failures(self, retriever: str, within: str | None) -> None:
        run = self.run_of(retriever)
        scope = self._data.members[within] if within else self.queries.query_ids
        failed = [query_id for query_id in scope if query_id in run.failures]
        if failed:
            raise did_not_run(retriever, run, failed, self._suite)


def did_not_run(retriever: str, run: Run, failed: Sequence[str], suite: Suite) -> RetrieverError:
    """The error for queries a retriever could not answer: never a zero."""
    answered, first = len(run.query_ids), failed[0]
    return RetrieverError(
        f"{retriever} answered {answered} of {plural(answered + len(run.failures), 'query', 'queries')}; "
        f"{first} did not run: {run.failures[first]}",
        place=suite.retrievers[retriever].place,
        fix="mend the retriever, then run again: a query that did not run has no value, not 0",
    )


def beside(measure: Measure) -> tuple[Measure, ...]:
    """What must be measured to read `measure` right: the share of judged documents, and nDCG-f beside nDCG."""
    cutoff = measure.cutoff
    if cutoff is None or measure.family == "Judged":
        return ()
    names = [f"Judged@{cutoff}", f"Judged(of='cutoff')@{cutoff}", "NumRet"]
    if measure.family == "nDCG" and "judged_only" not in measure.params and "ideal" not in measure.params:
        names.append(f"nDCG-f@{cutoff}")
    return tuple(parse_measure(name) for name in names)


def judged_counts(evaluation: Evaluation, measure: Measure) -> Mapping[str, tuple[int, int]]:
    """query_id → (judged, unjudged) documents within the cutoff of `measure`; empty for a measure without one."""
    share = f"Judged(of='cutoff')@{measure.cutoff}"
    if measure.cutoff is None or share not in evaluation:
        return {}
    counts = {}
    for query_id, value in evaluation[share].values.items():
        judged = round(value * measure.cutoff)
        retrieved = min(measure.cutoff, round(evaluation["NumRet"].values[query_id]))
        counts[query_id] = (judged, retrieved - judged)
    return counts


def _is_read(measure: Measure) -> bool:
    return measure.name.startswith(("Judged@", "nDCG-f"))


def _within(query_ids: Iterable[str], values: Values) -> tuple[str, ...]:
    return tuple(query_id for query_id in query_ids if query_id in values.values)
