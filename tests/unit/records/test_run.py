"""Run: where a ranking is put in order, once."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.errors import DataError
from pytest_relevance.records import Run

scored = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.dictionaries(
        st.text("dé12", min_size=1, max_size=4), st.sampled_from([0.0, 1.0, 1.0000000001, -2.5]), max_size=12
    ),
    max_size=5,
)


def test_the_higher_score_stands_first_whatever_the_order_of_the_keys() -> None:
    run = Run.from_dict({"q1": {"b": 0.2, "c": 0.1, "a": 0.9}})

    assert run.ranking("q1") == ("a", "b", "c")


def test_equal_scores_are_ordered_as_trec_eval_orders_them() -> None:
    run = Run.from_dict({"q1": {"d1": 1.0, "d2": 1.0, "d10": 1.0}})

    assert run.ranking("q1") == ("d2", "d10", "d1")  # by bytes: "d2" > "d10" > "d1"


def test_scores_are_compared_as_doubles() -> None:
    run = Run.from_dict({"q1": {"z": 1.0, "a": 1.000000001}})

    assert run.ranking("q1") == ("a", "z")  # as 32-bit floats they would tie, and z would lead


def test_scores_below_zero_are_scores() -> None:
    assert Run.from_dict({"q1": {"a": -1.1, "b": -1.0}}).ranking("q1") == ("b", "a")


def test_a_given_order_is_the_truth_and_a_repeat_is_an_error() -> None:
    assert Run.from_rankings({"q1": ["b", "a"]}).ranking("q1") == ("b", "a")
    with pytest.raises(DataError, match="duplicate document 'a'"):
        Run.from_rankings({"q1": ["a", "a"]})


def test_on_request_a_repeated_document_keeps_its_best_rank_and_is_counted() -> None:
    run = Run.from_rankings({"q1": ["a", "b", "a", "c"]}, duplicates="first")

    assert run.ranking("q1") == ("a", "b", "c")
    assert run.notes == ("run: 1 duplicate document dropped, best rank kept",)


def test_the_best_of_two_scores_is_the_one_that_is_kept() -> None:
    run = Run.from_rows([("q1", "a", 1.0), ("q1", "b", 2.0), ("q1", "a", 3.0)], duplicates="first")

    assert run.to_dict() == {"q1": {"a": 3.0, "b": 2.0}}


def test_a_score_that_is_no_number_is_refused_with_query_and_document() -> None:
    with pytest.raises(DataError, match="score 'nan' of document 'd1' for query 'q1'"):
        Run.from_dict({"q1": {"d1": float("nan")}})


def test_a_query_without_documents_is_there_and_empty() -> None:
    run = Run.from_dict({"q1": {}, "q2": {"a": 1.0}})

    assert "q1" in run
    assert run.ranking("q1") == ()
    assert run.query_ids == ("q1", "q2")


def test_rows_of_one_query_may_be_scattered() -> None:
    run = Run.from_rows([("q1", "a", 1.0), ("q2", "x", 1.0), ("q1", "b", 2.0)])

    assert run.ranking("q1") == ("b", "a")


def test_a_cut_keeps_the_first_documents_of_each_ranking() -> None:
    run = Run.from_dict({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"x": 1}}).cut(2)

    assert run.to_dict() == {"q1": {"a": 3.0, "b": 2.0}, "q2": {"x": 1.0}}


def test_tied_share_counts_the_rows_that_have_an_equal_neighbour() -> None:
    assert Run.from_dict({"q1": {"a": 2, "b": 1, "c": 1, "d": 0}}).tied_share == pytest.approx(0.5)
    assert Run.from_dict({"q1": {"a": 1}, "q2": {"b": 1}}).tied_share == 0.0


def test_a_restricted_run_keeps_its_own_order_and_failures_of_what_is_left() -> None:
    run = Run.from_dict({"q2": {"a": 1}, "q1": {"b": 1}})

    assert run.restricted_to(["q1", "q9"]).to_dict() == {"q1": {"b": 1.0}}


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def test_every_shape_of_a_run_gives_the_same_run() -> None:
    expected = {"0012": {"7": 2.0, "8": 1.0}}
    columns = {"qid": ["0012", "0012"], "docno": ["8", "7"], "score": [1.0, 2.0]}

    assert Run.from_rows([ScoredDoc("0012", "8", 1.0), ScoredDoc("0012", "7", 2.0)]).to_dict() == expected
    assert Run.from_frame(pd.DataFrame(columns)).to_dict() == expected
    assert Run.from_frame(pl.DataFrame(columns)).to_dict() == expected
    assert Run.from_frame(pa.table(columns)).to_dict() == expected


def test_a_frame_whose_ids_became_numbers_is_refused() -> None:
    frame = pd.DataFrame({"query_id": [12], "doc_id": ["7"], "score": [1.0]})

    with pytest.raises(DataError, match="query_id 12 is not text"):
        Run.from_frame(frame)


def test_a_frame_without_a_score_names_what_it_has() -> None:
    with pytest.raises(DataError, match=r"no column 'score'"):
        Run.from_frame(pd.DataFrame({"query_id": ["1"], "doc_id": ["7"], "rank": [1]}))


@given(scored)
def test_a_run_is_ordered_by_score_then_by_later_id(scores: dict[str, dict[str, float]]) -> None:
    run = Run.from_dict(scores)

    for query_id, ranking in scores.items():
        by_hand = sorted(ranking, key=lambda doc_id: (ranking[doc_id], doc_id.encode()), reverse=True)
        assert list(run.ranking(query_id)) == by_hand
    assert run.to_dict() == scores
