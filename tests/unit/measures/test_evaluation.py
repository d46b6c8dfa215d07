"""Which queries count, and for how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from pytest_relevance.errors import DataError, MeasureError
from pytest_relevance.measures import RankingMeasure, evaluate, evaluate_ranked, parse_measure
from pytest_relevance.records import Qrels, RankedGrades, Run

QRELS = Qrels.from_dict({"q1": {"a": 1}, "q2": {"a": 3, "b": 0}, "q3": {"a": 1}, "q4": {"a": 1}})


def first_hit(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    ranks = [rank for rank, doc_id in enumerate(ranking, start=1) if grades.get(doc_id, 0) >= 1]
    return 1 / ranks[0] if ranks else 0.0


def test_a_query_without_results_counts_zero_and_is_listed() -> None:
    run = Run.from_dict({"q1": {"a": 1.0}, "q2": {}, "q9": {"a": 1.0}})

    evaluation = evaluate(run, QRELS, ["RR"])

    assert evaluation["RR"].values == {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}
    assert evaluation["RR"].mean == pytest.approx(1 / 4)
    assert (evaluation.absent, evaluation.empty, evaluation.unjudged) == (("q3", "q4"), ("q2",), ("q9",))


def test_without_completeness_only_queries_of_the_run_count() -> None:
    run = Run.from_dict({"q1": {"a": 1.0}, "q2": {}})

    evaluation = evaluate(run, QRELS, ["RR"], complete=False)

    assert evaluation["RR"].values == {"q1": 1.0, "q2": 0.0}
    assert evaluation.absent == ()


def test_a_query_that_failed_has_no_value_and_is_in_no_mean() -> None:
    run = replace(Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}}), failures={"q3": "HTTP 503", "q9": "HTTP 503"})

    evaluation = evaluate(run, QRELS, ["RR"])

    assert evaluation["RR"].values == {"q1": 1.0, "q2": 1.0, "q4": 0.0}
    assert evaluation.failures == {"q3": "HTTP 503", "q9": "HTTP 503"}
    assert (evaluation.absent, evaluation.unjudged) == (("q4",), ("q9",))


def test_no_query_in_common_shows_an_id_of_each_side() -> None:
    qrels = Qrels.from_dict({"7": {"a": 1}, "12.1": {"a": 1}}, name="qrels.txt")

    with pytest.raises(DataError, match=r"no query in common: '12\.1' in qrels\.txt, '12' in run\.txt"):
        evaluate(Run.from_dict({"12": {"a": 1.0}}, name="run.txt"), qrels, ["RR"])


def test_a_run_without_any_query_counts_zero_throughout() -> None:
    evaluation = evaluate(Run.from_dict({}), QRELS, ["RR"])

    assert evaluation["RR"].mean == 0.0
    assert len(evaluation.absent) == 4


def test_a_run_of_failures_only_has_no_values() -> None:
    run = replace(Run.from_dict({}), failures=dict.fromkeys(QRELS.query_ids, "down"))

    evaluation = evaluate(run, QRELS, ["RR"])

    assert evaluation.query_ids == ()
    assert len(evaluation["RR"]) == 0


def test_queries_without_a_relevant_document_count_zero_and_are_listed() -> None:
    qrels = Qrels.from_dict({"q1": {"a": 1}, "q2": {"a": 0, "b": 0}})
    run = Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}})

    evaluation = evaluate(run, qrels, ["nDCG@10", "R@10", "AP", "Bpref", "P@1"])

    assert all(values["q2"] == 0.0 for values in evaluation.values())
    assert evaluation["nDCG@10"].mean == pytest.approx(0.5)
    assert evaluation.without_relevant == ("q2",)
    assert evaluate(run, qrels, ["AP(rel=2)"]).without_relevant == ("q1", "q2")
    assert evaluate(run, qrels, ["Judged@10"]).without_relevant == ()


def test_queries_can_be_chosen_and_the_scale_stays_that_of_all_qrels() -> None:
    run = Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q9": {"a": 1.0}})

    evaluation = evaluate(run, QRELS, ["nDCG-m@1"], queries=["q1", "q8"])

    assert evaluation["nDCG-m@1"].values == {"q1": pytest.approx(1 / 3)}
    assert evaluation.unjudged == ("q8",)


def test_values_are_found_by_any_spelling() -> None:
    evaluation = evaluate(Run.from_dict({"q1": {"a": 1.0}}), QRELS, ["ndcg@10"])

    assert list(evaluation) == ["nDCG@10"]
    assert evaluation["NDCG_cut_10"] is evaluation["nDCG@10"]
    assert "AP" not in evaluation
    with pytest.raises(KeyError, match="nonsense"):
        evaluation["nonsense"]


def test_judged_rows_alone_give_the_same_values() -> None:
    run = Run.from_dict({"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}})
    names = ["nDCG@10", "AP", "Bpref", "Judged@10", "RBP"]

    evaluation = evaluate_ranked(RankedGrades.join(run, QRELS), [parse_measure(name) for name in names])

    assert {name: dict(evaluation[name].values) for name in names} == {
        name: dict(values.values) for name, values in evaluate(run, QRELS, names).items()
    }


def test_a_third_partys_measure_sees_each_ranking_with_its_grades() -> None:
    run = Run.from_dict({"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {}})
    mine = RankingMeasure.of("mine", first_hit, upper=1.0)

    evaluation = evaluate(run, QRELS, [mine, "RR", RankingMeasure.of("mine", first_hit, cutoff=1)])

    assert list(evaluation) == ["mine", "RR", "mine@1"]
    assert evaluation["mine"].values == evaluation["RR"].values
    assert evaluation["mine@1"].mean == 0.0


def test_a_third_partys_measure_that_breaks_is_named_with_its_query() -> None:
    run = Run.from_dict({"q1": {"a": 1.0}})

    with pytest.raises(MeasureError, match="measure 'mine' failed for query 'q1': KeyError: 'unjudged'"):
        evaluate(run, QRELS, [RankingMeasure.of("mine", lambda _, grades: grades["unjudged"])])
    with pytest.raises(MeasureError, match="measure 'mine' gave nan for query 'q1'"):
        evaluate(run, QRELS, [RankingMeasure.of("mine", lambda _, grades: math.nan * len(grades))])
    with pytest.raises(MeasureError, match=r"measure 'mine' gave 2\.0 for query 'q1', not a number from 0 to 1"):
        evaluate(run, QRELS, [RankingMeasure.of("mine", lambda ranking, _: 2 * len(ranking), lower=0, upper=1)])


def test_a_third_partys_measure_needs_more_than_judged_rows() -> None:
    ranked = RankedGrades.join(Run.from_dict({"q1": {"a": 1.0}}), QRELS)

    with pytest.raises(MeasureError, match="needs the documents themselves"):
        evaluate_ranked(ranked, [RankingMeasure.of("mine", first_hit)])
