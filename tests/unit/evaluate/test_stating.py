"""Every word of the vocabulary as a method: it goes on where it holds, and says why where it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate import Hits
from pytest_relevance.measures import Measure, parse_measure
from pytest_relevance.records import Query
from pytest_relevance.records.ranking import RankedDocument, Ranking

Statement = Callable[[Hits], object]


def hits(*doc_ids: str, text: str = "red shoes") -> Hits:
    """Documents by id; a field of each is its price, 10 at the first and 10 more at each of the next."""
    documents = tuple(
        RankedDocument(
            rank,
            doc_id,
            1 / rank,
            grade=float(rank) if rank < 4 else None,
            fields={"price": 10 * rank, "brand": "A" if rank % 2 else "B", "kind": "shoe"},
        )
        for rank, doc_id in enumerate(doc_ids, start=1)
    )

    def value_of(notation: str) -> tuple[Measure, float]:
        return parse_measure(notation), 0.5

    return Hits(Ranking(Query(text, text), "live", documents), value_of)


FOUND = hits("d1", "d2", "d3", "d4")
OTHER = hits("d2", "d1", text="scarlet shoes")
HOLD: dict[str, Statement] = {
    "first": lambda found: found.first("d1"),
    "contains": lambda found: found.top(3).contains("d1", "d3"),
    "contains any": lambda found: found.top(3).contains("x", "d3", any_of=True),
    "excludes": lambda found: found.top(2).excludes("d3"),
    "excludes fields": lambda found: found.excludes(kind="boot"),
    "all": lambda found: found.all(kind="shoe"),
    "all over a range": lambda found: found.all({"price": {"at_most": 40}}),
    "mostly": lambda found: found.mostly(0.5, brand="A"),
    "any": lambda found: found.any(brand="B"),
    "none": lambda found: found.none(brand="C"),
    "above": lambda found: found.above("d1", "d3"),
    "below": lambda found: found.below("d3", "d1"),
    "at_rank": lambda found: found.at_rank("d2", at_most=2),
    "order": lambda found: found.order("d1", "d2", "d4"),
    "tiers": lambda found: found.tiers(["d2", "d1"], ["d4", "d3"]),
    "sorted_by": lambda found: found.sorted_by("price"),
    "results": lambda found: found.results(4),
    "results within bounds": lambda found: found.results(at_least=1, at_most=9),
    "distinct": lambda found: found.distinct("brand", at_least=2),
    "same_as": lambda found: found.top(2).same_as(OTHER, any_order=True),
    "subset_of": lambda found: found.top(2).subset_of(OTHER),
    "overlaps": lambda found: found.top(2).overlaps(OTHER, 0.5),
    "more_results_than": lambda found: found.more_results_than(OTHER),
    "measures": lambda found: found.measures("nDCG-f@10", at_least=0.5),
    "where": lambda found: found.where(lambda ranking: len(ranking) == 4),
}
FAIL: dict[str, tuple[Statement, str]] = {
    "first": (lambda found: found.first("d2"), "the first document is d1, not d2"),
    "contains": (lambda found: found.top(2).contains("d3"), r"the top 2 lacks d3 \(rank 3\)"),
    "contains at least": (lambda found: found.contains("d1", "x", at_least=2), "d1|x"),
    "excludes": (lambda found: found.excludes("d3"), "d3 at rank 3"),
    "all": (lambda found: found.all(brand="A"), "2 of the top 4 are not brand=A"),
    "mostly": (lambda found: found.mostly(0.9, brand="A"), "brand=A"),
    "any": (lambda found: found.any(brand="C"), "brand=C"),
    "none": (lambda found: found.none(brand="B"), "brand=B"),
    "above": (lambda found: found.above("d3", "d1"), "should stand above"),
    "below": (lambda found: found.below("d1", "d3"), "should stand below"),
    "at_rank": (lambda found: found.at_rank("d4", at_most=3), "d4"),
    "order": (lambda found: found.order("d2", "d1"), "d2"),
    "tiers": (lambda found: found.tiers(["d3"], ["d1"]), "d3"),
    "sorted_by": (lambda found: found.sorted_by("price", "descending"), "price"),
    "results": (lambda found: found.results(0), "4 documents came back"),
    "distinct": (lambda found: found.distinct("brand", at_least=3), "brand"),
    "same_as": (lambda found: found.top(2).same_as(OTHER), "scarlet shoes"),
    "subset_of": (
        lambda found: found.top(3).subset_of(OTHER),
        r"not among the 2 documents of 'scarlet shoes' \(rank 3\)",
    ),
    "overlaps": (lambda found: found.top(4).overlaps(OTHER, 0.9), "0.5"),
    "more_results_than": (lambda found: OTHER.more_results_than(found), "2"),
    "fewer_results_than": (lambda found: found.fewer_results_than(OTHER), "4"),
    "measures": (lambda found: found.measures("nDCG-f@10", at_least=0.9), r"nDCG-f@10 is 0\.500, below the 0\.900"),
    "where": (lambda found: found.where(lambda ranking: len(ranking) > 9, name="mine"), "mine"),
    "latency": (lambda found: found.latency(at_most=1.0), "nobody knows how long live took"),
}


@pytest.mark.parametrize("word", HOLD)
def test_a_statement_that_holds_can_be_followed_by_another(word: str) -> None:
    assert HOLD[word](FOUND) is not None


@pytest.mark.parametrize("word", FAIL)
def test_a_statement_that_does_not_hold_says_why(word: str) -> None:
    statement, why = FAIL[word]

    with pytest.raises((AssertionError, RelevanceError), match=why):
        statement(FOUND)


def test_statements_about_nothing_do_not_hold() -> None:
    nothing = hits()

    for statement in (HOLD["all"], HOLD["any"], HOLD["distinct"], HOLD["first"]):
        with pytest.raises(AssertionError, match="nothing came back"):
            statement(nothing)


def test_values_compare_with_lists_in_order_and_with_sets_without() -> None:
    assert FOUND.values("brand") == ["A", "B", "A", "B"]
    assert FOUND.values("brand") == {"B", "A"}
    assert FOUND.values("brand") != ["A"]
    assert FOUND.values("colour") == [None] * 4
    assert FOUND.top(2).doc_ids == ("d1", "d2")


def test_hits_are_equal_when_documents_and_order_are() -> None:
    assert hits("a", "b") == hits("a", "b", text="other words")
    assert hits("a", "b") != hits("b", "a")
    assert "a" in hits("a")
    assert "b" not in hits("a", "b").top(1)
