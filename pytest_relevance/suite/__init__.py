"""Suites: what a user writes, read into frozen records, with every problem named by its place."""

from pytest_relevance.suite.checks import Check, OrderCheck, OverlapCheck, Threshold
from pytest_relevance.suite.conditions import Expected, FieldCondition
from pytest_relevance.suite.data import SuiteData, load_data, resolve_query, slice_members
from pytest_relevance.suite.expectations import DocAbove, Expectation, First, QueryMeasure, Results, Top
from pytest_relevance.suite.model import Assertion, Grades, InlineQrels, RetrieverConfig, Suite
from pytest_relevance.suite.reader import read_suite
from pytest_relevance.suite.slices import SliceRule

__all__ = [
    "Assertion",
    "Check",
    "DocAbove",
    "Expectation",
    "Expected",
    "FieldCondition",
    "First",
    "Grades",
    "InlineQrels",
    "OrderCheck",
    "OverlapCheck",
    "QueryMeasure",
    "Results",
    "RetrieverConfig",
    "SliceRule",
    "Suite",
    "SuiteData",
    "Threshold",
    "Top",
    "load_data",
    "read_suite",
    "resolve_query",
    "slice_members",
]
