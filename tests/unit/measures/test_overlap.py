"""How alike two runs are, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_relevance.errors import DataError, MeasureError, Place, UsageError
from pytest_relevance.measures import kendall_tau_b, overlap, parse_overlap, rbo
from pytest_relevance.records import Run


def value(measure: str, one: str, two: str) -> float:
    return overlap(Run.from_rankings({"q": list(one)}), Run.from_rankings({"q": list(two)}), measure)["q"]


def test_rbo_of_two_swapped_at_the_top() -> None:
    p = 0.5
    # Agreement 0 at depth 1 and 1 from depth 2 on: all weight but the first 1 - p.
    assert rbo("ab", "ba", p=p) == pytest.approx(p)
    assert rbo("ab", "ba", p=p, kind="truncated") == pytest.approx((1 - p) * p)


def test_rbo_of_lists_of_different_length_takes_the_longer_into_account() -> None:
    p = 0.5
    # Eq. 32 with s = 1, l = 2: nothing shared at depth 1, one of two at depth 2.
    assert rbo("a", "ba", p=p) == pytest.approx((1 - p) * p * (1 / 2) + (1 / 2) * p**2)


def test_rbo_min_and_res_enclose_what_is_unseen() -> None:
    least, rest = rbo("abc", "bac", kind="min"), rbo("abc", "bac", kind="res")

    assert least < rbo("abc", "bac") < least + rest
    assert least + rest == pytest.approx(1 - 0.1)


def test_rbo_of_equal_lists_is_one_and_not_above() -> None:
    ranking = [str(number) for number in range(1000)]

    for p in (0.5, 0.9, 0.98, 0.999):
        assert rbo(ranking, ranking, p=p) == pytest.approx(1.0, abs=1e-12)
        assert rbo(ranking, ranking, p=p) <= 1.0


def test_two_empty_rankings_are_the_same_and_one_empty_shares_nothing() -> None:
    for measure in ("RBO(p=0.9)", "RBO(p=0.9,kind='min')", "Jaccard@10", "Overlap@10", "Kendall"):
        assert value(measure, "", "") == 1.0
        assert value(measure, "a", "") == 0.0
    assert value("RBO(p=0.9,kind='res')", "", "") == 0.0


def test_jaccard_and_overlap_at_a_depth() -> None:
    assert value("Jaccard@2", "abc", "bxa") == pytest.approx(1 / 3)
    assert value("Overlap@2", "abc", "bxa") == pytest.approx(1 / 2)
    assert value("Overlap@10", "abc", "a") == pytest.approx(1 / 3)
    assert value("Jaccard", "abc", "cab") == pytest.approx(1.0)


def test_kendall_looks_at_the_order_of_shared_documents_only() -> None:
    assert value("Kendall", "axbyc", "abc") == pytest.approx(1.0)
    assert value("Kendall", "abc", "cba") == pytest.approx(-1.0)
    assert value("Kendall", "abc", "acb") == pytest.approx(1 / 3)
    assert value("Kendall", "a", "a") == 1.0
    assert value("Kendall", "ab", "ax") == 0.0


def test_kendall_of_two_columns_takes_ties_into_account() -> None:
    # Of six pairs four are concordant, one is tied in x and one in y.
    assert kendall_tau_b([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(4 / (5 * 5) ** 0.5)
    assert kendall_tau_b([1, 1], [1, 2]) == 0.0
    assert kendall_tau_b([1, 1], [5, 5]) == 1.0
    assert kendall_tau_b([], []) == 1.0
    with pytest.raises(UsageError, match="1 values against 2"):
        kendall_tau_b([1], [1, 2])
    with pytest.raises(UsageError, match="NaN"):
        kendall_tau_b([float("nan"), 1], [1, 2])


def test_all_queries_of_either_run_count_and_failed_ones_do_not() -> None:
    one = replace(Run.from_rankings({"q1": ["a"], "q2": [], "q3": ["a"]}), failures={"q5": "down"})
    two = replace(Run.from_rankings({"q4": ["a"], "q2": [], "q1": ["a"]}), failures={"q3": "down"})

    assert overlap(one, two, "RBO").values == {"q1": 1.0, "q2": 1.0, "q4": 0.0}


def test_rankings_of_many_lengths_are_matched_at_once() -> None:
    one = {f"q{number}": [str(doc) for doc in range(number)] for number in range(60)}
    two = {f"q{number}": [str(doc) for doc in range(0, 90, 2)][: 60 - number] for number in range(60)}

    found = overlap(Run.from_rankings(one), Run.from_rankings(two), "Jaccard")

    for query_id, value_found in found.values.items():
        both, either = set(one[query_id]) & set(two[query_id]), set(one[query_id]) | set(two[query_id])
        assert value_found == pytest.approx(len(both) / len(either) if either else 1.0)


def test_runs_without_a_common_query_are_an_error() -> None:
    with pytest.raises(DataError, match=r"no query in common: '12' in run, '12\.1' in run"):
        overlap(Run.from_rankings({"12": ["a"]}), Run.from_rankings({"12.1": ["a"]}), "RBO")


def test_a_repeated_document_or_an_impossible_p_is_an_error() -> None:
    with pytest.raises(UsageError, match="'a' stands twice"):
        rbo("aba", "ab")
    with pytest.raises(UsageError, match="p is 1, not between 0 and 1"):
        rbo("a", "a", p=1)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("RBO", "RBO(p=0.9)"),
        ("rbo(P=0.98)@50", "RBO(p=0.98)@50"),
        ("RBO(kind='min')", "RBO(p=0.9,kind='min')"),
        ("RBO(p=0.9, kind=EXT)", "RBO(p=0.9)"),
        ("jaccard@10", "Jaccard@10"),
        ("Overlap@5", "Overlap@5"),
        ("kendall", "Kendall"),
        ("changed@10", "Changed@10"),
        ("Changed(order=false)@5", "Changed(order=False)@5"),
    ],
)
def test_overlaps_have_one_name_that_can_be_given_back(written: str, canonical: str) -> None:
    assert parse_overlap(written).name == canonical
    assert parse_overlap(canonical) == parse_overlap(written)


@pytest.mark.parametrize(
    ("written", "problem", "fix"),
    [
        ("jacard@5", "unknown overlap 'jacard@5'", "did you mean 'Jaccard'?"),
        ("nDCG@10", "unknown overlap 'nDCG@10'", "known are: RBO(p=0.9)"),
        ("RBO(p=1.5)", "p=1.5 is not between 0 and 1", "p=0.8"),
        ("RBO(kind='max')", "kind='max' is not 'ext', 'min', 'res' or 'truncated'", "kind='min'"),
        ("Jaccard(p=0.9)@5", "unknown parameter 'p'", "Jaccard takes no parameters"),
        ("Jaccard@0", "cutoff '0' is not a whole number", "@10"),
    ],
)
def test_an_overlap_that_cannot_be_meant_is_an_error_with_a_fix(written: str, problem: str, fix: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_overlap(written, Place("shoes.relevance.yaml", 3, 1, written))

    assert problem in caught.value.problem
    assert fix in str(caught.value.fix)
    assert caught.value.place is not None


def test_changed_tells_another_order_from_other_documents() -> None:
    run = Run.from_rankings({"same": ["a", "b"], "swapped": ["a", "b"], "other": ["a", "b"], "gone": ["a"], "none": []})
    now = Run.from_rankings({"same": ["a", "b"], "swapped": ["b", "a"], "other": ["a", "c"], "gone": [], "none": []})

    assert overlap(run, now, "Changed@2").values == {"same": 0, "swapped": 1, "other": 1, "gone": 1, "none": 0}
    assert overlap(run, now, "Changed(order=False)@2").mean == pytest.approx(2 / 5)
    assert overlap(run, now, "Changed@1").mean == pytest.approx(2 / 5)
