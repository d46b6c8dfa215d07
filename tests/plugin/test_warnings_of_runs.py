"""What a run warns of is told at the end of a session that passes, once, from workers and through a fusion too."""

from __future__ import annotations

import pytest

CONFTEST = """
from dataclasses import replace
from pytest_relevance.records import Run
from pytest_relevance.retrievers import WARNINGS, Opened

class Warned(Opened):
    def __init__(self, name):
        self.name = name

    def whole_run(self, queries, *, depth):
        run = Run.from_rankings({query.query_id: ["d"] for query in queries}, name=self.name)
        return replace(run, provenance={WARNINGS: [f"{self.name}: its index misses half"]})

    def retrieve(self, queries, *, depth):
        raise AssertionError("it has all its rankings at once")

def pytest_relevance_retrievers():
    return {"warned": lambda config, context: Warned(config.name)}
"""
SUITE = """
queries: [{id: q1, text: red}, {id: q2, text: blue}]
qrels: qrels.txt
retrievers:
  first: {type: warned}
  second: {type: warned}
  both: {type: fuse, of: [first, second]}
report: [RR@10]
checks:
  - {measure: RR@10, of: both, at_least: 1}
  - {measure: RR@10, of: first, at_least: 1}
"""


@pytest.fixture(autouse=True)
def _suite(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makefile(".relevance.yaml", shoes=SUITE)
    (pytester.path / "qrels.txt").write_text("q1 0 d 1\nq2 0 d 1\n", encoding="utf-8")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_each_warning_is_told_once_where_everything_passes(workers: tuple[str, ...], pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--relevance", *workers)

    result.assert_outcomes(passed=5)
    for name in ("first", "second"):
        assert result.outlines.count(f"{name}: its index misses half") == 1


def test_a_fusion_alone_tells_what_its_parts_warn_of(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--relevance", "--relevance-retriever", "both")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines_random(["first: its index misses half", "second: its index misses half"])
