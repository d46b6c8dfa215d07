"""Verdicts: what came of a check or an assertion, decided from evaluations and rankings alone."""

from pytest_relevance.verdict.assertions import decide_expectation, decide_table
from pytest_relevance.verdict.checks import decide_order, decide_overlap, decide_results, decide_threshold
from pytest_relevance.verdict.record import Beside, Broken, Mean, Outcome, QueryValue, Row, Verdict
from pytest_relevance.verdict.words import Evidence

__all__ = [
    "Beside",
    "Broken",
    "Evidence",
    "Mean",
    "Outcome",
    "QueryValue",
    "Row",
    "Verdict",
    "decide_expectation",
    "decide_order",
    "decide_overlap",
    "decide_results",
    "decide_table",
    "decide_threshold",
]
