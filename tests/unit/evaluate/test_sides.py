"""Which ranks of two rankings stand side by side, and what is told of each."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.evaluate.sides import sides
from pytest_relevance.records import Qrels, Run
from pytest_relevance.verdict import QueryValue
from pytest_relevance.verdict.record import Move, Side

DEEP = [f"d{rank}" for rank in range(1, 31)]


def both(
    old: Sequence[str], new: Sequence[str], qrels: Qrels | None = None, cutoff: int | None = None
) -> tuple[Side, ...]:
    then, now = (Run.from_rankings({"q": ranking}) for ranking in (old, new))
    worst = [QueryValue("q", "red shoes", 0.5, other=0.9)]
    return sides(then, now, qrels, worst, against="baseline", cutoff=cutoff)


def test_each_rank_tells_where_a_document_went_and_came_from() -> None:
    """From a, b to c, a, b: c entered, a went from 1 to 2, b from 2 to 3."""
    qrels = Qrels.from_dict({"q": {"a": 2.0, "b": 0.0}})

    (side,) = both(["a", "b"], ["c", "a", "b"], qrels)

    assert (side.query_id, side.text, side.against, side.old, side.new) == ("q", "red shoes", "baseline", 0.9, 0.5)
    assert side.graded
    assert side.moves == (
        Move(1, "a", 2.0, 2, "c", None, None),
        Move(2, "b", 0.0, 3, "a", 2.0, 1),
        Move(3, "", None, None, "b", 0.0, 2),
    )


def test_a_document_below_the_ranks_shown_has_not_left() -> None:
    """d1 fell from 1 to 30: ten ranks are shown, and d11 moved up into them."""
    (side,) = both(DEEP, [*DEEP[1:], "d1"])

    assert [move.rank for move in side.moves] == [*range(1, 11)]
    assert (side.moves[0].to, side.moves[9].since) == (30, 11)


def test_where_the_first_ten_are_the_same_ten_are_shown_from_the_first_that_differs() -> None:
    (side,) = both(DEEP, [*DEEP[:20], "x", *DEEP[21:]])

    assert [move.rank for move in side.moves] == [*range(21, 31)]
    assert (side.moves[0].old, side.moves[0].to, side.moves[0].new, side.moves[0].since) == ("d21", None, "x", None)


def test_what_is_deeper_than_the_cutoff_does_not_count() -> None:
    changed = [*DEEP[:4], "x", *DEEP[5:]]

    assert both(DEEP, changed, cutoff=4) == ()
    assert [len(side.moves) for side in both(DEEP, changed, cutoff=5)] == [5]


def test_without_judgments_no_grade_does_not_mean_unjudged() -> None:
    (without,), (judged,) = both(["a"], ["b"]), both(["a"], ["b"], Qrels.from_dict({"other": {"a": 1.0}}))

    assert (without.graded, judged.graded) == (False, True)
    assert without.moves == judged.moves
