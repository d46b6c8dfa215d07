"""Evaluate: the whole flow for one suite, without pytest."""

from pytest_relevance.evaluate.flow import SuiteFlow, evaluate_suite
from pytest_relevance.evaluate.hits import Hits
from pytest_relevance.evaluate.retrieval import Settings
from pytest_relevance.evaluate.searching import Searching
from pytest_relevance.evaluate.tasks import AssertionTask, CheckTask, ReportTask, Task, tasks_of

__all__ = [
    "AssertionTask",
    "CheckTask",
    "Hits",
    "ReportTask",
    "Searching",
    "Settings",
    "SuiteFlow",
    "Task",
    "evaluate_suite",
    "tasks_of",
]
