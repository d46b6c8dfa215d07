"""Checks of likeness: which queries a failure names, and whose rankings it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from pytest_relevance.errors import Place
from pytest_relevance.measures.overlaps import parse_overlap
from pytest_relevance.records import Queries, Values
from pytest_relevance.suite import Against, OverlapCheck
from pytest_relevance.verdict import QueryValue, Verdict, decide_overlap
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.record import Side

COLUMN = [0.1, 0.9, 0.5, 0.7, 0.3]  # of q0 to q4; 0.5 on average


def decided(notation: str, at_least: float | None = None, at_most: float | None = None) -> Verdict:
    query_ids = tuple(f"q{place}" for place in range(len(COLUMN)))
    queries = Queries.from_dict(dict.fromkeys(query_ids, "shoes"))
    measured = Measured("live", Values(notation, query_ids, np.array(COLUMN)), queries)
    check = OverlapCheck(
        Place("s.relevance.yaml", 7, 5),
        "alike",
        "fail",
        "live",
        parse_overlap(notation),
        Against("baseline", "baseline"),
        at_least,
        at_most,
    )

    def sides(worst: Sequence[QueryValue]) -> tuple[Side, ...]:
        return tuple(Side(one.query_id, one.text, "baseline", one.other, one.value, False, ()) for one in worst)

    return decide_overlap("shoes", check, measured, "baseline", sides)


@pytest.mark.parametrize(
    ("notation", "bounds", "worst"),
    [
        ("RBO(p=0.9)", {"at_least": 0.8}, ["q0", "q4", "q2"]),
        ("RBO(p=0.9)", {"at_most": 0.2}, ["q1", "q3", "q2"]),
        ("Changed@10", {"at_most": 0.1}, ["q1", "q3", "q2"]),
        ("Changed@10", {"at_least": 0.6}, ["q0", "q4", "q2"]),
    ],
)
def test_the_queries_farthest_beyond_the_broken_bound_are_named_and_three_are_shown(
    notation: str, bounds: dict[str, float], worst: list[str]
) -> None:
    verdict = decided(notation, **bounds)

    assert [one.query_id for one in verdict.worst][:3] == worst
    assert [side.query_id for side in verdict.sides] == worst
    assert {side.old for side in verdict.sides} == {None}
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_what_holds_shows_nothing() -> None:
    verdict = decided("RBO(p=0.9)", at_least=0.4)

    assert (verdict.worst, verdict.sides) == ((), ())
