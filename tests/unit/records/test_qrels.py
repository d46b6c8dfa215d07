"""Qrels: judgments with whole or fractional grades, each pair once."""

from __future__ import annotations

import pandas as pd
import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.records import Qrels, RankedGrades, Run


def test_fractional_and_negative_grades_stay_as_they_are() -> None:
    judgments = {"q1": {"a": 1.33, "b": -2.0}, "q2": {"c": 0.0}}
    qrels = Qrels.from_dict(judgments)

    assert qrels.to_dict() == judgments
    assert qrels.grades_of("q1") == {"a": 1.33, "b": -2.0}
    assert not qrels.whole
    assert qrels.max_grade == 1.33


def test_a_judgment_that_repeats_itself_counts_once_with_a_note() -> None:
    qrels = Qrels.from_rows([("q1", "a", 1), ("q1", "b", 1), ("q1", "a", 1)])

    assert qrels.to_dict() == {"q1": {"a": 1.0, "b": 1.0}}
    assert qrels.notes == ("qrels: 1 duplicate judgment dropped, the first kept",)


def test_two_grades_for_one_pair_are_an_error_that_names_both() -> None:
    with pytest.raises(DataError, match="document 'a' has grades 1 and 2 for query 'q1'"):
        Qrels.from_rows([("q1", "a", 1), ("q1", "a", 2)])


def test_on_request_the_first_of_two_grades_is_kept() -> None:
    qrels = Qrels.from_rows([("q1", "a", 1), ("q1", "a", 2)], duplicates="first")

    assert qrels.to_dict() == {"q1": {"a": 1.0}}


def test_a_grade_that_is_not_finite_is_refused() -> None:
    with pytest.raises(DataError, match="grade inf of document 'b' for query 'q2'"):
        Qrels.from_dict({"q1": {"a": 1}, "q2": {"b": float("inf")}})


def test_a_data_frame_gives_its_labels() -> None:
    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2]})

    assert Qrels.from_frame(frame).to_dict() == {"1": {"d": 2.0}}


def test_the_join_keeps_rank_and_grade_of_judged_documents_only() -> None:
    run = Run.from_rankings({"q1": ["x", "a", "y", "b"], "q3": ["a"]})
    qrels = Qrels.from_dict({"q2": {"a": 1}, "q1": {"b": 2, "a": 1, "c": 3}})

    joined = RankedGrades.join(run, qrels)

    assert joined.query_ids == ("q2", "q1")
    assert joined.in_run.tolist() == [False, True]
    assert joined.retrieved.tolist() == [0, 4]
    assert joined.offsets.tolist() == [0, 0, 2]
    assert joined.ranks.tolist() == [2, 4]
    assert joined.grades.tolist() == [1.0, 2.0]
    assert joined.judged_grades.tolist() == [1.0, 3.0, 2.0, 1.0]


def test_a_document_is_judged_for_its_own_query_only() -> None:
    joined = RankedGrades.join(Run.from_rankings({"q1": ["a"]}), Qrels.from_dict({"q1": {"b": 1}, "q2": {"a": 1}}))

    assert joined.ranks.tolist() == []


def test_no_judgment_at_all_joins_to_nothing() -> None:
    joined = RankedGrades.join(Run.from_rankings({"q1": ["a"]}), Qrels.from_dict({}))

    assert joined.query_ids == ()
