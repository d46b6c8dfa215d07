"""The table at the end of a session shows each value under the judgments it was measured with."""

from __future__ import annotations

from typing import Literal

from pytest_relevance.report import table
from pytest_relevance.verdict import Mean, Verdict


def threshold(
    value: float, outcome: Literal["pass", "warn", "fail"] = "pass", *, qrels: str = "editors", scope: str = ""
) -> Verdict:
    return Verdict(
        suite="shop",
        retriever="bm25",
        title="nDCG@10",
        kind="threshold",
        outcome=outcome,
        sentence="",
        measure="nDCG@10",
        qrels=qrels,
        scope=scope,
        value=value,
    )


def report(value: float) -> Verdict:
    return Verdict(
        suite="shop",
        retriever="bm25",
        title="report",
        kind="report",
        outcome="pass",
        sentence="",
        qrels="editors",
        means=(Mean("nDCG@10", value),),
    )


def words(*verdicts: Verdict) -> list[str]:
    return [" ".join(line.split()) for line in table(verdicts)]


def test_a_value_outside_its_bounds_is_marked() -> None:
    assert words(threshold(0.4, "fail")) == ["shop nDCG@10 checks assertions", "bm25 0.400 ! 0 of 1 -"]


def test_a_check_under_other_judgments_has_a_column_of_its_own() -> None:
    head, row = words(threshold(0.8, qrels="clicks"), report(0.9), threshold(0.9))

    assert head == "shop nDCG@10 clicks nDCG@10 checks assertions"
    assert row == "bm25 0.800 0.900 all 2 -"


def test_with_two_judgment_sets_and_no_report_both_are_named() -> None:
    head, _ = words(threshold(0.9), threshold(0.8, qrels="clicks"))

    assert head == "shop nDCG@10 editors nDCG@10 clicks checks assertions"


def test_the_value_of_a_slice_is_not_shown_as_the_whole() -> None:
    assert words(report(0.9), threshold(0.1, "fail", scope="language=de")) == [
        "shop nDCG@10 checks assertions",
        "bm25 0.900 0 of 1 -",
    ]


def test_a_check_that_holds_does_not_hide_one_that_does_not() -> None:
    _, row = words(threshold(0.5, "fail"), threshold(0.5, "warn"), threshold(0.5))

    assert row == "bm25 0.500 ! 1 of 3 -"
