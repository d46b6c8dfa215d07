"""The pre-flight under pytest: errors before any retrieval, warnings once at the end, stored runs that cover."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Suite = Callable[..., None]
REPORT = "report: [nDCG@10]\nchecks:\n  - {measure: nDCG@10, of: live, at_least: 0.1}\n"
GONE = "q1 0 A1 3\nq1 0 B1 1\nq1 0 LOST 1\nq2 0 C1 2\nq2 0 A1 0\nq3 0 A2 3\n"


def test_an_error_of_the_data_comes_before_any_question(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("preflight: {judged-not-in-corpus: error}\n" + REPORT, qrels=GONE)

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        [
            "qrels.txt: judged-not-in-corpus: 1 judged document of 5 are not in corpus.jsonl: *: LOST",
            "  fix: drop these judgments, or restore the documents; if it is meant to be so, write "
            "'preflight: {judged-not-in-corpus: warn}'",
        ]
    )
    assert not (pytester.path / "asked.txt").exists()


def test_a_warning_is_told_once_and_fails_nothing(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(REPORT, qrels=GONE)

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=2)
    told = [line for line in result.outlines if line.startswith("warning: judged-not-in-corpus: 1 judged document")]
    assert len(told) == 1
    assert told[0].endswith("(qrels.txt)")


def test_a_rule_that_is_off_is_silent(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("preflight: {judged-not-in-corpus: off}\n" + REPORT, qrels=GONE)

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*judged-not-in-corpus*")


def test_warnings_of_workers_reach_the_end_once(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(REPORT, qrels=GONE)

    result = pytester.runpytest_subprocess("--relevance", "-n", "2")

    result.assert_outcomes(passed=2)
    assert result.stdout.str().count("warning: judged-not-in-corpus") == 1


def test_what_was_found_is_remembered_until_a_file_changes(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(REPORT, qrels=GONE)

    for _ in range(2):
        result = pytester.runpytest("--relevance")
        result.stdout.fnmatch_lines(["warning: judged-not-in-corpus: 1 judged document of 5 *"])
    suite(REPORT, qrels=GONE + "q3 0 LOST2 1\n")
    result = pytester.runpytest("--relevance")

    result.stdout.fnmatch_lines(["warning: judged-not-in-corpus: 2 judged documents of 6 *"])


def test_a_retriever_that_names_parts_is_told_the_fold(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("report: [nDCG@10]\n", head="")
    counting = (pytester.path / "counting.py").read_text(encoding="utf-8")
    (pytester.path / "counting.py").write_text(
        counting.replace('"A1", "B1", "A2"', '"A1-0", "B1-3", "A2-1"')
        .replace('["C1"]', '["C1-0"]')
        .replace('"A1", "A2"', '"A1-2", "A2-0"'),
        encoding="utf-8",
    )

    result = pytester.runpytest("--relevance")

    result.stdout.fnmatch_lines(["warning: passage-ids: names parts such as 'A1-*'fold: before -'*(live)"])


RUN = "q1 Q0 A1 1 3.0 r\nq1 Q0 B1 2 2.5 r\nq2 Q0 C1 1 2.0 r\n"


def stored(pytester: pytest.Pytester, suite: Suite, body: str = "") -> None:
    suite(
        body + "report: [nDCG@10]\nchecks:\n  - {measure: nDCG@10, of: stored, at_least: 0.1}\n",
        head="  stored: {type: run, file: stored.run}\n",
    )
    (pytester.path / "stored.run").write_text(RUN, encoding="utf-8")


def test_a_stored_run_must_cover_all_queries_unless_the_suite_says_otherwise(
    pytester: pytest.Pytester, suite: Suite
) -> None:
    stored(pytester, suite)

    result = pytester.runpytest("--relevance", "-p", "no:randomly")

    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(
        [
            "shoes.relevance.yaml:6:3: stored covers 2 of 3 queries (67%), and this suite asks for 100%: "
            "q3 is not in stored.run",
            "*fix: record the run again with all queries;*preflight: {min_query_coverage: 0.66}'",
        ]
    )


def test_a_lower_coverage_may_be_asked_for(pytester: pytest.Pytester, suite: Suite) -> None:
    stored(pytester, suite, "preflight: {min_query_coverage: 0.66}\n")

    pytester.runpytest("--relevance").assert_outcomes(passed=3)


def test_only_the_selected_queries_must_be_covered(pytester: pytest.Pytester, suite: Suite) -> None:
    stored(pytester, suite)

    pytester.runpytest("--relevance", "--relevance-query", "q1").assert_outcomes(passed=3)


def test_a_strange_search_of_one_selected_query_is_no_fault_of_the_set_up(
    pytester: pytest.Pytester, suite: Suite
) -> None:
    suite("assertions:\n  - {query: Garden Hose, of: live, expect: [{results: 0}]}\n")

    pytester.runpytest("--relevance").assert_outcomes(passed=1)


def test_a_check_of_bias_warns_where_judged_documents_are_longer_than_the_others(
    pytester: pytest.Pytester, suite: Suite
) -> None:
    suite("checks:\n  - {bias: doc_length, of: live, level: warn}\n  - {bias: query_length, of: live}\n")
    documents = [f'{{"id": "L{place}", "title": "{"long " * 9}"}}\n' for place in range(12)]
    documents += [f'{{"id": "S{place}", "title": "{place}"}}\n' for place in range(12)]
    (pytester.path / "corpus.jsonl").write_text("".join(documents), encoding="utf-8")
    (pytester.path / "qrels.txt").write_text("".join(f"q1 0 L{place} 1\n" for place in range(12)), encoding="utf-8")
    answer = [f"S{place}" for place in range(10)]
    (pytester.path / "counting.py").write_text(f"def search(query, depth): return {answer}\n", encoding="utf-8")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["warning: judged pairs differ from the unjudged ones of live in doc_length by +*, more than the 0.25 *"]
    )


def test_a_bias_towards_what_is_not_there_is_an_error_of_the_set_up(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {bias: 'field:prize', of: live}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["shoes.relevance.yaml:7:5: no document has a field 'prize'"])
