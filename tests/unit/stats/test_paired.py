"""Paired tests, corrections, effects and pairs: numbers by pencil, and every degenerate case defined."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import UsageError
from pytest_relevance.records import Values
from pytest_relevance.stats import (
    Strata,
    benjamini_hochberg,
    bonferroni,
    compare,
    holm,
    minimum_detectable_drop,
    paired,
    power_of,
    queries_needed,
    randomisation_test,
    wilcoxon_p,
)
from pytest_relevance.stats.resampling import flipped_totals

Floats = npt.NDArray[np.float64]


def column(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def test_three_queries_that_all_rose_have_two_sign_vectors_of_eight_as_far_out() -> None:
    found = randomisation_test(column(0.1, 0.2, 0.3))[0]

    assert (found.two_sided, found.above) == (0.25, 0.125)


def test_sign_vectors_with_equal_sums_count_whatever_rounding_does() -> None:
    # ±0.1 ±0.2 ±0.3: of the eight sums, 0.6 and twice 0.0 ... here 0.3 - 0.2 - 0.1 is 0 but for rounding.
    assert randomisation_test(column(0.3, -0.2, -0.1))[0].two_sided == 1.0


def test_queries_that_stayed_change_no_p_value() -> None:
    assert randomisation_test(column(0.1, 0.2, 0.3, 0, 0, 0)) == randomisation_test(column(0.1, 0.2, 0.3))


def test_drawn_signs_agree_with_all_signs() -> None:
    differences = np.random.default_rng(2).normal(0.03, 0.1, 14)
    more = np.concatenate([differences, [2e-12]])  # a fifteenth that changed, and weighs nothing
    exact, drawn = randomisation_test(differences)[0], randomisation_test(more)[0]

    assert drawn.two_sided == pytest.approx(exact.two_sided, abs=0.02)
    assert drawn.above == pytest.approx(exact.above, abs=0.02)


def test_columns_share_the_signs_and_have_each_their_own_p_value() -> None:
    differences = np.random.default_rng(3).normal(0.05, 0.1, (40, 3))
    differences[5:, 1] = 0.0

    assert randomisation_test(differences) == tuple(randomisation_test(differences[:, place])[0] for place in range(3))


def test_wilcoxon_of_five_rises_is_two_of_32_sign_vectors() -> None:
    assert wilcoxon_p(column(0.1, 0.2, 0.3, 0.4, 0.5)) == pytest.approx(2 / 32)


def test_wilcoxon_drops_zeros_and_shares_the_ranks_of_ties() -> None:
    # Sizes 1, 1, 2: ranks 1.5, 1.5, 3; up 4.5, down 1.5; middle 3, variance 3·4·7/24 - 6/48 = 3.375.
    expected = math.erfc((3 - 1.5) / math.sqrt(3.375) / math.sqrt(2))

    assert wilcoxon_p(column(0.1, -0.1, 0.2, 0.0)) == pytest.approx(expected)


def test_holm_multiplies_by_what_is_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))


def test_bonferroni_multiplies_by_the_number_of_tests() -> None:
    assert bonferroni([0.01, 0.5]) == pytest.approx((0.02, 1.0))


def test_benjamini_and_hochberg_divide_by_the_rank() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.04, 0.04))


@pytest.mark.parametrize("correction", [holm, bonferroni, benjamini_hochberg])
def test_what_was_not_tested_is_not_counted(correction: type) -> None:
    assert correction([None, 0.02, None]) == (None, 0.02, None)
    assert correction([]) == ()
    with pytest.raises(UsageError, match="nan"):
        correction([0.1, math.nan])


def test_a_comparison_counts_and_measures_the_effect() -> None:
    found = compare(column(0.5, 0.5, 0.5, 0.5), column(0.7, 0.6, 0.5, 0.4), resamples=200)

    assert (found.better, found.same, found.worse) == (2, 1, 1)
    assert found.difference == pytest.approx(0.05)
    assert found.effect == pytest.approx(0.05 / np.std([0.2, 0.1, 0.0, -0.1], ddof=1))
    assert found.superiority == pytest.approx(2.5 / 4)
    assert found.interval == found.student


@pytest.mark.parametrize("queries", [0, 1, 2, 30])
def test_where_nothing_differs_every_p_value_is_one_and_the_effect_is_none_at_all(queries: int) -> None:
    same = np.linspace(0, 1, queries)
    found = compare(same, same.copy(), resamples=50)

    assert (found.p_randomisation, found.p_student, found.p_wilcoxon) == (1.0, 1.0, 1.0)
    assert (found.effect, found.superiority, found.difference) == (0.0, 0.5, 0.0)
    assert all(interval.width == 0.0 for interval in (found.student, found.percentile, found.bca))


def test_the_same_rise_everywhere_has_no_bounded_effect_and_no_width() -> None:
    found = compare(column(0.1, 0.2, 0.3), column(0.35, 0.45, 0.55), resamples=50)

    assert found.effect is None
    assert found.superiority == 1.0
    assert found.student.width == pytest.approx(0.0, abs=1e-12)
    assert found.p_randomisation == 0.25


def test_one_query_that_changed_proves_nothing() -> None:
    found = compare(column(0.1), column(0.9), resamples=50)

    assert (found.p_randomisation, found.p_student, found.p_wilcoxon) == (1.0, 1.0, 1.0)


def test_pairs_are_joined_by_id_and_not_by_place() -> None:
    old = Values("nDCG@10", ("q1", "q2", "q3"), column(0.1, 0.2, 0.3))
    new = Values("nDCG@10", ("q3", "q1", "q9"), column(0.33, 0.11, 0.99))
    found = paired(old, new)

    assert found.query_ids == ("q1", "q3")
    assert (found.old.tolist(), found.new.tolist()) == ([0.1, 0.3], [0.11, 0.33])


def test_slices_that_overlap_become_groups_that_do_not() -> None:
    ids = ["a", "b", "c"]
    strata = Strata.of_slices({"short": ["a", "b"], "question": ["b", "c"]}, {"short": 3, "question": 1}, ids)

    # a: 0.75 / 2; b in both: 0.75 / 2 + 0.25 / 2; c: 0.25 / 2
    assert strata.weights.tolist() == pytest.approx([0.375, 0.5, 0.125])
    assert strata.totals(column(0.2, 0.4, 0.9)[:, np.newaxis])[0] == pytest.approx(0.75 * 0.3 + 0.25 * 0.65)


def test_a_slice_without_queries_gives_its_weight_to_the_others() -> None:
    strata = Strata.of_slices({"short": ["a"], "long": []}, {"short": 1, "long": 9}, ["a"])

    assert strata.weights.tolist() == [1.0]


def test_groups_of_one_query_take_the_variance_of_the_others() -> None:
    strata = Strata(np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    found = compare(np.zeros(4), column(0.1, 0.2, 0.3, 0.2), strata=strata, resamples=50)

    # Variance 0.01 in the first group, and for want of its own in the second; squared shares 1/4.
    error = math.sqrt(0.01 / 3 / 4 + 0.01 / 4)
    # Satterthwaite: (1/3 + 1)² / ((1/9 + 1) / 2) = 3.2 degrees of freedom, of which t(0.975) is 3.073.
    assert found.student.width / 2 / error == pytest.approx(3.073, abs=0.001)


def test_power_grows_with_queries_and_with_the_drop() -> None:
    assert power_of(20, drop=0.05, deviation=0.1) < power_of(40, drop=0.05, deviation=0.1)
    assert power_of(20, drop=0.05, deviation=0.1) < power_of(20, drop=0.10, deviation=0.1)


def test_the_detectable_drop_is_detected_with_its_power() -> None:
    drop = minimum_detectable_drop(50, deviation=0.2, power=0.9)

    assert drop is not None
    assert power_of(50, drop=drop, deviation=0.2) == pytest.approx(0.9)


def test_planning_without_noise_or_without_queries_is_defined() -> None:
    assert minimum_detectable_drop(10, deviation=0.0) == 0.0
    assert minimum_detectable_drop(1, deviation=0.1) is None
    assert queries_needed(0.1, deviation=0.0) == 2
    assert power_of(1, drop=0.5, deviation=0.1) == 0.0
    with pytest.raises(UsageError, match="cannot be planned for"):
        queries_needed(0.0, deviation=0.1)


@given(st.lists(st.floats(-1, 1, allow_nan=False), max_size=25))
@settings(deadline=None)
def test_no_number_of_a_comparison_is_nan(differences: list[float]) -> None:
    found = compare(np.zeros(len(differences)), np.array(differences), resamples=50)
    numbers = [found.difference, found.p_student, found.p_wilcoxon, found.p_randomisation, found.superiority]
    numbers += [bound for kind in (found.student, found.percentile, found.bca) for bound in (kind.low, kind.high)]

    assert all(math.isfinite(number) for number in numbers)
    assert found.effect is None or math.isfinite(found.effect)
    assert found.better + found.same + found.worse == found.queries


@given(st.lists(st.floats(0, 1, allow_nan=False), max_size=12), st.sampled_from([holm, bonferroni]))
def test_a_corrected_p_value_is_never_smaller(p_values: list[float], correction: type) -> None:
    assert all(new >= old for old, new in zip(p_values, correction(p_values), strict=True))


def test_what_no_sign_vector_reaches_has_the_smallest_p_value_that_so_many_flips_can_show() -> None:
    """100 differences of 0.1: only one of 2^100 sign vectors gives their sum, so no flip of 10,000 does."""
    fell, rose = randomisation_test(column(*[-0.1] * 100))[0], randomisation_test(column(*[0.1] * 100))[0]

    assert (rose.two_sided, rose.above) == (1 / 10_001, 1 / 10_001)
    assert (fell.two_sided, fell.above) == (1 / 10_001, 1.0)


def test_flipped_totals_are_sums_with_every_sign() -> None:
    """Of 1, 2 and 4 each of the eight sums of signs is one number; all turn up, and no other."""
    totals = flipped_totals(column(1, 2, 4)[:, np.newaxis], resamples=500, seed=1)[:, 0]

    assert set(totals.tolist()) == {-7, -5, -3, -1, 1, 3, 5, 7}
