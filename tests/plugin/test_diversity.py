"""`--relevance-diversity`: what each retriever adds to the others, under the table of the session."""

from __future__ import annotations

from collections.abc import Callable

import pytest

TWO = "  titles: {type: bm25, fields: [title]}\nreport: [R@2]\n"
ASKED = ("--relevance", "--relevance-diversity")
# live answers q1 A1 B1, q2 C1, q3 A1 A2: all five positives. titles has A2 for B1, and so one of two alike in q1.
TABLE = [
    "diversity: 5 positives of 3 queries in qrels, within the first 2; overlap of each pair",
    "shoes *found *unique *live *titles",
    "*live *5 *1 *- *0.833",
    "*titles *4 *0 *0.833 *-",
    "*together *5*",
]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_it_stands_under_the_table_with_and_without_workers(
    suite: Callable[..., None], pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    suite("", head=TWO)

    result = pytester.runpytest(*ASKED, *workers)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(TABLE, consecutive=True)


def test_nothing_is_told_that_was_not_asked_for(suite: Callable[..., None], pytester: pytest.Pytester) -> None:
    suite("", head=TWO)

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*diversity*")


def test_one_retriever_has_no_others(suite: Callable[..., None], pytester: pytest.Pytester) -> None:
    suite("", head=TWO)

    result = pytester.runpytest(*ASKED, "--relevance-retriever", "live")

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*diversity*")


def test_a_retriever_that_did_not_run_is_an_error_and_never_a_zero(
    suite: Callable[..., None], pytester: pytest.Pytester
) -> None:
    suite("", head="  broken: {type: function, function: 'nowhere:search'}\nreport: [R@2]\n")

    result = pytester.runpytest(*ASKED)

    result.assert_outcomes(passed=1, errors=2)
    result.stdout.no_fnmatch_line("*positives*")
