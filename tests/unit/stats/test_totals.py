"""Statistics over queries, with numbers one can check by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.stats import bootstrap_interval, weighted_interval, weighted_total, worst_first

columns = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40).map(np.array)


def test_a_weighted_total_is_the_sum_of_share_times_mean() -> None:
    total = weighted_total({"short": np.array([0.2, 0.4]), "long": np.array([0.9])}, {"short": 3, "long": 1})

    assert total.mean == pytest.approx(0.75 * 0.3 + 0.25 * 0.9)
    assert total.shares == {"short": 0.75, "long": 0.25}


def test_a_slice_without_queries_gives_its_weight_to_the_others() -> None:
    total = weighted_total({"short": np.array([0.2]), "long": np.array([])}, {"short": 1, "long": 9})

    assert total.mean == pytest.approx(0.2)
    assert total.missing == ("long",)


def test_nothing_at_all_totals_to_zero() -> None:
    assert weighted_total({}, {"short": 1}).mean == 0.0


def test_the_same_value_everywhere_has_an_interval_of_no_width() -> None:
    interval = bootstrap_interval(np.full(7, 0.5))

    assert (interval.low, interval.high) == (0.5, 0.5)


def test_no_query_at_all_has_an_interval_and_no_nan() -> None:
    interval = bootstrap_interval(np.zeros(0))

    assert (interval.low, interval.high) == (0.0, 0.0)


def test_the_interval_agrees_with_scipy_within_monte_carlo_error() -> None:
    column = np.random.default_rng(7).random(60)
    expected = scipy.stats.bootstrap((column,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    width = expected.confidence_interval.high - expected.confidence_interval.low

    interval = bootstrap_interval(column, resamples=20_000)

    assert interval.low == pytest.approx(expected.confidence_interval.low, abs=0.03 * width)
    assert interval.high == pytest.approx(expected.confidence_interval.high, abs=0.03 * width)


def test_the_same_data_give_the_same_interval() -> None:
    column = np.array([0.1, 0.5, 0.9])

    assert bootstrap_interval(column) == bootstrap_interval(column.copy())


def test_resampling_inside_slices_keeps_their_shares() -> None:
    constant = {"short": np.full(5, 0.2), "long": np.full(3, 0.8)}

    interval = weighted_interval(constant, {"short": 0.5, "long": 0.5})

    assert (interval.low, interval.high) == pytest.approx((0.5, 0.5))


def test_many_queries_are_resampled_in_blocks_with_the_same_spread() -> None:
    column = np.tile([0.0, 1.0], 50_000)  # standard error 0.5 / sqrt(100,000)
    interval = bootstrap_interval(column, resamples=400)

    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.5 / 100_000**0.5, rel=0.15)


def test_the_lowest_value_comes_first_and_equal_ones_stay_in_order() -> None:
    assert list(worst_first(np.array([0.5, 0.1, 0.5, 0.0]))) == [3, 1, 0, 2]


@given(columns)
def test_an_interval_lies_between_the_lowest_and_the_highest_value(
    column: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    interval = bootstrap_interval(column, resamples=100)

    assert column.min() - 1e-12 <= interval.low <= interval.high <= column.max() + 1e-12
