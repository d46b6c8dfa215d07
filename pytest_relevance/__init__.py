"""Search-relevance regression testing for pytest: suites, measures, retrievers, verdicts.

The public names, each imported when first used, so that an unused plugin costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_relevance.errors import RelevanceError as RelevanceError
    from pytest_relevance.evaluate import evaluate_suite as evaluate_suite
    from pytest_relevance.evaluate.pairwise import compare as compare
    from pytest_relevance.measures import evaluate as evaluate
    from pytest_relevance.measures import overlap as overlap
    from pytest_relevance.measures import parse_measure as parse_measure
    from pytest_relevance.measures.files import evaluate_files as evaluate_files
    from pytest_relevance.records import Evaluation as Evaluation
    from pytest_relevance.records import Qrels as Qrels
    from pytest_relevance.records import Queries as Queries
    from pytest_relevance.records import Query as Query
    from pytest_relevance.records import Run as Run
    from pytest_relevance.suite import read_suite as read_suite
    from pytest_relevance.trec import read_corpus as read_corpus
    from pytest_relevance.trec import read_qrels as read_qrels
    from pytest_relevance.trec import read_queries as read_queries
    from pytest_relevance.trec import read_run as read_run
    from pytest_relevance.trec import write_qrels as write_qrels
    from pytest_relevance.trec import write_run as write_run
    from pytest_relevance.verdict import Verdict as Verdict

_ROOMS = {
    "RelevanceError": "errors",
    "Evaluation": "records",
    "Qrels": "records",
    "Queries": "records",
    "Query": "records",
    "Run": "records",
    "Verdict": "verdict",
    "compare": "evaluate.pairwise",
    "evaluate": "measures",
    "evaluate_files": "measures.files",
    "evaluate_suite": "evaluate",
    "overlap": "measures",
    "parse_measure": "measures",
    "read_corpus": "trec",
    "read_qrels": "trec",
    "read_queries": "trec",
    "read_run": "trec",
    "read_suite": "suite",
    "write_qrels": "trec",
    "write_run": "trec",
}

__all__ = [
    "Evaluation",
    "Qrels",
    "Queries",
    "Query",
    "RelevanceError",
    "Run",
    "Verdict",
    "compare",
    "evaluate",
    "evaluate_files",
    "evaluate_suite",
    "overlap",
    "parse_measure",
    "read_corpus",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_suite",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'pytest_relevance' has no attribute {name!r}")
    found = getattr(import_module(f"pytest_relevance.{_ROOMS[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
