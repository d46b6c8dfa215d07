from __future__ import annotations

import pytest
from suite_texts import problems, read, refused, underlined

from pytest_relevance.suite import Drop, DropCheck, OverlapCheck, ResultsCheck
from pytest_relevance.suite.edits import SuiteEdits

HEAD = """\
queries: queries.jsonl
qrels: qrels.txt
slices: {type: {short: {words: [1, 3]}, long: {words: [4]}}}
retrievers: {live: {type: run, file: a.run}, old: {type: run, file: b.run}}
"""


def one(check: str) -> object:
    (found,) = read(f"{HEAD}checks: [{check}]\n").checks
    return found


def test_a_regression_check_says_against_what_and_how_much() -> None:
    check = one("{measure: ndcg@10, of: live, against: baseline, max_drop: 0.01, confidence: 90%}")

    assert isinstance(check, DropCheck)
    assert (check.title, check.max_drop, check.confidence) == ("nDCG@10 vs baseline", Drop(0.01), 0.9)
    assert (check.on_inconclusive, check.retrievers, check.needs_baseline) == ("notice", ("live",), True)


@pytest.mark.parametrize(
    ("written", "drop", "shown"),
    [("0.01", Drop(0.01), "0.01"), ("2%", Drop(0.02, relative=True), "2 %"), ("0", Drop(0.0), "0")],
)
def test_a_drop_is_points_or_a_share(written: str, drop: Drop, shown: str) -> None:
    check = one(f"{{measure: P@1, of: live, against: old, max_drop: {written}}}")

    assert isinstance(check, DropCheck)
    assert check.max_drop == drop
    assert str(check.max_drop) == shown
    assert check.retrievers == ("live", "old")


def test_a_claim_to_be_better_fails_where_nothing_shows_it() -> None:
    check = one("{measure: P@1, of: live, against: {run: x.run}, improves: true}")

    assert isinstance(check, DropCheck)
    assert (check.title, check.on_inconclusive, str(check.against)) == ("P@1 better than x.run", "fail", "x.run")


def test_slices_and_queries_have_bounds_of_their_own() -> None:
    check = one(
        "{measure: P@1, of: live, against: baseline, max_drop: 1%, each_slice: true, each_query: {max_drop: 0.5}}"
    )

    assert isinstance(check, DropCheck)
    assert check.each_slice is not None
    assert check.each_query is not None
    assert (check.each_slice.max_drop, check.each_query.mostly) == (Drop(0.01, relative=True), 1.0)


def test_checks_without_judgments_need_no_qrels() -> None:
    checks = read(
        "queries: q.tsv\nretrievers: {live: {type: http}}\nchecks:\n"
        "  - {overlap: Changed@10, of: live, against: baseline, at_most: 10%}\n  - {results: [0, 2], at_most: 5%}\n"
    ).checks

    assert isinstance(checks[0], OverlapCheck)
    assert isinstance(checks[1], ResultsCheck)
    assert [check.title for check in checks] == ["Changed@10 with baseline", "0 to 2 results"]


@pytest.mark.parametrize(
    ("check", "problem", "under"),
    [
        ("{measure: P@1, max_drop: 0.1}", "checks[0] has no against", "{measure: P@1, max_drop: 0.1}"),
        ("{measure: P@1, against: baseline}", "checks[0] allows any drop", "{measure: P@1, against: baseline}"),
        ("{measure: P@1, against: basline, max_drop: 0}", "unknown retriever 'basline' in checks[0]", "basline"),
        (
            "{measure: P@1, against: baseline, max_drop: -1}",
            "checks[0].max_drop needs a drop of 0 or more, found '-1'",
            "-1",
        ),
        ("{measure: P@1, against: baseline, max_drop: 101%}", "needs a drop of 0 or more", "101%"),
        ("{measure: P@1, of: live, against: live, max_drop: 0}", "compares a retriever with itself", "live"),
        ("{measure: P@1, against: baseline, max_drop: 0, improves: true}", "allows a drop and asks for a rise", "true"),
        ("{measure: P@1, against: baseline, each_slice: true}", "each_slice has no max_drop", "true"),
        ("{measure: P@1, against: baseline, max_drop: 0, confidence: 2}", "must be below 1", "2"),
        ("{overlap: RBO, with: old, against: baseline, at_least: 0.1}", "has a with and an against", None),
        ("{results: [3, 1], at_most: 0.1}", "the least number of results is above the most", "[3, 1]"),
        ("{results: 0, at_most: 5}", "at_most is 5, and a share goes from 0 to 1", "5"),
    ],
)
def test_a_check_that_cannot_be_meant_is_named(check: str, problem: str, under: str | None) -> None:
    error = refused(f"{HEAD}checks: [{check}]\n")

    assert problem in " ".join(problems(error)), problems(error)
    assert under is None or underlined(error) == under


def test_a_retriever_cannot_be_called_baseline_where_one_is_meant() -> None:
    text = "queries: q.tsv\nqrels: q.txt\nretrievers: {baseline: {type: http}, live: {type: http}}\n"

    assert "has that name too" in refused(f"{text}checks: [{{measure: P@1, against: baseline, max_drop: 0}}]\n").problem


def test_edited_bounds_and_gone_checks_are_found_by_their_titles() -> None:
    then = read(
        f"{HEAD}checks:\n  - {{measure: P@1, of: live, at_least: 0.5}}\n  - {{results: 0, of: live, at_most: 1%}}\n"
        "  - {measure: P@2, of: live, against: baseline, max_drop: 0.1, each_query: {max_drop: 0.5}}\n"
    )
    now = read(
        f"{HEAD}checks:\n  - {{measure: P@1, of: live, at_least: 0.4, level: warn}}\n"
        "  - {measure: P@2, of: live, against: baseline, max_drop: 20%, each_query: {max_drop: 0.6, mostly: 0.9}}\n"
    )

    edits = SuiteEdits(now, then)
    assert edits.of_check(now.checks[0]) == (
        "level was fail and is warn, in P@1 of live",
        "at_least was 0.5 and is 0.4, in P@1 of live",
    )
    assert edits.of_check(now.checks[1]) == (
        "max_drop was 0.1 and is 20 %, in P@2 vs baseline of live",
        "each_query was {max_drop: 0.5, mostly: 1} and is {max_drop: 0.6, mostly: 0.9}, in P@2 vs baseline of live",
    )
    assert edits.gone == ("the check 0 results of live",)
