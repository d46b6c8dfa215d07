"""Every word in a suite that pytest runs: tables, known failures, levels, latency, functions of one's own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_relevance.suite.expectations import WORDS

EXAMPLES = Path(__file__).resolve().parents[2] / "example_suites"
Suite = Callable[..., None]


def words_in(path: Path) -> set[str]:
    """The keys of every expectation of a suite, and those inside them."""
    _, _, asserted = path.read_text(encoding="utf-8").partition("\nassertions:\n")
    return set(re.findall(r"[{,] ?(\w+):", asserted))


def test_every_word_holds_in_the_example(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLES / "vocabulary", pytester.path / "vocabulary")

    result = pytester.runpytest("--relevance", "vocabulary", "-rx")

    assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    assert set(result.parseoutcomes()) == {"passed", "xfailed"}
    result.stdout.fnmatch_lines(
        [
            "*warning: 'teapot' on titles: the top 3 is not sorted by price descending (rank *",
            "XFAIL *titles::drachen::top 3 contains B04 - titles are searched in their own language only",
        ]
    )


def test_every_word_has_an_example_that_holds_and_one_that_fails() -> None:
    claims = {"contains", "excludes", "all", "any", "none", "mostly", "at_least", "above", "below", "rank"}
    holding = words_in(EXAMPLES / "vocabulary" / "vocabulary.relevance.yaml")
    failing = set().union(*map(words_in, EXAMPLES.glob("failing/*/*.relevance.yaml")))

    assert {*WORDS, *claims, "level"} - holding == set()
    assert {*WORDS, *claims, "known_failure"} - failing == set()


def test_a_known_failure_that_fails_is_no_failure(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{first: B1}], known_failure: see issue 12}\n")

    result = pytester.runpytest("--relevance", "-rx")

    result.assert_outcomes(xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["XFAIL shoes.relevance.yaml::live::q1::first B1 - see issue 12"])
    result.stdout.fnmatch_lines(["*live*0 of 1 (1 known)*"])


def test_a_known_failure_that_holds_is_a_failure(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{first: A1, known_failure: see issue 12}]}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "'red shoes' on live: the first document is A1; it is marked as a known failure (see issue 12), "
            "which is over: remove known_failure"
        ]
    )


def test_known_failures_fail_under_runxfail(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{first: B1}], known_failure: see issue 12}\n")

    result = pytester.runpytest("--relevance", "--runxfail")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["'red shoes' on live: the first document is A1, not B1 (found at rank 2)"])


def test_a_known_failure_does_not_hide_a_broken_set_up(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{where: 'no_such:thing'}], known_failure: see issue 12}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no module 'no_such', which this expectation asks for*"])


TABLE = "assertions:\n  - {queries: [q1, q2, q3], of: live, expect: [{top: 1, all: {category: footwear}}]%s}\n"


def test_a_table_is_one_item_and_names_its_worst_queries(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(TABLE % "")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "top 1 all category=footwear holds for 2 of 3 queries on live, and should hold for all",
            "*worst first:",
            "*q2  'garden hose' on live: 1 of the top 1 is not category=footwear (rank 1)",
            "*1  C1 * garden hose  garden *<- not category=footwear",
            "*see one query:*::queries q1, q2, q3::top 1 all category=footwear' --relevance-query q2",
        ]
    )


@pytest.mark.parametrize(("mostly", "outcome"), [("0.66", "passed"), ("67%", "failed")])
def test_mostly_is_the_share_of_queries(mostly: str, outcome: str, pytester: pytest.Pytester, suite: Suite) -> None:
    suite(TABLE % f", mostly: {mostly}")

    pytester.runpytest("--relevance").assert_outcomes(**{outcome: 1})


def test_a_table_asked_for_one_query_is_about_that_query(
    pytester: pytest.Pytester, suite: Suite, asked: Callable[[], list[str]]
) -> None:
    suite(TABLE % "")

    result = pytester.runpytest("--relevance", "--relevance-query", "garden hose")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*holds for 0 of 1 query on live*"])
    assert asked() == ["q2"]


def test_an_item_for_each_query_on_request(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(TABLE % ", each: item")

    result = pytester.runpytest("--relevance", "-v", "-p", "no:randomly")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["shoes.relevance.yaml::live::q2::top 1 all category=footwear FAILED*"])


def test_the_other_query_is_retrieved_in_the_same_call(
    pytester: pytest.Pytester, suite: Suite, asked: Callable[[], list[str]]
) -> None:
    suite(
        "assertions:\n  - {query: q1, of: live, expect: [{overlaps: 0.5, with: blue shoes, top: 3}, {same_as: q3}]}\n"
    )

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["'red shoes' on live: 2 of the top 3 differ from those of 'blue shoes' (ranks 2, 3)"])
    assert sorted(asked()) == ["q1", "q3"]


def test_a_relation_to_a_retriever_is_not_stated_of_itself(pytester: pytest.Pytester, suite: Suite) -> None:
    more = "  again: {type: function, function: 'counting:search'}\n"
    suite("assertions:\n  - {query: q1, expect: [{same_as: {of: again}}]}\n", head=more)

    result = pytester.runpytest("--relevance", "-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["shoes.relevance.yaml::live::q1::top 10 same as on again PASSED*"])


def test_latency_crosses_processes(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(
        "assertions:\n  - {query: q1, of: live, expect: [{latency: {at_most: 30s}}, {latency: {at_most: 0.0001ms}}]}\n"
    )

    result = pytester.runpytest("--relevance", "-n", "2")

    result.assert_outcomes(passed=1, failed=1)


def test_a_batch_has_no_latency(pytester: pytest.Pytester, suite: Suite) -> None:
    more = "  batch: {type: function, function: 'counting:many', batch: true}\n"
    suite("assertions:\n  - {query: q1, of: batch, expect: [{latency: {at_most: 1s}}]}\n", head=more)
    with (pytester.path / "counting.py").open("a", encoding="utf-8") as source:
        source.write("\n\ndef many(queries, depth):\n    return [['A1'] for _ in queries]\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*nobody knows how long batch took to answer 'red shoes'*", "*fix: *"])


def test_ten_rankings_of_a_table_fail_with_ids_in_any_script(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {queries: [赤い靴, 'נעליים אדומות'], of: live, expect: [{results: {at_least: 1}}]}\n")

    result = pytester.runpytest("--relevance", "-v")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "shoes.relevance.yaml::live::queries 赤い靴, נעליים אדומות::at least 1 result FAILED*",
            "*赤い靴 *'赤い靴' on live: 0 documents came back, fewer than the 1 this suite expects",
        ]
    )


def test_a_function_of_ones_own_that_breaks_is_an_error_with_its_line(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {query: q1, of: live, expect: [{where: 'rules:fits'}]}\n")
    (pytester.path / "rules.py").write_text("def fits(ranking):\n    return ranking.best\n", encoding="utf-8")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*:7:36: rules:fits failed for 'red shoes' on live: AttributeError: * (rules.py:2: return ranking.best)"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_table_in_a_file_may_hold_queries_of_its_own(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("assertions:\n  - {queries: head.tsv, of: live, expect: [{results: {at_most: 3}}]}\n")
    (pytester.path / "head.tsv").write_text("query_id\tquery\nq1\tred shoes\nq9\tumbrella\n", encoding="utf-8")

    pytester.runpytest("--relevance").assert_outcomes(passed=1)

    (pytester.path / "head.tsv").write_text("query_id\tquery\nq1\tgreen shoes\n", encoding="utf-8")
    result = pytester.runpytest("--relevance")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*query 'q1' of head.tsv is 'green shoes', and 'red shoes' in the suite's queries*"])
