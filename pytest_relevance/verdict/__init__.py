"""Verdicts: what came of a check or an assertion, decided from evaluations and rankings alone."""

from pytest_relevance.verdict.assertions import decide_expectation
from pytest_relevance.verdict.checks import decide_order, decide_overlap, decide_threshold
from pytest_relevance.verdict.record import Beside, Mean, Outcome, QueryValue, Row, Verdict

__all__ = [
    "Beside",
    "Mean",
    "Outcome",
    "QueryValue",
    "Row",
    "Verdict",
    "decide_expectation",
    "decide_order",
    "decide_overlap",
    "decide_threshold",
]
