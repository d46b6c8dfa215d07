"""`preflight:` in a suite: levels by rule, the share a stored run must cover, and slips with their places."""

from __future__ import annotations

import pytest
from suite_texts import read_more, refused_more, underlined

from pytest_relevance.suite.preflight import RULES


def test_levels_are_what_is_written_and_the_usual_ones_elsewhere() -> None:
    suite = read_more(
        "report: [nDCG@10]\npreflight: {judged-not-in-corpus: error, repeated-query: off, min_query_coverage: 95%}\n"
    )

    assert suite.preflight.severity("judged-not-in-corpus") == "error"
    assert suite.preflight.severity("repeated-query") is None
    assert suite.preflight.severity("tied-scores") == "warning"
    assert suite.preflight.min_query_coverage == pytest.approx(0.95)
    assert not suite.preflight.is_on("repeated-query")


def test_without_the_key_every_rule_has_its_usual_level_and_runs_must_cover_all() -> None:
    suite = read_more("report: [nDCG@10]\n")

    assert {name: suite.preflight.severity(name) for name in RULES} == {name: one.usual for name, one in RULES.items()}
    assert suite.preflight.min_query_coverage == 1.0


@pytest.mark.parametrize(
    ("written", "problem", "under"),
    [
        ("{judged-not-in-corpsu: warn}", "unknown rule 'judged-not-in-corpsu' in preflight", "judged-not-in-corpsu"),
        ("{repeated-query: maybe}", "unknown level 'maybe' of repeated-query in preflight", "maybe"),
        ("{repeated-query: []}", "unknown level '[]' of repeated-query in preflight", "[]"),
        ("{min_query_coverage: 2}", "preflight.min_query_coverage must be at most 1, found 2", "2"),
    ],
)
def test_a_slip_is_named_with_its_place(written: str, problem: str, under: str) -> None:
    error = refused_more(f"report: [nDCG@10]\npreflight: {written}\n")

    assert error.problem == problem
    assert underlined(error) == under


def test_the_nearest_rule_is_named() -> None:
    error = refused_more("report: [nDCG@10]\npreflight: {tied-score: off}\n")

    assert error.fix is not None
    assert "did you mean 'tied-scores'?" in error.fix


def test_a_bias_check_names_a_retriever_that_is_there() -> None:
    (check,) = read_more("checks:\n  - {bias: 'score:bm25', of: live, top: 20}\n").checks
    error = refused_more("checks:\n  - {bias: 'score:bm52', of: live}\n")

    assert (check.title, check.retrievers) == ("bias of score:bm25", ("live", "bm25"))
    assert error.problem == "unknown retriever 'bm52' in checks[0].bias"
