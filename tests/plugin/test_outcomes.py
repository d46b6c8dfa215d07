"""A bad ranking fails, a broken set-up is an error, and both say what to do."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

Suite = Callable[..., None]

# By hand: q1 A1 B1 is ideal (1.0), q2 is ideal (1.0), q3 has A1 (1) above A2 (3): (1 + 3/log2(3)) / (3 + 1/log2(3)).
NDCG = (1 + 1 + 0.7967075809905066) / 3


def test_a_threshold_that_holds_passes(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.9}\n")

    result = pytester.runpytest("--relevance", "-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["shoes.relevance.yaml::live::nDCG@10 PASSED*"])


def test_a_threshold_that_does_not_hold_fails_with_its_queries_and_intervals(
    pytester: pytest.Pytester, suite: Suite
) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.95}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "nDCG@10 is 0.932 for live, below the 0.950 this suite expects (-0.018)",
            "*shoes.relevance.yaml:7:5*3 queries*",
            "*mean*95% interval*",
            "*this run*0.932*..*",
            "*at least*0.950*",
            "*q3 blue shoes*0.797*2*",
            "*Judged@10*nDCG-f@10 0.932*",
            "*pytest --relevance shoes.relevance.yaml::live::nDCG@10 --relevance-query q3",
            "*FAILED shoes.relevance.yaml::live::nDCG@10 - *",
        ]
    )


def test_an_assertion_that_does_not_hold_shows_the_ranking(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: blue shoes, of: live, expect: [{first: A2}, {top: 3, contains: [A1]}]}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "'blue shoes' on live: the first document is A1, not A2 (found at rank 2)",
            "*rank*doc_id*grade*title*",
            "*1*A1*1*red running shoes*<- A2 should stand here",
            "*2*A2*3*blue running shoes*<- should be first",
        ]
    )


def test_a_field_assertion_names_the_offenders(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{top: 3, all: {category: footwear}}]}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["'red shoes' on live: 1 of the top 3 is not category=footwear (rank 2)"])
    result.stdout.fnmatch_lines(["*2*B1*1*red shoe laces*accessories*<- not category=footwear"])


def test_a_failing_check_of_level_warn_is_reported_and_does_not_fail(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.99, level: warn}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["warning: nDCG@10 is 0.932 for live, below the 0.990 this suite expects*"])


def test_a_misspelled_key_is_an_error_at_its_place(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_leest: 0.9}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*shoes.relevance.yaml:7:34: unknown key 'at_leest'*", "*fix: did you mean 'at_least'?*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{type: bm25, k1: much}", "retrievers.broken.k1 needs a number, found 'much'"),
        ("{type: bm26}", "unknown type 'bm26' of retriever 'broken'"),
        ("{type: fuse, of: [live, plain], k: much}", "retrievers.broken.k needs a number, found 'much'"),
        ("{type: fuse, of: [live, plane]}", "unknown retriever 'plane'"),
    ],
)
def test_a_retriever_that_cannot_be_made_stops_only_what_is_made_from_it(
    pytester: pytest.Pytester, suite: Suite, entry: str, problem: str
) -> None:
    suite(
        "checks:\n  - {measure: nDCG@10, at_least: 0.1}\n",
        head=f"  broken: {entry}\n  mixed: {{type: fuse, of: [live, broken]}}\n"
        "  plain: {type: bm25}\n  sound: {type: fuse, of: [live, plain]}\n",
    )

    result = pytester.runpytest("--relevance", "-p", "no:randomly")

    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(
        [
            f"shoes.relevance.yaml:6:*: {problem}",
            "  fix: *",
            f"mixed: {problem} (more is told at the first error of broken)",
            "*live *all 1*",
            "*broken *not retrieved*",
            "*mixed *not retrieved*",
            "*sound *all 1*",
        ]
    )
    assert result.stdout.str().count("  fix: ") == 1


def test_a_bad_line_of_judgments_is_an_error_and_told_whole_once(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "checks:\n  - {measure: nDCG@10, of: live, at_least: 0.9}\n  - {measure: R@10, of: live, at_least: 0.9}\n",
        qrels="q1 0 A1 3\nq1 0 B1\n",
    )

    result = pytester.runpytest("--relevance", "-p", "no:randomly")

    result.assert_outcomes(errors=2)
    assert result.stdout.str().count("^^^^^^^") == 1
    result.stdout.fnmatch_lines(
        ["*qrels.txt:2:1: expected 4 columns*", "*fix: write query_id, iteration, doc_id and grade*"]
    )


def test_a_query_that_did_not_run_is_an_error_and_never_a_zero(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "checks:\n  - {measure: nDCG@10, of: live, at_least: 0.1}\n"
        "assertions:\n  - {query: q1, of: live, expect: [{first: A1}]}\n"
    )
    (pytester.path / "counting.py").write_text(
        "def search(query, depth):\n"
        "    if query.query_id == 'q2':\n"
        "        raise TimeoutError('no answer')\n"
        "    return ['A1']\n",
        encoding="utf-8",
    )

    result = pytester.runpytest("--relevance", "-p", "no:randomly")

    result.assert_outcomes(errors=1, passed=1)  # the assertion about q1 is about q1 alone
    result.stdout.fnmatch_lines(["*live answered 2 of 3 queries; q2 did not run: *TimeoutError*no answer*"])


def test_a_retriever_that_cannot_be_made_is_an_error(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.1}\n")
    (pytester.path / "counting.py").write_text("def serch(query, depth):\n    return []\n", encoding="utf-8")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["shoes.relevance.yaml:5:*'counting' has no function 'search'*", "*did you mean 'serch'?*"]
    )


def test_the_table_shows_every_measure_that_is_reported(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("report: [nDCG@10, R@100]\nchecks:\n  - {measure: nDCG@10, of: live, at_least: 0.99}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*- relevance -*", "shoes*nDCG@10*R@100*", "  live*0.932 !*1.000*0 of 1*"])


def test_json_and_junit_hold_the_values(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.95}\n")

    pytester.runpytest("--relevance", "--relevance-json=out/verdicts.json", "--junitxml=out.xml")

    whole = json.loads((pytester.path / "out/verdicts.json").read_text(encoding="utf-8"))
    assert whole["outcomes"] == {"fail": 1}
    assert whole["verdicts"][0]["value"] == pytest.approx(NDCG, abs=1e-9)
    properties = ElementTree.parse(pytester.path / "out.xml").iter("property")  # our own file
    values = {one.get("name"): one.get("value") for one in properties}
    assert float(values["nDCG@10"] or 0) == pytest.approx(NDCG, abs=1e-9)


@pytest.mark.parametrize("options", [[], ["-q"], ["-qq"]])
def test_a_suite_named_without_the_switch_says_once_what_is_missing(
    pytester: pytest.Pytester, suite: Suite, options: list[str]
) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.95}\n")

    result = pytester.runpytest(*options, "shoes.relevance.yaml")

    said = [line for line in result.outlines if line == "relevance: add --relevance to run shoes.relevance.yaml"]
    assert len(said) == 1


def test_an_order_of_retrievers_must_be_shown(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "checks:\n  - {measure: nDCG@10, order: [twin, live]}\n",
        head="  twin: {type: function, function: 'counting:search'}\n",
    )

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["nDCG@10*: twin (0.932) ties with live (0.932), but this suite expects twin > live"])


def test_the_overlap_of_a_retriever_with_its_twin_is_whole(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "checks:\n  - {overlap: RBO(p=0.9), of: twin, with: live, at_least: 1.0}\n",
        head="  twin: {type: function, function: 'counting:search'}\n",
    )

    pytester.runpytest("--relevance").assert_outcomes(passed=1)


def test_an_order_of_many_may_agree_in_the_main(pytester: pytest.Pytester, suite: Suite) -> None:
    # Means by hand: live 0.932, worse 0.464, none 0. Of the three pairs of worse > live > none two stand: tau 1/3.
    suite(
        "checks:\n"
        "  - {measure: nDCG@10, order: [worse, live, none], tau_b: 0.3}\n"
        "  - {measure: nDCG@10, order: [worse, live, none], tau_b: 0.5}\n",
        head=(
            "  worse: {type: function, function: 'others:worse'}\n  none: {type: function, function: 'others:none'}\n"
        ),
    )
    (pytester.path / "others.py").write_text(
        "def worse(query, depth):\n    return {'q1': ['B1'], 'q2': ['C1']}.get(query.query_id, [])\n\n\n"
        "def none(query, depth):\n    return ['X']\n",
        encoding="utf-8",
    )

    result = pytester.runpytest("--relevance", "-p", "no:randomly")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["Kendall tau-b between worse > live > none and nDCG@10*is 0.333, below the 0.500 this suite expects (-0.167)"]
    )


def test_a_query_nobody_asks_about_is_a_usage_error(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.5}\n")

    result = pytester.runpytest("--relevance", "--relevance-query", "q9")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--relevance-query q9: no suite here asks anything of such a query"])


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_the_summary_of_a_failure_is_its_sentence_in_ci_too(
    pytester: pytest.Pytester, suite: Suite, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    monkeypatch.setenv("CI", "true")  # there pytest cuts nothing of what it is given for the summary
    suite(
        "checks:\n  - {measure: nDCG@10, of: live, at_least: 0.95}\n  - {measure: nDCG@10, of: gone, at_least: 0.5}\n",
        head="  gone: {type: run, file: nowhere.run}\n",
    )

    result = pytester.runpytest_subprocess("--relevance", *workers)

    result.assert_outcomes(failed=1, errors=1)
    text = result.stdout.str()
    assert text.count("lowest queries") == 1
    assert text.count("fix:") == 1
    result.stdout.fnmatch_lines_random(
        [
            "FAILED shoes.relevance.yaml::live::nDCG@10 - nDCG@10 is 0.932 for live, below the 0.950*",
            "ERROR shoes.relevance.yaml::gone::nDCG@10 - shoes.relevance.yaml:6:*",
        ]
    )
