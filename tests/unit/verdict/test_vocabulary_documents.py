"""Which documents are there, and where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import EMPTY, ranked

from pytest_relevance.verdict.vocabulary import (
    Finding,
    above,
    at_rank,
    below,
    contains,
    excludes,
    first,
    in_order,
    in_tiers,
)

ABC = ranked("A B C D E")


def test_the_first_document_is_first_and_no_other() -> None:
    assert first(ABC, "A") == Finding(True, "'red shoes' on bm25: the first document is A")

    late = first(ABC, "C")

    assert late.sentence == "'red shoes' on bm25: the first document is A, not C (found at rank 3)"
    assert late.marks == {1: "C should stand here", 3: "should be first"}
    assert first(ABC, "Z").sentence.endswith("not Z (not among the 5 documents retrieved)")
    assert first(EMPTY, "A").sentence == "'red shoes' on bm25: nothing came back, but A should be first"


@pytest.mark.parametrize(
    ("doc_ids", "at_least", "any_of", "holds", "shortfall"),
    [
        ("A B", None, False, True, 0),
        ("A D", None, False, False, 1 / 2),
        ("D E", None, False, False, 1),
        ("D E", None, True, False, 1),
        ("C D E", None, True, True, 0),
        ("A B D", 2, False, True, 0),
        ("A D E", 2, False, False, 1 / 2),
    ],
)
def test_contains_wants_all_or_any_or_so_many(
    doc_ids: str, at_least: int | None, any_of: bool, holds: bool, shortfall: float
) -> None:
    finding = contains(ABC, doc_ids.split(), top=3, at_least=at_least, any_of=any_of)

    assert finding.holds is holds
    if not holds:
        assert finding.shortfall == shortfall


def test_contains_tells_where_the_missing_ones_are_and_marks_them() -> None:
    finding = contains(ABC, ["A", "D", "Z"], top=3)

    assert finding.sentence == (
        "'red shoes' on bm25: the top 3 lacks D (rank 4), Z (not among the 5 documents retrieved)"
    )
    assert finding.marks == {4: "should be in the top 3"}
    assert finding.depth == 3
    some = contains(ABC, ["A", "D", "E"], top=3, at_least=2).sentence
    assert some.endswith(
        "contains 1 of 3 documents, fewer than the 2 this suite expects; it lacks D (rank 4), E (rank 5)"
    )
    assert contains(ABC, ["D", "E"], top=3, any_of=True).sentence.endswith("contains none of D (rank 4), E (rank 5)")
    assert not contains(EMPTY, ["A"], top=3).holds


def test_excludes_takes_documents_or_fields() -> None:
    sold = ranked("A B C", {"B": {"stock": 0}, "C": {"stock": 2}})

    assert excludes(ABC, ["D"], top=3).holds
    assert excludes(ABC, ["B", "D"], top=3).sentence == (
        "'red shoes' on bm25: the top 3 should exclude B, D, but holds B at rank 2"
    )
    assert excludes(sold, {"stock": 0}, top=1).holds
    found = excludes(sold, {"stock": "0"}, top=3)
    assert (found.holds, found.marks, found.fields) == (False, {2: "should not be here"}, ("stock",))
    assert found.shortfall == pytest.approx(1 / 3)


def test_an_empty_ranking_excludes_everything_and_says_why() -> None:
    assert excludes(EMPTY, ["A"], top=3).holds
    assert excludes(EMPTY, ["A"], top=3).sentence.endswith("excludes A, for nothing came back")


def test_above_and_below_mirror_each_other() -> None:
    assert above(ABC, "A", "C").holds
    assert below(ABC, "C", "A").holds
    assert not above(ABC, "C", "A").holds
    assert not below(ABC, "A", "C").holds
    assert below(ABC, "A", "C").sentence == (
        "'red shoes' on bm25: A (rank 1) should stand below C (rank 3), but does not"
    )


def test_what_was_not_retrieved_stands_below_all_that_was() -> None:
    assert above(ABC, "E", "Z").holds
    assert below(ABC, "Z", "E").holds
    assert not above(ABC, "Z", "E").holds
    assert not above(ABC, "Y", "Z").holds
    assert not above(EMPTY, "A", "B").holds


@pytest.mark.parametrize(
    ("doc_id", "low", "high", "holds", "wanted"),
    [
        ("C", None, 3, True, ""),
        ("D", None, 3, False, "stands at rank 4, and should stand within the first 3"),
        ("A", 2, None, False, "stands at rank 1, and should stand at rank 2 or lower down"),
        ("B", 2, None, True, ""),
        ("A", 2, 3, False, "stands at rank 1, and should stand at ranks 2 to 3"),
        ("A", 2, 2, False, "stands at rank 1, and should stand at rank 2"),
        ("Z", None, 3, False, "is not among the 5 documents retrieved, and should stand within the first 3"),
    ],
)
def test_a_rank_keeps_to_its_bounds(doc_id: str, low: int | None, high: int | None, holds: bool, wanted: str) -> None:
    finding = at_rank(ABC, doc_id, at_least=low, at_most=high)

    assert finding.holds is holds
    if not holds:
        assert finding.sentence == f"'red shoes' on bm25: {doc_id} {wanted}"


def test_an_order_lets_others_stand_between() -> None:
    assert in_order(ABC, ["A", "C", "E"]).holds
    assert in_order(ABC, ["A", "C", "Z"]).holds, "the last one may be missing: it stands below all"

    turned = in_order(ABC, ["C", "A", "E"])

    assert turned.sentence == (
        "'red shoes' on bm25: the order C, A, E does not hold: A (rank 1) stands above C (rank 3)"
    )
    assert turned.marks == {1: "should stand below C", 3: "should stand above A"}
    assert turned.shortfall == pytest.approx(1 / 3)


def test_an_order_names_what_was_not_retrieved() -> None:
    assert in_order(ABC, ["Z", "A"]).sentence.endswith("does not hold: Z is not among the 5 documents retrieved")
    assert in_order(EMPTY, ["A", "B"]).sentence.endswith("A is not there, for nothing was retrieved")


def test_inside_a_tier_nothing_is_stated() -> None:
    assert in_tiers(ABC, [["B", "A"], ["D", "C"]]).holds
    assert in_tiers(ABC, [["A", "B"], ["C", "Z"]]).holds
    mixed = in_tiers(ABC, [["A", "C"], ["B", "D"]])
    assert mixed.sentence == (
        "'red shoes' on bm25: the order of tiers A, C > B, D does not hold: B (rank 2) stands above C (rank 3)"
    )
    assert mixed.shortfall == 1 / 4


@given(st.permutations(list("ABCDE")))
def test_an_order_holds_of_exactly_the_rankings_in_that_order(doc_ids: list[str]) -> None:
    assert in_order(ABC, doc_ids).holds is (doc_ids == list("ABCDE"))


@given(st.permutations(list("ABCDE")), st.integers(1, 4))
def test_two_tiers_hold_where_every_pair_stands_above(doc_ids: list[str], cut: int) -> None:
    upper, lower = doc_ids[:cut], doc_ids[cut:]

    assert in_tiers(ABC, [upper, lower]).holds is all(above(ABC, one, other).holds for one in upper for other in lower)
