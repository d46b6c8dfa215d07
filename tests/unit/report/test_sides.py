"""How two rankings of a query read side by side."""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.report.lines import lines
from pytest_relevance.report.sides import side_lines
from pytest_relevance.verdict import QueryValue, Verdict
from pytest_relevance.verdict.record import Move, Side

SIDE = Side(
    "q5",
    "red shoes",
    "baseline",
    0.9,
    0.5,
    True,
    (Move(1, "a", 2.0, 2, "c", None, None), Move(2, "b", 0.5, None, "a", 2.0, 1), Move(3, "d", 0.0, 3, "d", 0.0, 3)),
)


def test_grades_moves_and_what_is_unjudged_stand_beside_the_documents() -> None:
    assert side_lines(SIDE) == [
        "  q5 red shoes   0.900 -> 0.500",
        "    rank  baseline  grade  went to  now  grade     was",
        "       1  a         2      2        c    unjudged  entered",
        "       2  b         0.5    left     a    2         1",
        "       3  d         0               d    0",
    ]


def test_where_nobody_judged_no_grades_are_told_and_likeness_is_one_number() -> None:
    assert side_lines(replace(SIDE, old=None, graded=False)) == [
        "  q5 red shoes   0.500",
        "    rank  baseline  went to  now  was",
        "       1  a         2        c    entered",
        "       2  b         left     a    1",
        "       3  d                  d",
    ]


def test_the_end_of_a_ranking_is_a_dash() -> None:
    one = Side("q", "", "baseline", None, 0.0, True, (Move(1, "a", None, None, "", None, None),))

    assert side_lines(one)[2] == "       1  a         unjudged  left     -"


def test_a_check_of_likeness_shows_the_two_worst_queries_and_all_with_v() -> None:
    sides = tuple(replace(SIDE, query_id=f"q{number}", old=None) for number in (5, 6, 7))
    worst = tuple(QueryValue(side.query_id, "", 0.5) for side in sides)
    verdict = Verdict(
        "shoes",
        "live",
        "RBO",
        "overlap",
        "fail",
        "too unlike",
        measure="RBO(p=0.9)",
        value=0.5,
        worst=worst,
        sides=sides,
    )

    shown, verbose = lines(verdict), lines(verdict, verbose=True)

    assert [line for line in shown if "red shoes" in line] == ["  q5 red shoes   0.500", "  q6 red shoes   0.500"]
    assert sum("red shoes" in line for line in verbose) == 3
    table = next(number for number, line in enumerate(shown) if line.split() == ["q7", "0.500"])
    assert table < shown.index("  q5 red shoes   0.500")
