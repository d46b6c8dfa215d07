"""What each retriever adds to the others, with numbers a pencil can check."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.evaluate.diversity import depth_of, diversity_of
from pytest_relevance.measures import parse_measure
from pytest_relevance.records import Qrels, Run
from pytest_relevance.report import diversity_lines
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.diversity import Alike, Diversity, Finder

QRELS = Qrels.from_dict({"q1": {"a": 2, "b": 1, "c": 1, "x": 0}, "q2": {"d": 1}})
WORDS = Run.from_rankings({"q1": ["a", "b", "x"], "q2": ["d"], "unjudged": ["a"]}, name="words")
MEANING = Run.from_rankings({"q1": ["a", "c", "y"], "q2": ["z"]}, name="meaning")
RUNS = {"words": WORDS, "meaning": MEANING}


def finders(diversity: Diversity) -> dict[str, tuple[int, int]]:
    """Retriever → positives found, and found by no other."""
    return {one.retriever: (one.found, one.unique) for one in diversity.finders}


def test_a_positive_is_unique_where_no_other_retriever_found_it() -> None:
    found = diversity_of(RUNS, QRELS, depth=10)

    assert finders(found) == {"words": (3, 2), "meaning": (2, 1)}  # a, b, d with b, d alone; a, c with c alone
    assert (found.queries, found.relevant, found.together) == (2, 4, 4)


def test_only_the_first_ranks_count() -> None:
    found = diversity_of(RUNS, QRELS, depth=1)

    assert finders(found) == {"words": (2, 1), "meaning": (1, 0)}  # a and d; a
    assert found.together == 2


def test_a_grade_below_the_relevant_one_is_no_positive() -> None:
    found = diversity_of(RUNS, QRELS, depth=10, relevant=2)

    assert finders(found) == {"words": (1, 0), "meaning": (1, 0)}
    assert found.relevant == 1


def test_a_document_is_relevant_to_its_own_query_only() -> None:
    elsewhere = Run.from_rankings({"q1": ["d"], "q2": ["a"]})

    assert finders(diversity_of({"words": WORDS, "else": elsewhere}, QRELS, depth=10))["else"] == (0, 0)


def test_the_overlap_of_a_pair_is_the_mean_over_judged_queries() -> None:
    (pair,) = diversity_of(RUNS, QRELS, depth=10).pairs

    assert (pair.one, pair.other) == ("words", "meaning")
    assert pair.overlap == pytest.approx((1 / 3 + 0) / 2)


def test_what_three_retrievers_share_in_pairs_is_unique_to_none() -> None:
    third = Run.from_rankings({"q1": ["b", "c"], "q2": ["d"]})

    found = diversity_of({**RUNS, "third": third}, QRELS, depth=10)

    assert finders(found) == {"words": (3, 0), "meaning": (2, 0), "third": (3, 0)}
    assert [(pair.one, pair.other) for pair in found.pairs] == [
        ("words", "meaning"),
        ("words", "third"),
        ("meaning", "third"),
    ]


def test_a_query_that_a_run_does_not_have_is_answered_with_nothing_there() -> None:
    short = Run.from_rankings({"q1": ["a"]})

    assert finders(diversity_of({"words": WORDS, "short": short}, QRELS, depth=10)) == {
        "words": (3, 2),
        "short": (1, 0),
    }


documents = st.lists(st.sampled_from("abcdexyz"), unique=True)


@given(st.lists(documents, min_size=2, max_size=4), st.integers(1, 8))
def test_unique_positives_are_those_that_are_lost_without_the_retriever(rankings: list[list[str]], depth: int) -> None:
    qrels = Qrels.from_dict({"q": dict.fromkeys("abcde", 1.0)})
    runs = {f"r{place}": Run.from_rankings({"q": ranking}) for place, ranking in enumerate(rankings)}

    whole = diversity_of(runs, qrels, depth=depth)

    for finder in whole.finders:
        others = {name: run for name, run in runs.items() if name != finder.retriever}
        assert finder.unique == whole.together - diversity_of(others, qrels, depth=depth).together


def test_the_depth_is_that_of_the_deepest_reported_recall() -> None:
    report = [parse_measure(name) for name in ("nDCG@1000", "R@20", "R@50")]

    assert depth_of(report) == 50
    assert depth_of(report, most=10) == 10
    assert depth_of(report[:1]) == 100


def test_the_table_shows_what_each_found_and_each_pair_twice() -> None:
    found = Diversity(10, 2, 4, 4, (Finder("words", 3, 2), Finder("meaning", 2, 1)), (Alike("words", "meaning", 0.5),))
    verdict = Verdict("shop", "meaning", "diversity", "diversity", "pass", "", qrels="editors", diversity=found)

    lines = diversity_lines([Verdict.from_json(verdict.to_json())])

    assert [" ".join(line.split()) for line in lines] == [
        "",
        "diversity: 4 positives of 2 queries in editors, within the first 10; overlap of each pair",
        "shop found unique words meaning",
        "words 3 2 - 0.500",
        "meaning 2 1 0.500 -",
        "together 4",
    ]
