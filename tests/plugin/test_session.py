"""Selecting, sharing and repeating: pytest's own options do what people expect, and a retriever is asked once."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

Suite = Callable[..., None]
Asked = Callable[[], list[str]]

BODY = """
report: [nDCG@10, R@100]
checks:
  - {measure: nDCG@10, of: live, at_least: 0.9}
  - {measure: R@100, of: live, at_least: 0.9}
assertions:
  - {query: red shoes, of: live, expect: [{first: A1}, {top: 3, contains: [B1]}]}
  - {query: garden hose, of: live, expect: [{results: 1}]}
"""
ITEMS = 6


def test_node_ids_are_readable_and_each_selects_its_item(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    listing = pytester.runpytest("--relevance", "--co", "-q", "-p", "no:randomly")

    node_ids = [line for line in listing.outlines if "::" in line]

    assert node_ids == [
        "shoes.relevance.yaml::live::report",
        "shoes.relevance.yaml::live::nDCG@10",
        "shoes.relevance.yaml::live::R@100",
        "shoes.relevance.yaml::live::red shoes::first A1",
        "shoes.relevance.yaml::live::red shoes::top 3 contains B1",
        "shoes.relevance.yaml::live::garden hose::1 result",
    ]
    for node_id in node_ids:
        pytester.runpytest("--relevance", node_id).assert_outcomes(passed=1)


@pytest.mark.parametrize("distribution", ["load", "loadscope", "worksteal", "loadfile", "loadgroup"])
def test_workers_ask_each_retriever_once_between_them(
    pytester: pytest.Pytester, suite: Suite, asked: Asked, distribution: str
) -> None:
    suite(BODY)

    result = pytester.runpytest_subprocess("--relevance", "-n", "2", "--dist", distribution)

    result.assert_outcomes(passed=ITEMS)
    assert sorted(asked()) == ["q1", "q2", "q3"]
    result.stdout.fnmatch_lines(["*- relevance -*", "shoes*nDCG@10*", "  live*0.932*all 2*all 3*"])


def test_only_the_queries_of_what_is_selected_are_retrieved(
    pytester: pytest.Pytester, suite: Suite, asked: Asked
) -> None:
    suite(BODY)

    pytester.runpytest("--relevance", "-k", "hose").assert_outcomes(passed=1, deselected=5)

    assert asked() == ["q2"]


def test_a_measure_is_a_keyword(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)

    pytester.runpytest("--relevance", "-k", "nDCG-10").assert_outcomes(passed=1, deselected=5)


def test_only_what_failed_runs_again(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY.replace("R@100, of: live, at_least: 0.9", "nDCG@1, of: live, at_least: 0.99"))

    first = pytester.runpytest("--relevance")
    again = pytester.runpytest("--relevance", "--lf")

    first.assert_outcomes(passed=ITEMS - 1, failed=1)
    again.assert_outcomes(failed=1, deselected=ITEMS - 1)


def test_the_first_failure_ends_the_session_on_request(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 1.0}\n  - {measure: R@100, of: live, at_least: 0.9}\n")

    pytester.runpytest("--relevance", "-x", "-p", "no:randomly").assert_outcomes(failed=1)


def test_one_retriever_alone(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "report: [nDCG@10]\n",
        head="  twin: {type: function, function: 'counting:search'}\n",
    )

    result = pytester.runpytest("--relevance", "--relevance-retriever", "twin")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  twin*"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize(
    ("option", "asked", "why"),
    [
        ("--relevance-retriever", "live2", "no suite here has such a retriever*did you mean 'live'?*"),
        ("--relevance-query", "q99", "no suite here asks anything of such a query"),
    ],
)
def test_what_no_suite_has_cannot_be_asked_for(
    pytester: pytest.Pytester, suite: Suite, option: str, asked: str, why: str, workers: tuple[str, ...]
) -> None:
    suite(BODY)

    result = pytester.runpytest("--relevance", option, asked, *workers)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = " ".join([*result.outlines, *result.errlines])
    assert fnmatch(told, f"*ERROR: {option} {asked}: {why}*")
    assert "INTERNALERROR" not in told


@pytest.mark.parametrize("option", ["--relevance-json", "--relevance-markdown", "--relevance-record"])
def test_where_nothing_can_be_written_nothing_is_begun(pytester: pytest.Pytester, suite: Suite, option: str) -> None:
    suite(BODY)

    result = pytester.runpytest("--relevance", option, "qrels.txt/deeper/here")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option}: no folder *qrels.txt/deeper* can be made (*); name another"])
    assert not (pytester.path / "asked.txt").exists()


@pytest.mark.parametrize("option", ["--relevance-json", "--relevance-markdown"])
def test_a_folder_is_no_file_to_write(pytester: pytest.Pytester, suite: Suite, option: str) -> None:
    suite(BODY)

    result = pytester.runpytest("--relevance", option, ".")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option} .: that is a folder; name a file in it"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
@pytest.mark.parametrize("option", ["--relevance-json", "--relevance-markdown"])
def test_a_full_disk_is_told_and_is_no_success(pytester: pytest.Pytester, suite: Suite, option: str) -> None:
    suite(BODY)

    result = pytester.runpytest("--relevance", option, "/dev/full", "-k", "report")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, deselected=result.parseoutcomes().get("deselected", 0))
    result.stdout.fnmatch_lines(["ERROR: /dev/full cannot be written (No space left on device): make room for it, *"])


def test_one_query_alone_shows_its_ranking(pytester: pytest.Pytester, suite: Suite, asked: Asked) -> None:
    suite(BODY)

    result = pytester.runpytest("--relevance", "--relevance-query", "q3")

    result.stdout.fnmatch_lines(["*rank*doc_id*grade*", "*1*A1*1*red running shoes*", "*2*A2*3*blue running shoes*"])
    assert asked() == ["q3"]


def test_the_depth_can_be_set_for_a_session(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: red shoes, of: live, expect: [{results: 1}]}\n")

    pytester.runpytest("--relevance", "--relevance-depth", "1").assert_outcomes(passed=1)
    pytester.runpytest("--relevance").assert_outcomes(failed=1)


def test_a_depth_below_one_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--relevance", "--relevance-depth", "0")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--relevance-depth is 0*"])


def test_python_tests_run_beside_suites_in_any_order(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(test_plain="def test_plain(): assert True")

    pytester.runpytest("--relevance", "-p", "randomly", "-p", "no:cacheprovider").assert_outcomes(passed=ITEMS + 1)


def test_a_failure_may_be_tried_again(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 1.0}\n")

    result = pytester.runpytest("--relevance", "--reruns", "1")

    result.assert_outcomes(failed=1)
    assert "1 rerun" in result.stdout.str()


def test_a_conftest_adds_a_retriever_and_a_measure(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "checks:\n  - {measure: Luck, of: mine, at_least: 1.0}\n",
        head="  mine: {type: lucky}\n",
    )
    pytester.makeconftest(
        """
        from contextlib import contextmanager
        from pytest_relevance.retrievers import Hit, Opened, Ranked

        class Lucky(Opened):
            def retrieve(self, queries, *, depth):
                for query in queries:
                    yield Ranked(query.query_id, [Hit("A1", 1.0)])

        def pytest_relevance_retrievers():
            return {"lucky": lambda config, context: Lucky()}

        def pytest_relevance_measures():
            return {"Luck": lambda ranking, grades: float(ranking[0] == "A1")}
        """
    )

    pytester.runpytest("--relevance").assert_outcomes(passed=1)


def test_a_name_offered_twice_names_both_plugins(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("report: [nDCG@10]\n")
    pytester.makeconftest("def pytest_relevance_retrievers(): return {'bm25': None}")

    result = pytester.runpytest("--relevance")

    assert result.ret != 0
    result.stdout.fnmatch_lines(
        ["'bm25' is offered twice by pytest_relevance_retrievers: by conftest.py and pytest_relevance.plugin"]
    )
