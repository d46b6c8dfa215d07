"""How many, how long, how good; two rankings side by side; functions of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import EMPTY, ranked

from pytest_relevance.measures import parse_measure
from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict.vocabulary import (
    fewer_results_than,
    inversions,
    latency,
    measure,
    more_results_than,
    overlaps,
    results,
    same_as,
    subset_of,
    where,
)

ABCD = ranked("A B C D", grades={"A": 0, "B": 1, "D": 3})
NDCG_F = parse_measure("nDCG-f@10")


@pytest.mark.parametrize(
    ("low", "high", "holds", "ending"),
    [
        (4, 4, True, "4 documents came back, as expected"),
        (5, 5, False, "4 documents came back, but this suite expects 5"),
        (5, None, False, "4 documents came back, fewer than the 5 this suite expects"),
        (None, 3, False, "4 documents came back, more than the 3 this suite allows"),
        (1, 9, True, "4 documents came back, as expected"),
    ],
)
def test_results_are_counted(low: int | None, high: int | None, holds: bool, ending: str) -> None:
    finding = results(ABCD, at_least=low, at_most=high)

    assert finding.holds is holds
    assert finding.sentence == f"'red shoes' on bm25: {ending}"


def test_a_count_that_was_cut_says_so() -> None:
    assert "4 documents came back, all that were asked for" in results(ranked("A B C D", asked=4), at_most=3).sentence


def test_latency_is_compared_and_told_in_readable_units() -> None:
    quick, slow = ranked("A", seconds=0.084), ranked("A", seconds=1.25)

    assert latency(quick, at_most=0.2).sentence == "'red shoes' on bm25: answered in 84 ms, within 200 ms"
    assert latency(slow, at_most=0.2).sentence == (
        "'red shoes' on bm25: answered in 1.25 s, later than the 200 ms this suite allows"
    )
    with pytest.raises(ValueError, match="nobody knows how long bm25 took"):
        latency(ABCD, at_most=1)


def test_inversions_pair_each_worse_document_with_the_best_below_it() -> None:
    found = inversions(ABCD, NDCG_F)

    assert [(one.worse.doc_id, one.better.doc_id) for one in found] == [("A", "D"), ("B", "D")]
    assert inversions(ranked("D B A", grades={"A": 0, "B": 1, "D": 3}), NDCG_F) == []
    assert inversions(ranked("A B", grades={"A": -2, "B": 0}), NDCG_F) == [], "both gain nothing"
    assert inversions(ABCD, parse_measure("P@3")) == []


def test_a_measure_below_its_bound_lists_inversions_and_what_was_not_retrieved() -> None:
    finding = measure(ABCD, NDCG_F, 0.5, at_least=1.0, grades={"A": 0, "B": 1, "D": 3, "Z": 2})

    assert finding.sentence == "'red shoes' on bm25: nDCG-f@10 is 0.500, below the 1.000 this suite expects"
    assert finding.marks == {1: "above D, which is better (3)", 2: "above D, which is better (3)"}
    assert finding.remarks == (
        "2 inversions (a known worse document above a known better one):",
        "  A (grade 0, rank 1) stands above D (grade 3, rank 4)",
        "  B (grade 1, rank 2) stands above D (grade 3, rank 4)",
        "judged and not retrieved: Z (grade 2)",
    )
    assert finding.shortfall == 0.5
    assert measure(ABCD, NDCG_F, 1.0, at_least=1.0).holds
    assert measure(ABCD, parse_measure("P@1"), 0.9, at_most=0.5).sentence.endswith("above the 0.500 this suite allows")


def test_the_same_documents_in_the_same_order() -> None:
    other = ranked("A B D C", query="shoes, red")

    assert same_as(ABCD, other, top=2).holds
    finding = same_as(ABCD, other, top=4)
    assert finding.sentence == "'red shoes' on bm25: 2 of the top 4 differ from those of 'shoes, red' (ranks 3, 4)"
    assert finding.marks == {3: "there: D", 4: "there: C"}
    assert finding.beside[3] == {"rank in 'shoes, red'": "4"}
    assert same_as(ABCD, other, top=4, any_order=True).holds


def test_a_shorter_ranking_is_not_the_same() -> None:
    finding = same_as(ranked("A"), ranked("A B", query="other"), top=3)

    assert finding.sentence == "'red shoes' on bm25: the top 1 lacks 1 document that 'other' has"
    assert finding.remarks == ("only 'other' has B (rank 2)",)
    assert not same_as(ranked("A B"), ranked("A", query="other"), top=3).holds


def test_a_subset_is_part_of_all_that_the_other_retrieved() -> None:
    live = ranked("E D C B A", retriever="live")

    assert subset_of(ABCD, live, top=4).holds
    finding = subset_of(ABCD, ranked("A B", retriever="live"), top=3)
    assert finding.sentence == ("'red shoes' on bm25: 1 of the top 3 is not among the 2 documents of live (rank 3)")
    assert finding.marks == {3: "not there"}


def test_an_overlap_is_a_share_of_the_longer_one() -> None:
    other = ranked("A X", query="other")

    assert overlaps(ABCD, other, at_least=0.25, top=4).holds
    finding = overlaps(ABCD, other, at_least=0.5, top=4)
    assert finding.sentence == (
        "'red shoes' on bm25: 1 of the top 4 (0.25) is in that of 'other', below the 0.5 this suite expects"
    )
    assert finding.remarks == ("only 'other' has X (rank 2)",)


def test_two_empty_rankings_have_nothing_in_common() -> None:
    other = ranked("", query="other")

    for finding in (same_as(EMPTY, other), subset_of(EMPTY, other), overlaps(EMPTY, other, at_least=0.1)):
        assert not finding.holds
        assert "nothing came back" in finding.sentence


def test_more_and_fewer_results_compare_counts() -> None:
    few = ranked("A", query="rare", retriever="live")

    assert more_results_than(ABCD, few).holds
    assert fewer_results_than(few, ABCD).holds
    assert more_results_than(few, ABCD).sentence == (
        "'rare' on live: 1 document came back, and 4 for 'red shoes' on bm25; this suite expects more"
    )
    cut = ranked("A B", asked=2)
    assert more_results_than(cut, ranked("C D", query="other", asked=2)).remarks == (
        "both have all 2 documents that were asked for: raise 'depth' to tell which has more",
    )


@given(st.permutations(list("ABCDEF")), st.integers(1, 6))
def test_what_is_the_same_overlaps_wholly_and_is_a_subset(doc_ids: list[str], top: int) -> None:
    one, other = ranked("A B C D E F"), ranked(" ".join(doc_ids), query="other")

    if same_as(one, other, top=top).holds:
        assert same_as(one, other, top=top, any_order=True).holds
    if same_as(one, other, top=top, any_order=True).holds:
        assert overlaps(one, other, at_least=1.0, top=top).holds
        assert subset_of(one, other, top=top).holds


@pytest.mark.parametrize(
    ("told", "holds"), [(True, True), (False, False), (None, True), (np.bool_(True), True), (np.bool_(False), False)]
)
def test_a_function_says_true_or_false(told: object, holds: bool) -> None:
    assert where(ABCD, lambda _: told, name="mine:fits").holds is holds


def test_a_function_sees_the_top_and_may_assert() -> None:
    seen: list[str] = []

    def looks(ranking: Ranking) -> None:
        seen.extend(ranking.ranks)
        raise AssertionError("too much\n  of C")

    finding = where(ABCD, looks, name="mine:looks", top=3)

    assert seen == ["A", "B", "C"]
    assert finding.sentence == "'red shoes' on bm25: mine:looks says: too much of C"
    with pytest.raises(TypeError, match="returned str"):
        where(ABCD, lambda _: "yes", name="mine:text")
