"""Expectations: what an assertion states about one query's ranking. One class a word; a new word is a new class."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Discriminator, Tag

from pytest_relevance.suite.expectations.base import CountBounds, ExpectationForm, Target, bounds_of
from pytest_relevance.suite.expectations.counts import Latency, LatencyForm, QueryMeasure, Results, Where
from pytest_relevance.suite.expectations.positions import DocPlace, First, InOrder, InTiers
from pytest_relevance.suite.expectations.relations import FewerResults, MoreResults, Overlaps, SameAs, SubsetOf
from pytest_relevance.suite.expectations.top import Distinct, DistinctForm, Sorted, SortForm, Top

# In the order in which a written word is looked for: `top` last, for it may also say how much of something else counts.
FORMS: tuple[tuple[str, type[ExpectationForm]], ...] = (
    ("first", First),
    ("doc", DocPlace),
    ("order", InOrder),
    ("tiers", InTiers),
    ("results", Results),
    ("measure", QueryMeasure),
    ("latency", Latency),
    ("sorted", Sorted),
    ("distinct", Distinct),
    ("same_as", SameAs),
    ("subset_of", SubsetOf),
    ("more_results_than", MoreResults),
    ("fewer_results_than", FewerResults),
    ("overlaps", Overlaps),
    ("where", Where),
    ("top", Top),
)
WORDS = tuple(word for word, _ in FORMS)


def first_word(written: object) -> str | None:
    """The word that tells which expectation this is, as the tag of its form."""
    return next((f"<{word}>" for word in WORDS if word in written), None) if isinstance(written, dict) else None


Expectation: TypeAlias = ExpectationForm
AnyExpectation: TypeAlias = Annotated[
    Annotated[First, Tag("<first>")]
    | Annotated[Top, Tag("<top>")]
    | Annotated[DocPlace, Tag("<doc>")]
    | Annotated[InOrder, Tag("<order>")]
    | Annotated[InTiers, Tag("<tiers>")]
    | Annotated[Results, Tag("<results>")]
    | Annotated[QueryMeasure, Tag("<measure>")]
    | Annotated[Latency, Tag("<latency>")]
    | Annotated[Sorted, Tag("<sorted>")]
    | Annotated[Distinct, Tag("<distinct>")]
    | Annotated[SameAs, Tag("<same_as>")]
    | Annotated[SubsetOf, Tag("<subset_of>")]
    | Annotated[MoreResults, Tag("<more_results_than>")]
    | Annotated[FewerResults, Tag("<fewer_results_than>")]
    | Annotated[Overlaps, Tag("<overlaps>")]
    | Annotated[Where, Tag("<where>")],
    Discriminator(first_word),
]

__all__ = [
    "FORMS",
    "WORDS",
    "AnyExpectation",
    "CountBounds",
    "Distinct",
    "DistinctForm",
    "DocPlace",
    "Expectation",
    "ExpectationForm",
    "FewerResults",
    "First",
    "InOrder",
    "InTiers",
    "Latency",
    "LatencyForm",
    "MoreResults",
    "Overlaps",
    "QueryMeasure",
    "Results",
    "SameAs",
    "SortForm",
    "Sorted",
    "SubsetOf",
    "Target",
    "Top",
    "Where",
    "bounds_of",
    "first_word",
]
