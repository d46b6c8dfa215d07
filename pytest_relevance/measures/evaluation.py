"""Values of measures for one run, one per judged query: what did not run has none, what came back empty has 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pytest_relevance.errors import DataError, MeasureError, nearest
from pytest_relevance.measures.lists import View
from pytest_relevance.measures.measure import Measure
from pytest_relevance.measures.parse import parse_measure
from pytest_relevance.measures.ranking_measure import RankingMeasure
from pytest_relevance.records.columns import Floats, Truths
from pytest_relevance.records.evaluation import Evaluation, Values
from pytest_relevance.records.qrels import Qrels
from pytest_relevance.records.ranked import RankedGrades
from pytest_relevance.records.run import Run

_ABOVE_ZERO = float(np.nextafter(0.0, 1.0))
_NEAR_AMONG = 1000  # ids compared when an id of each side is looked for


class ByName(dict[str, Values]):
    """Values by canonical name; another spelling of a measure that is there finds it too."""

    def __missing__(self, name: str) -> Values:
        try:
            canonical = parse_measure(name).name
        except MeasureError:
            raise KeyError(name) from None
        if canonical not in self.keys():
            raise KeyError(name)
        return self[canonical]


@dataclass(frozen=True)
class _About:
    """What an Evaluation says beside its values."""

    run: str = "run"
    qrels: str = "qrels"
    failures: Mapping[str, str] = field(default_factory=dict)
    unjudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def evaluate(
    run: Run,
    qrels: Qrels,
    measures: Sequence[str | Measure],
    *,
    queries: Iterable[str] | None = None,
    complete: bool = True,
) -> Evaluation:
    """The values of `measures` for a run under qrels, one for each judged query.

    A query without results counts 0 and is listed; a failed one has no value and is in no mean; one without judgments
    is left out and listed. `queries` restricts all of it to these ids. `complete=False` keeps only queries that the run
    has, as trec_eval does without -c. The top of the scale is the highest grade of all qrels, whatever `queries` says.

    Raises:
        DataError: the run and the qrels have no query in common.
        MeasureError: a name is wrong, or a measure cannot be computed from these judgments.
    """
    chosen = [measure if isinstance(measure, Measure) else parse_measure(measure) for measure in measures]
    unjudged = tuple(query_id for query_id in (*run.query_ids, *run.failures) if query_id not in qrels)
    about = _About(run.name, qrels.name, dict(run.failures), unjudged, (*run.notes, *qrels.notes))
    highest = qrels.max_grade
    ranked = RankedGrades.join(run, qrels)
    _refuse_nothing_in_common(ranked, about)
    if queries is not None:
        wanted = dict.fromkeys(queries)
        ranked = ranked.restricted_to(wanted)
        about = replace(
            about,
            failures={query_id: why for query_id, why in run.failures.items() if query_id in wanted},
            unjudged=tuple(query_id for query_id in wanted if query_id not in qrels),
        )
    scope = _scope(ranked, about, complete)
    view = View(scope)
    columns = {
        measure.name: measure.values_of(run, qrels, scope.query_ids)
        if isinstance(measure, RankingMeasure)
        else measure.per_query(view, max_grade=highest)
        for measure in chosen
    }
    return _evaluation(view, chosen, columns, about)


def evaluate_ranked(
    ranked: RankedGrades,
    measures: Sequence[Measure],
    *,
    run: str = "run",
    qrels: str = "qrels",
    failures: Mapping[str, str] | None = None,
    unjudged: Sequence[str] = (),
    notes: Sequence[str] = (),
    complete: bool = True,
    max_grade: float | None = None,
) -> Evaluation:
    """The same from judged rows alone, which is all that measures without `needs_documents` look at.

    `max_grade` is the top of the scale where a measure leaves it open: the highest grade in `ranked` unless given.
    """
    about = _About(run, qrels, dict(failures or {}), tuple(unjudged), tuple(notes))
    _refuse_nothing_in_common(ranked, about)
    highest = float(ranked.judged_grades.max(initial=0.0)) if max_grade is None else max_grade
    scope = _scope(ranked, about, complete)
    view = View(scope)
    columns = {measure.name: measure.per_query(view, max_grade=highest) for measure in measures}
    return _evaluation(view, measures, columns, about)


def _scope(ranked: RankedGrades, about: _About, complete: bool) -> RankedGrades:
    """The queries that have values: all judged ones that did not fail, or only those the run has."""
    keep = np.array([query_id not in about.failures for query_id in ranked.query_ids], dtype=np.bool_)
    if not complete:
        keep &= ranked.in_run
    if keep.all():
        return ranked
    return ranked.restricted_to(query_id for query_id, kept in zip(ranked.query_ids, keep, strict=True) if kept)


def _evaluation(view: View, measures: Sequence[Measure], columns: Mapping[str, Floats], about: _About) -> Evaluation:
    scope = view.ranked
    values = ByName((name, Values(name, scope.query_ids, column)) for name, column in columns.items())
    return Evaluation(
        about.run,
        about.qrels,
        values,
        scope.query_ids,
        absent=_named(scope, ~scope.in_run),
        empty=_named(scope, scope.in_run & (scope.retrieved == 0)),
        failures=dict(about.failures),
        unjudged=about.unjudged,
        without_relevant=_named(scope, _nothing_to_find(view, measures)),
        notes=about.notes,
    )


def _nothing_to_find(view: View, measures: Sequence[Measure]) -> Truths:
    """Queries for which at least one of the measures is 0 whatever is retrieved; shape (q,)."""
    nothing = np.zeros(len(view), dtype=np.bool_)
    bars: set[float] = set()
    for measure in measures:
        divides = measure.definition.divides if measure.definition else None
        if divides is not None:
            graded = divides == "gain" or measure.settings.graded
            bars.add(_ABOVE_ZERO if graded else measure.settings.rel)
    for bar in bars:
        nothing |= view.relevant_counts(bar) == 0
    return nothing


def _named(scope: RankedGrades, chosen: Truths) -> tuple[str, ...]:
    return tuple(scope.query_ids[place] for place in np.flatnonzero(chosen))


def _refuse_nothing_in_common(ranked: RankedGrades, about: _About) -> None:
    in_common = ranked.in_run.any() or any(query_id in about.failures for query_id in ranked.query_ids)
    if in_common or not about.unjudged:  # a run without any query is one that answered nothing, and counts 0
        return
    theirs = about.unjudged[0]
    judged = ranked.query_ids[:_NEAR_AMONG]
    if not judged:
        raise DataError(
            f"{about.qrels} judges no query, {about.run} has {theirs!r}", fix="give qrels that are not empty"
        )
    ours = nearest(theirs, judged) or judged[0]
    raise DataError(
        f"no query in common: {ours!r} in {about.qrels}, {theirs!r} in {about.run}",
        fix="write query ids the same way in both, or give the qrels that belong to this run",
    )
