"""What the fields of the first documents hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rankings import EMPTY, ranked

from pytest_relevance.verdict.vocabulary import Finding, all_of, any_of, distinct, none_of, sorted_by

SHOES = ranked(
    "A B C D",
    {
        "A": {"kind": "shoe", "price": 10, "brand": "north"},
        "B": {"kind": "shoe", "price": 20, "brand": "north"},
        "C": {"kind": "lace", "price": 5, "brand": ["north", "south"]},
        "D": {"kind": "shoe", "price": 30},
    },
)


def test_all_names_the_offenders() -> None:
    assert all_of(SHOES, {"kind": "shoe"}, top=2).holds

    finding = all_of(SHOES, {"kind": "shoe"}, top=4)

    assert finding.sentence == "'red shoes' on bm25: 1 of the top 4 is not kind=shoe (rank 3)"
    assert (finding.marks, finding.fields, finding.depth) == ({3: "not kind=shoe"}, ("kind",), 4)
    assert finding.shortfall == 1 / 4


def test_all_is_stated_of_as_many_as_came_back() -> None:
    assert (
        all_of(SHOES, {"price": {"at_least": 5}}, top=100).sentence == "'red shoes' on bm25: the top 4 are all price>=5"
    )


def test_mostly_allows_a_share_to_differ() -> None:
    assert all_of(SHOES, {"kind": "shoe"}, top=4, mostly=0.75).holds
    finding = all_of(SHOES, {"brand": "north"}, top=4, mostly=0.8)
    assert finding.sentence == (
        "'red shoes' on bm25: 1 of the top 4 is not brand=north (rank 4); 75% are, below the 0.8 this suite expects"
    )


def test_any_tells_where_the_first_one_is() -> None:
    assert any_of(SHOES, {"kind": "lace"}, top=3).holds
    late = any_of(SHOES, {"kind": "lace"}, top=2)
    assert late.sentence == "'red shoes' on bm25: none of the top 2 is kind=lace; the first one is C at rank 3"
    assert late.marks == {3: "should be in the top 2"}
    assert any_of(SHOES, {"kind": "hat"}, top=2).sentence.endswith("none of the top 2 is kind=hat; nor is any of 4")
    assert any_of(SHOES, {"kind": "hat"}, top=4).sentence.endswith("none of the top 4 is kind=hat")


def test_none_marks_what_should_not_be() -> None:
    assert none_of(SHOES, {"kind": "hat"}, top=4).holds
    finding = none_of(SHOES, {"kind": ["lace", "hat"]}, top=4)
    assert finding.sentence == "'red shoes' on bm25: 1 of the top 4 is kind=lace|hat (rank 3), and none should be"
    assert finding.marks == {3: "is kind=lace|hat"}


@pytest.mark.parametrize("word", [all_of, any_of])
def test_of_nothing_nothing_is_true(word: Callable[..., Finding]) -> None:
    finding = word(EMPTY, {"kind": "shoe"}, top=3)

    assert not finding.holds
    assert finding.sentence == "'red shoes' on bm25: nothing came back, so no document is kind=shoe"


def test_an_empty_ranking_is_not_sorted_and_has_no_values_but_holds_none() -> None:
    assert sorted_by(EMPTY, "price").sentence.endswith("nothing came back, so nothing is sorted by price")
    assert distinct(EMPTY, "brand", at_most=3).sentence.endswith("nothing came back, so there is no brand to count")
    assert not all_of(EMPTY, {"kind": "shoe"}, top=3, mostly=0.01).holds
    assert none_of(EMPTY, {"kind": "shoe"}, top=3).sentence.endswith("for nothing came back")


def test_distinct_values_are_counted_once_and_each_of_several() -> None:
    assert distinct(SHOES, "brand", at_least=2, top=4).holds
    finding = distinct(SHOES, "brand", at_least=3, top=4)
    assert finding.sentence == (
        "'red shoes' on bm25: the top 4 has 2 values in brand (north 3x, south 1x), fewer than the 3 this suite expects"
    )
    assert finding.marks == {2: "north again", 4: "no brand"}
    assert finding.shortfall == pytest.approx(1 / 3)
    assert distinct(SHOES, "kind", at_most=1, top=2).holds
    assert distinct(SHOES, "kind", at_most=1, top=3).sentence.endswith("more than the 1 this suite allows")
    assert distinct(SHOES, "colour", at_least=1).sentence.endswith(
        "has 0 values in colour, fewer than the 1 this suite expects"
    )


def prices(*values: object) -> list[bool]:
    """Whether documents with these values, in this order, are sorted: ascending, descending."""
    doc_ids = [f"D{number}" for number in range(len(values))]
    fields = {doc_id: {"price": value} for doc_id, value in zip(doc_ids, values, strict=True)}
    ranking = ranked(" ".join(doc_ids), fields)
    return [sorted_by(ranking, "price", order=order).holds for order in ("ascending", "descending")]


@pytest.mark.parametrize(
    ("values", "ascending", "descending"),
    [
        ((5, 10, 30), True, False),
        ((30, 10, 10), False, True),
        ((7, 7), True, True),
        ((1,), True, True),
        (("9", "10"), True, False),  # texts that are numbers, as search services often give them
        (("9", 10.5), True, False),
        (("2024-01-31", "2024-02-01"), True, False),
        (("2024-01-31T09:00:00+02:00", "2024-01-31T08:00:00Z"), True, False),
        (("ant", "bee"), True, False),
        (("b10", "b9"), True, False),
        ((5, "cheap"), False, False),
        ((5, None), False, False),
        (([5], 6), True, False),
        (([5, 7], 6), False, False),
    ],
)
def test_sorted_compares_numbers_dates_or_texts(values: tuple[object, ...], ascending: bool, descending: bool) -> None:
    assert prices(*values) == [ascending, descending]


def test_sorted_marks_each_document_that_should_stand_higher() -> None:
    finding = sorted_by(SHOES, "price", top=4)

    assert finding.sentence == "'red shoes' on bm25: the top 4 is not sorted by price ascending (rank 3)"
    assert finding.marks == {3: "5 after 20"}
    assert sorted_by(SHOES, "brand", top=2).holds
    assert sorted_by(SHOES, "brand", top=4).marks == {3: "no brand", 4: "no brand"}
