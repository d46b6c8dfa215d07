"""From an expectation of a suite to the word of the vocabulary that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.records.ranking import Ranking
from pytest_relevance.retrievers.callables import told
from pytest_relevance.suite import (
    Distinct,
    DocPlace,
    Expectation,
    FewerResults,
    FieldCondition,
    First,
    InOrder,
    InTiers,
    Latency,
    MoreResults,
    Overlaps,
    QueryMeasure,
    Results,
    SameAs,
    Sorted,
    SubsetOf,
    Target,
    Top,
    Where,
    bounds_of,
)
from pytest_relevance.verdict import vocabulary
from pytest_relevance.verdict.vocabulary import Finding


class Evidence(Protocol):
    """What may be asked beyond the ranking, about its query and its retriever."""

    def value(self, expectation: QueryMeasure) -> float:
        """The measure's value."""
        ...

    def grades(self, expectation: QueryMeasure) -> Mapping[str, float]:
        """All judgments of the query: doc_id → grade."""
        ...

    def other(self, target: Target) -> Ranking:
        """The ranking that this one is compared with."""
        ...

    def function(self, expectation: Where) -> Callable[[Ranking], object]:
        """The user's function."""
        ...


def find(expectation: Expectation, ranking: Ranking, evidence: Evidence) -> Finding:
    """What an expectation finds in a ranking.

    Raises:
        RelevanceError: it cannot be decided: no latency is known, a query is unjudged, a function of the user's fails.
    """
    return _DECIDERS[type(expectation)](expectation, ranking, evidence)


def _top(expectation: Top, ranking: Ranking, _: Evidence) -> Finding:
    top = expectation.top
    if expectation.contains is not None:
        needed = expectation.least_contained
        return vocabulary.contains(ranking, expectation.contains, top=top, at_least=needed)
    if expectation.excludes is not None:
        return vocabulary.excludes(ranking, expectation.excludes, top=top)
    if expectation.all is not None:
        mostly = 1.0 if expectation.mostly is None else expectation.mostly
        return vocabulary.all_of(ranking, expectation.all, top=top, mostly=mostly)
    if expectation.none is not None:
        return vocabulary.none_of(ranking, expectation.none, top=top)
    assert isinstance(expectation.any, FieldCondition)  # the model holds exactly one claim
    return vocabulary.any_of(ranking, expectation.any, top=top)


def _place(expectation: DocPlace, ranking: Ranking, _: Evidence) -> Finding:
    if expectation.above is not None:
        return vocabulary.above(ranking, expectation.doc, expectation.above)
    if expectation.below is not None:
        return vocabulary.below(ranking, expectation.doc, expectation.below)
    assert expectation.rank is not None  # the model holds exactly one claim
    low, high = bounds_of(expectation.rank)
    return vocabulary.at_rank(ranking, expectation.doc, at_least=low, at_most=high)


def _results(expectation: Results, ranking: Ranking, _: Evidence) -> Finding:
    low, high = bounds_of(expectation.results)
    return vocabulary.results(ranking, at_least=low, at_most=high)


def _measure(expectation: QueryMeasure, ranking: Ranking, evidence: Evidence) -> Finding:
    return vocabulary.measure(
        ranking,
        expectation.measure,
        evidence.value(expectation),
        at_least=expectation.at_least,
        at_most=expectation.at_most,
        grades=evidence.grades(expectation),
    )


def _latency(expectation: Latency, ranking: Ranking, _: Evidence) -> Finding:
    if ranking.seconds is None:
        raise RetrieverError(
            f"nobody knows how long {ranking.retriever} took to answer {ranking.query.text!r}: "
            "it answers many queries at once, or from a file",
            place=expectation.place,
            fix="state latency of retrievers that are asked query by query (bm25, function, search APIs), with 'of'",
        )
    return vocabulary.latency(ranking, at_most=expectation.latency.at_most)


def _sorted(expectation: Sorted, ranking: Ranking, _: Evidence) -> Finding:
    how = expectation.sorted
    return vocabulary.sorted_by(ranking, how.by, order=how.order, top=expectation.top)


def _distinct(expectation: Distinct, ranking: Ranking, _: Evidence) -> Finding:
    how = expectation.distinct
    return vocabulary.distinct(ranking, how.field, top=expectation.top, at_least=how.at_least, at_most=how.at_most)


def _same_as(expectation: SameAs, ranking: Ranking, evidence: Evidence) -> Finding:
    other = evidence.other(expectation.target)
    return vocabulary.same_as(ranking, other, top=expectation.top, any_order=expectation.any_order == "true")


def _overlaps(expectation: Overlaps, ranking: Ranking, evidence: Evidence) -> Finding:
    other = evidence.other(expectation.target)
    return vocabulary.overlaps(ranking, other, at_least=expectation.overlaps, top=expectation.top)


def _where(expectation: Where, ranking: Ranking, evidence: Evidence) -> Finding:
    function = evidence.function(expectation)
    try:
        return vocabulary.where(ranking, function, name=expectation.where, top=expectation.top)
    except Exception as error:
        raise SuiteError(
            f"{expectation.where} failed for {ranking.query.text!r} on {ranking.retriever}: {told(error)}",
            place=expectation.place,
            fix="mend the function: it returns true or false, or raises AssertionError",
        ) from error


_DECIDERS: Mapping[type, Callable[[Any, Ranking, Evidence], Finding]] = {
    First: lambda expectation, ranking, _: vocabulary.first(ranking, expectation.first),
    Top: _top,
    DocPlace: _place,
    InOrder: lambda expectation, ranking, _: vocabulary.in_order(ranking, expectation.order),
    InTiers: lambda expectation, ranking, _: vocabulary.in_tiers(ranking, expectation.tiers),
    Results: _results,
    QueryMeasure: _measure,
    Latency: _latency,
    Sorted: _sorted,
    Distinct: _distinct,
    SameAs: _same_as,
    SubsetOf: lambda expectation, ranking, evidence: vocabulary.subset_of(
        ranking, evidence.other(expectation.target), top=expectation.top
    ),
    MoreResults: lambda expectation, ranking, evidence: vocabulary.more_results_than(
        ranking, evidence.other(expectation.target)
    ),
    FewerResults: lambda expectation, ranking, evidence: vocabulary.fewer_results_than(
        ranking, evidence.other(expectation.target)
    ),
    Overlaps: _overlaps,
    Where: _where,
}
