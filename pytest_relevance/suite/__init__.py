"""Suites: what a user writes, read into frozen records, with every problem named by its place."""

from pytest_relevance.suite.asserted import Assertion, QueryTable
from pytest_relevance.suite.check_parts import Against, Drop
from pytest_relevance.suite.checks import BiasCheck, Check, DropCheck, OrderCheck, OverlapCheck, ResultsCheck, Threshold
from pytest_relevance.suite.conditions import FieldCondition, values_at
from pytest_relevance.suite.data import SuiteData, load_data, resolve_query, slice_members
from pytest_relevance.suite.expectations import (
    Distinct,
    DocPlace,
    Expectation,
    FewerResults,
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
from pytest_relevance.suite.expected import Expected
from pytest_relevance.suite.model import Grades, InlineQrels, RetrieverConfig, Suite
from pytest_relevance.suite.reader import read_suite
from pytest_relevance.suite.slices import SliceRule

__all__ = [
    "Against",
    "Assertion",
    "BiasCheck",
    "Check",
    "Distinct",
    "DocPlace",
    "Drop",
    "DropCheck",
    "Expectation",
    "Expected",
    "FewerResults",
    "FieldCondition",
    "First",
    "Grades",
    "InOrder",
    "InTiers",
    "InlineQrels",
    "Latency",
    "MoreResults",
    "OrderCheck",
    "OverlapCheck",
    "Overlaps",
    "QueryMeasure",
    "QueryTable",
    "Results",
    "ResultsCheck",
    "RetrieverConfig",
    "SameAs",
    "SliceRule",
    "Sorted",
    "SubsetOf",
    "Suite",
    "SuiteData",
    "Target",
    "Threshold",
    "Top",
    "Where",
    "bounds_of",
    "load_data",
    "read_suite",
    "resolve_query",
    "slice_members",
    "values_at",
]
