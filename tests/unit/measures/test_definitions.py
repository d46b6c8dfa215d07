"""Definitions, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

import pytest

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures import evaluate
from pytest_relevance.records import Qrels, Run

GRADES = {"d1": 2.0, "d2": 1.0, "d3": 0.0, "d4": 1.0}


def value(measure: str, ranking: Sequence[str], grades: Mapping[str, float] = GRADES) -> float:
    run, qrels = Run.from_rankings({"q": ranking}), Qrels.from_dict({"q": dict(grades)})
    return evaluate(run, qrels, [measure])[measure]["q"]


def test_ndcg_discounts_a_relevant_document_found_late() -> None:
    dcg = 0 / log2(2) + 2 / log2(3) + 1 / log2(4)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)

    assert value("nDCG", ["d3", "d1", "d2"]) == pytest.approx(dcg / ideal)
    assert value("DCG", ["d3", "d1", "d2"]) == pytest.approx(dcg)


def test_the_ideal_comes_from_all_labels_and_is_cut_at_k_too() -> None:
    assert value("nDCG@1", ["d2"]) == pytest.approx(1 / 2)
    assert value("nDCG@2", ["d2"]) == pytest.approx(1 / (2 + 1 / log2(3)))
    assert value("nDCG(ideal='retrieved')@2", ["d2"]) == pytest.approx(1.0)


def test_gain_is_the_grade_or_two_to_the_grade_less_one_or_a_table() -> None:
    assert value("DCG@1", ["d1"], {"d1": 3}) == pytest.approx(3)
    assert value("DCG(gain='exp')@1", ["d1"], {"d1": 3}) == pytest.approx(7)
    assert value("DCG(gain='exp')@1", ["d1"], {"d1": 0.5}) == pytest.approx(2**0.5 - 1)
    assert value("DCG(gains={0:0,3:10})@1", ["d1"], {"d1": 3}) == pytest.approx(10)


def test_a_table_that_turns_grades_around_turns_the_ideal_around() -> None:
    assert value("nDCG(gains={1:5,2:1})@1", ["d2"], {"d1": 2, "d2": 1}) == pytest.approx(1.0)
    assert value("nDCG(gains={1:5,2:1})@1", ["d1"], {"d1": 2, "d2": 1}) == pytest.approx(1 / 5)


def test_a_grade_that_has_no_gain_in_the_table_is_an_error() -> None:
    with pytest.raises(MeasureError, match=r"grade 1\.5 has no gain in \{0:0,1:1,2:5\}"):
        value("nDCG(gains={0:0,1:1,2:5})@10", ["d1"], {"d1": 1.5})
    assert value("DCG(gains={1:1})", ["d1", "d2"], {"d1": 0, "d2": -2}) == pytest.approx(0.0)


def test_a_grade_below_zero_is_judged_and_gains_nothing() -> None:
    grades = {"spam": -2.0, "good": 1.0}

    assert value("nDCG@10", ["spam", "good"], grades) == pytest.approx(1 / log2(3))
    assert value("Judged@10", ["spam", "good"], grades) == pytest.approx(1.0)
    assert value("P@2", ["spam", "good"], grades) == pytest.approx(0.5)


def test_ndcg_m_measures_against_k_documents_of_the_highest_grade() -> None:
    ideal = 2 * (1 / log2(2) + 1 / log2(3))

    assert value("nDCG-m@2", ["d2", "d4"]) == pytest.approx((1 + 1 / log2(3)) / ideal)
    assert value("nDCG-m(max_grade=4)@2", ["d2", "d4"]) == pytest.approx((1 + 1 / log2(3)) / (2 * ideal))
    assert value("nDCG-m(gains={1:3,2:4})@1", ["d2"]) == pytest.approx(3 / 4)
    assert value("nDCG-m@2", ["d3"], {"d3": 0}) == pytest.approx(0.0)


def test_a_grade_above_the_scale_is_an_error_and_not_a_value_above_one() -> None:
    with pytest.raises(MeasureError, match="grade 2 is above max_grade=1"):
        value("nDCG-m(max_grade=1)@1", ["d1"])
    with pytest.raises(MeasureError, match="grade 2 is above max_grade=1"):
        value("ERR(max_grade=1)", ["d1"])


def test_ndcg_f_squeezes_unjudged_documents_out_before_it_cuts() -> None:
    ranking = ["x", "y", "d1", "z", "d2"]

    assert value("nDCG-f@2", ranking) == pytest.approx(1.0)
    assert value("nDCG@2", ranking) == pytest.approx(0.0)
    assert value("P(judged_only=True)@2", ranking) == pytest.approx(1.0)
    assert value("RR(judged_only=True)", ranking) == pytest.approx(1.0)
    assert value("AP(judged_only=True)", ranking) == pytest.approx((1 / 1 + 2 / 2) / 3)
    assert value("NumRet(judged_only=True)", ranking) == pytest.approx(2)


def test_precision_is_over_k_even_in_a_short_list_and_over_the_list_without_a_cutoff() -> None:
    assert value("P@5", ["d1", "d3"]) == pytest.approx(1 / 5)
    assert value("P", ["d1", "d3"]) == pytest.approx(1 / 2)


def test_recall_and_average_precision_divide_by_all_relevant_documents() -> None:
    assert value("R@1", ["d1"]) == pytest.approx(1 / 3)
    assert value("R(rel=2)@1", ["d1"]) == pytest.approx(1.0)
    assert value("AP@2", ["d3", "d1", "d2"]) == pytest.approx((1 / 2) / 3)
    assert value("AP", ["d3", "d1", "d2"]) == pytest.approx((1 / 2 + 2 / 3) / 3)


def test_a_threshold_between_grades_works_with_fractions() -> None:
    grades = {"a": 1.33, "b": 0.67, "c": 1.0}

    assert value("P@3", ["a", "b", "c"], grades) == pytest.approx(2 / 3)
    assert value("P(rel=0.5)@3", ["a", "b", "c"], grades) == pytest.approx(1.0)
    assert value("R(rel=1.2)@1", ["a"], grades) == pytest.approx(1.0)


def test_reciprocal_rank_looks_no_further_than_its_cutoff() -> None:
    assert value("RR", ["x", "d3", "d2"]) == pytest.approx(1 / 3)
    assert value("RR@3", ["x", "d3", "d2"]) == pytest.approx(1 / 3)
    assert value("RR@2", ["x", "d3", "d2"]) == pytest.approx(0.0)


def test_r_precision_cuts_at_the_number_of_relevant_documents() -> None:
    assert value("Rprec", ["d1", "x", "d2", "d4"]) == pytest.approx(2 / 3)


def test_success_is_any_relevant_document_within_k() -> None:
    assert value("Success@2", ["x", "d2"]) == pytest.approx(1.0)
    assert value("Success@1", ["x", "d2"]) == pytest.approx(0.0)


def test_bpref_charges_judged_non_relevant_documents_above_and_passes_over_unjudged_ones() -> None:
    grades = {"r1": 1.0, "r2": 2.0, "n1": 0.0, "n2": 0.0, "n3": 0.0}

    # R = 2, N = 3: one above the first counts 1 - 1/2, two above the second 1 - 2/2.
    assert value("Bpref", ["x", "n1", "r1", "n2", "y", "r2"], grades) == pytest.approx((1 / 2 + 0) / 2)
    assert value("Bpref", ["x", "r1", "y", "r2", "n1"], grades) == pytest.approx(1.0)


def test_bpref_of_a_query_without_judged_non_relevant_documents_is_a_number() -> None:
    assert value("Bpref", ["x", "r1"], {"r1": 1.0, "r2": 1.0}) == pytest.approx(1 / 2)


def test_bpref_passes_over_grades_below_zero_and_takes_fractions_below_rel_as_not_relevant() -> None:
    assert value("Bpref", ["n", "r"], {"r": 1.0, "n": -1.0, "m": 0.0}) == pytest.approx(1.0)
    assert value("Bpref", ["n", "r"], {"r": 1.0, "n": 0.9, "m": 0.0}) == pytest.approx(0.0)


def test_judged_divides_by_what_came_back_or_by_k() -> None:
    assert value("Judged@10", ["d1", "d3", "x"]) == pytest.approx(2 / 3)
    assert value("Judged(of='cutoff')@10", ["d1", "d3", "x"]) == pytest.approx(2 / 10)
    assert value("Judged@2", ["d1", "d3", "x"]) == pytest.approx(1.0)


def test_counts_are_counts() -> None:
    ranking = ["d1", "x", "d3", "d2"]

    counts = {name: value(name, ranking) for name in ("NumRet", "NumRet@2", "NumRel", "NumRelRet", "NumQ")}

    assert counts == pytest.approx({"NumRet": 4, "NumRet@2": 2, "NumRel": 3, "NumRelRet": 2, "NumQ": 1})


def test_err_lets_a_reader_stop_at_a_document_that_satisfies() -> None:
    # max_grade 2: grade 2 satisfies with 3/4, grade 1 with 1/4.
    assert value("ERR", ["d2", "d1"]) == pytest.approx(1 / 4 + (3 / 4) * (3 / 4) / 2)
    assert value("ERR(max_grade=4)@1", ["d1"]) == pytest.approx(3 / 16)
    assert value("ERR", ["a"], {"a": 0.5}) == pytest.approx((2**0.5 - 1) / 2**0.5)


def test_rbp_is_the_gain_of_a_reader_who_goes_on_with_chance_p() -> None:
    assert value("RBP(p=0.5)", ["d1", "d3", "d2"]) == pytest.approx(0.5 * (1 + 0.25))
    assert value("RBP(p=0.5,rel=2)", ["d1", "d3", "d2"]) == pytest.approx(0.5)
    assert value("RBP(p=0.5,graded=True)", ["d1", "d3", "d2"]) == pytest.approx(0.5 * (1 + 0.25 / 2))


def test_a_perfect_ranking_is_exactly_one_and_never_above() -> None:
    grades = {f"d{number:03}": 1 / 3 for number in range(200)}

    assert value("nDCG", sorted(grades), grades) == pytest.approx(1.0, abs=1e-15)
    assert value("nDCG", sorted(grades), grades) <= 1.0


def test_values_too_large_for_a_float_are_an_error() -> None:
    with pytest.raises(MeasureError, match="too large to compute"):
        value("nDCG(gain='exp')@10", ["d1"], {"d1": 5000})


def test_interpolated_precision_is_the_best_from_a_level_of_recall_on() -> None:
    ranking = ["x", "d1", "d2", "y", "z"]

    # Three are relevant: level 0.3 means 0.9, so one of them; 0.5 means 1.5, so two; 1.0 means all three.
    assert value("IPrec@0.3", ranking) == pytest.approx(2 / 3)
    assert value("IPrec@0.5", ranking) == pytest.approx(2 / 3)
    assert value("IPrec@1", ranking) == pytest.approx(0.0)
    assert value("11pt_avg", ranking) == pytest.approx((9 * (2 / 3)) / 11)


def test_trec_evals_own_measures_are_reached_by_name() -> None:
    assert value("SetF", ["d1", "d3"]) == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert value("SetAP", ["d1", "d3"]) == pytest.approx((1 / 2) * (1 / 3))
    assert value("infAP", ["d1"]) == pytest.approx(1 / 3)
    assert value("utility", ["d1", "x", "d3"]) == pytest.approx(1 - 2)


def test_trec_evals_own_measures_refuse_what_they_would_cut() -> None:
    with pytest.raises(MeasureError, match=r"takes whole grades only, and grade 1\.33 is not whole"):
        value("infAP", ["d1"], {"d1": 1.33})
    with pytest.raises(MeasureError, match=r"rel=1\.5 is not whole"):
        value("SetF(rel=1.5)", ["d1"])
    with pytest.raises(MeasureError, match="from -127 to 127, and grade 1000 does not"):
        value("SetF", ["d1"], {"d1": 1000})


def test_a_query_that_has_nothing_but_grades_below_zero_counts_zero_with_trec_evals_own_measures() -> None:
    assert value("SetF", ["a", "b"], {"a": -2, "c": -2}) == pytest.approx(0.0)
    assert value("infAP", ["a", "b"], {"a": -1}) == pytest.approx(0.0)


def test_squeezed_lists_that_come_out_empty_count_zero_with_trec_evals_own_measures() -> None:
    assert value("11pt_avg(judged_only=True)", ["x", "y"]) == pytest.approx(0.0)
