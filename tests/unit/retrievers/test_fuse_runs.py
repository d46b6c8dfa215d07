from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import UsageError
from pytest_relevance.records import Run
from pytest_relevance.retrievers import fuse_runs, fusion
from pytest_relevance.retrievers.fusion import Method
from pytest_relevance.retrievers.normalise import Normalise, normalised

law = settings(deadline=None)  # a slow machine breaks no law

doc_ids = st.sampled_from([f"d{number}" for number in range(8)])
scores = st.floats(-1e6, 1e6, allow_nan=False).map(lambda score: round(score, 3))
runs = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(doc_ids, scores, max_size=8)).map(
    Run.from_dict
)
methods = st.sampled_from(["rrf", "comb_sum", "comb_mnz"])


def one(scores: Mapping[str, float], **more: object) -> Run:
    return replace(Run.from_dict({"q": scores}), **more)  # type: ignore[arg-type]  # the caller names fields of Run


def test_reciprocal_ranks_are_added_up_from_rank_one() -> None:
    fused = fuse_runs([one({"a": 9, "b": 8}), one({"b": 0.2, "c": 0.1})], k=60)

    assert fused.to_dict()["q"] == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62})


def test_weights_multiply_what_a_run_adds() -> None:
    fused = fuse_runs([one({"a": 9, "b": 8}), one({"b": 0.2})], k=1, weights=[3, 0.5])

    assert fused.to_dict()["q"] == pytest.approx({"a": 3 / 2, "b": 3 / 3 + 0.5 / 2})


def test_equal_scores_are_ordered_as_everywhere() -> None:
    assert fuse_runs([one({"a": 1}), one({"z": 1}), one({"m": 1})]).ranking("q") == ("z", "m", "a")


def test_weighted_scores_are_normalised_before_they_are_added() -> None:
    bm25, dense = one({"a": 12, "b": 8, "c": 4}), one({"c": 0.9, "a": 0.4})

    fused = fuse_runs([bm25, dense], method="weighted", weights=[0.3, 0.7])

    assert fused.to_dict()["q"] == pytest.approx({"c": 0.3 * 0 + 0.7 * 1, "a": 0.3 * 1 + 0.7 * 0, "b": 0.3 * 0.5})


def test_comb_mnz_rewards_documents_that_several_runs_have() -> None:
    fused = fuse_runs([one({"a": 2, "b": 1}), one({"b": 5, "c": 0})], method="comb_mnz")

    assert fused.to_dict()["q"] == pytest.approx({"b": (0 + 1) * 2, "a": 1 * 1, "c": 0})


def test_scores_may_be_added_as_they_are() -> None:
    fused = fuse_runs([one({"a": -2, "b": 1}), one({"a": 5})], method="comb_sum", normalise="none")

    assert fused.to_dict()["q"] == pytest.approx({"a": 3, "b": 1})


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("min_max", [1, 0.5, 0]),
        ("sum", [2 / 3, 1 / 3, 0]),
        ("z", [sqrt(1.5), 0, -sqrt(1.5)]),  # 4, 3, 2: mean 3, variance 2/3
        ("none", [4, 3, 2]),
    ],
)
def test_each_normalisation_has_its_formula(how: Normalise, expected: list[float]) -> None:
    assert normalised(np.array([4.0, 3.0, 2.0]), np.array([0, 3]), how) == pytest.approx(np.array(expected))


@pytest.mark.parametrize(("how", "expected"), [("min_max", 1.0), ("sum", 1 / 3), ("z", 0.0)])
@pytest.mark.parametrize("score", [0.0, 0.1, -7.0, 1e9])
def test_a_ranking_of_equal_scores_is_normalised_without_a_division_by_zero(
    how: Normalise, expected: float, score: float
) -> None:
    assert normalised(np.full(3, score), np.array([0, 3]), how).tolist() == pytest.approx([expected] * 3)


def test_each_ranking_is_normalised_on_its_own_and_empty_ones_disturb_nothing() -> None:
    values = normalised(np.array([10.0, 0.0, 0.3, 0.1]), np.array([0, 0, 2, 2, 4, 4]), "min_max")

    assert values.tolist() == [1.0, 0.0, 1.0, 0.0]


@law
@given(st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=6), st.sampled_from(["min_max", "z", "sum"]))
def test_normalised_scores_are_finite_and_keep_their_order(values: list[float], how: Normalise) -> None:
    column = np.array(sorted(values))

    result = normalised(column, np.array([0, len(column)]), how)

    assert np.isfinite(result).all()
    assert (np.diff(result) >= 0).all()


def test_a_document_twice_in_a_ranking_counts_once_at_its_best_rank() -> None:
    twice = Run.from_rankings({"q": ["a", "b", "c"]})
    twice = replace(twice, codes=np.array([0, 1, 0]))  # a, b, a

    assert fuse_runs([twice, one({"c": 1})]).to_dict()["q"] == pytest.approx({"a": 1 / 61, "c": 1 / 61, "b": 1 / 62})


def test_a_query_that_one_run_lacks_is_fused_from_the_others() -> None:
    fused = fuse_runs([Run.from_dict({"q1": {"a": 1}, "q2": {}}), Run.from_dict({"q3": {"b": 1}})])

    assert fused.to_dict() == {"q1": {"a": pytest.approx(1 / 61)}, "q2": {}, "q3": {"b": pytest.approx(1 / 61)}}


def test_a_query_that_failed_in_one_run_has_failed_with_that_runs_name() -> None:
    fused = fuse_runs([one({"a": 1}, name="bm25"), Run.from_dict({"other": {}})])
    assert "q" in fused

    failing = replace(Run.from_dict({"other": {}}, name="live"), failures={"q": "HTTP 503"})
    fused = fuse_runs([one({"a": 1}, name="bm25"), failing])

    assert dict(fused.failures) == {"q": "live did not run: HTTP 503"}
    assert fused.query_ids == ("other",)


def test_scores_that_cannot_be_added_up_fail_their_query_where_scores_count() -> None:
    endless = one({"a": float("inf"), "b": 1}, name="odd")

    assert "q" in fuse_runs([endless, one({"a": 1})])
    assert dict(fuse_runs([endless, one({"a": 1})], method="comb_sum").failures) == {
        "q": "odd has a score that cannot be added up"
    }


def test_fields_and_notes_of_all_runs_are_kept_and_the_first_is_believed() -> None:
    first = one({"a": 1}, fields={"a": {"title": "A"}}, notes=("n1",))
    second = one({"a": 1}, fields={"a": {"title": "B", "brand": "x"}, "b": {"title": "C"}}, notes=("n1", "n2"))

    fused = fuse_runs([first, second])

    assert fused.fields == {"a": {"title": "A", "brand": "x"}, "b": {"title": "C"}}
    assert fused.notes == ("n1", "n2")


@pytest.mark.parametrize(
    "wrong",
    [
        {"runs": []},
        {"method": "rff"},
        {"k": -1},
        {"k": float("nan")},
        {"weights": [1]},
        {"weights": [1, 0]},
        {"weights": [1, float("inf")]},
    ],
)
def test_numbers_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    arguments: dict[str, object] = {"runs": [one({"a": 1}), one({"b": 1})], **wrong}

    with pytest.raises(UsageError):
        fuse_runs(**arguments)  # type: ignore[arg-type]  # wrong on purpose


@law
@given(st.lists(runs, min_size=1, max_size=4), methods)
def test_the_order_of_the_runs_does_not_matter_to_the_last_digit(several: list[Run], method: Method) -> None:
    expected = fuse_runs(several, method=method)

    for order in permutations(several):
        fused = fuse_runs(order, method=method)
        assert {query_id: fused.ranking(query_id) for query_id in fused.query_ids} == {
            query_id: expected.ranking(query_id) for query_id in expected.query_ids
        }
        assert fused.to_dict() == expected.to_dict()


@law
@given(st.lists(runs, min_size=1, max_size=4), methods, st.integers(1, 5))
def test_a_cut_fusion_is_the_beginning_of_the_whole(several: list[Run], method: Method, depth: int) -> None:
    whole, cut = fuse_runs(several, method=method), fuse_runs(several, method=method, depth=depth)

    assert all(cut.ranking(query_id) == whole.ranking(query_id)[:depth] for query_id in whole.query_ids)


@law
@given(st.lists(runs, min_size=1, max_size=4), methods)
def test_every_document_of_the_runs_is_in_the_fusion_once(several: list[Run], method: Method) -> None:
    fused = fuse_runs(several, method=method)

    for query_id in fused.query_ids:
        documents = [doc_id for run in several for doc_id in run.ranking(query_id)]
        assert sorted(fused.ranking(query_id)) == sorted(set(documents))


@law
@given(runs, st.sampled_from([0.0, 1.0, 60.0]))
def test_one_run_alone_keeps_its_order_under_reciprocal_ranks(run: Run, k: float) -> None:
    fused = fuse_runs([run], k=k)

    assert all(fused.ranking(query_id) == run.ranking(query_id) for query_id in run.query_ids)


@law
@given(st.lists(runs, min_size=1, max_size=3), st.data())
def test_a_document_moved_up_in_one_run_never_falls(several: list[Run], data: st.DataObject) -> None:
    query_id = data.draw(st.sampled_from(["q1", "q2", "q3"]))
    ranking = list(several[0].ranking(query_id))
    if len(ranking) < 2:
        return
    place = data.draw(st.integers(1, len(ranking) - 1))
    raised = ranking[place]
    ranking[place - 1 : place + 1] = [ranking[place], ranking[place - 1]]
    better = [Run.from_rankings({query_id: ranking}), *several[1:]]

    before = fuse_runs(several).ranking(query_id).index(raised)
    after = fuse_runs(better).ranking(query_id).index(raised)

    assert after <= before


@law
@given(st.lists(runs, min_size=1, max_size=3), methods)
def test_fusing_in_small_blocks_changes_nothing(several: list[Run], method: Method) -> None:
    whole = fuse_runs(several, method=method)
    size = fusion._BLOCK
    try:
        fusion._BLOCK = 3
        assert fuse_runs(several, method=method).to_dict() == whole.to_dict()
    finally:
        fusion._BLOCK = size
