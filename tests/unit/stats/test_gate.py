"""The gate: what passes, what fails, and what is not to be told from noise, with numbers one can check by hand."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import UsageError
from pytest_relevance.stats import Decision, Strata, correct_decisions, decide_drop

Floats = npt.NDArray[np.float64]

values = st.floats(0, 1, allow_nan=False)
pairs = st.lists(st.tuples(values, values), max_size=30).map(lambda rows: np.array(rows, dtype=float).reshape(-1, 2))


def decided(old: list[float], new: list[float], max_drop: float = 0.01) -> Decision:
    return decide_drop(np.array(old), np.array(new), max_drop=max_drop)


def test_a_fall_of_every_query_beyond_the_allowed_drop_fails() -> None:
    # Drops 0.1 to 0.5: mean 0.3, standard error 0.158 / √5 = 0.0707, t(0.975, 4) = 2.776: 0.3 ± 0.196.
    decision = decided([0.9] * 5, [0.8, 0.7, 0.6, 0.5, 0.4])

    assert (decision.outcome, decision.reason) == ("fail", "beyond")
    assert decision.drop == pytest.approx(0.3)
    assert (decision.interval.low, decision.interval.high) == pytest.approx((0.1037, 0.4963), abs=1e-4)
    assert decision.p_value == pytest.approx(1 / 32)  # of 32 sign vectors one is as bad


def test_a_fall_that_may_be_noise_is_inconclusive() -> None:
    decision = decided([0.5] * 6, [0.4, 0.6, 0.3, 0.6, 0.4, 0.5])

    assert (decision.outcome, decision.reason) == ("inconclusive", "straddles")
    assert decision.interval.low < 0.01 < decision.interval.high


def test_a_fall_clearly_within_the_allowed_drop_passes() -> None:
    decision = decided([0.5] * 6, [0.499, 0.5, 0.498, 0.5, 0.499, 0.5])

    assert (decision.outcome, decision.reason) == ("pass", "within")
    assert decision.interval.high <= 0.01


def test_identical_runs_pass_though_nothing_varies() -> None:
    decision = decided([0.2, 0.9, 0.4], [0.2, 0.9, 0.4], max_drop=0.0)

    assert (decision.outcome, decision.reason) == ("pass", "nothing changed")
    assert (decision.interval.low, decision.interval.high) == (0.0, 0.0)
    assert decision.p_value == 1.0
    assert decision.detectable is None


def test_values_that_differ_by_rounding_are_the_same() -> None:
    assert decided([0.1 + 0.2] * 3, [0.3] * 3, max_drop=0.0).reason == "nothing changed"


def test_four_queries_that_all_fell_are_too_few_to_rule_out_chance() -> None:
    decision = decided([1.0, 0.9, 0.8, 0.9], [0.0, 0.0, 0.0, 0.0])

    assert (decision.outcome, decision.reason) == ("inconclusive", "too few changed")
    assert decision.p_value == pytest.approx(1 / 16)
    assert decision.detectable is None


def test_four_changed_queries_of_fifty_do_not_fail_though_the_interval_is_beyond() -> None:
    # By t alone: mean 0.08, standard error 0.0388, low 0.0021 > 0; by signs, one case in sixteen.
    decision = decided([1.0] * 50, [0.0] * 4 + [1.0] * 46, max_drop=0.0)

    assert decision.interval.low > 0
    assert decision.outcome == "inconclusive"


def test_every_query_lost_the_same_fails_without_any_variance() -> None:
    decision = decided([0.5] * 6, [0.3] * 6)

    assert decision.outcome == "fail"
    assert decision.interval.width == pytest.approx(0.0)


def test_a_drop_of_exactly_what_is_allowed_passes() -> None:
    assert decided([0.8] * 6, [0.7] * 6, max_drop=0.1).outcome == "pass"


def test_one_query_tells_nothing_once_it_changed() -> None:
    assert decided([0.9], [0.1]).reason == "one query"
    assert decided([0.9], [0.9]).outcome == "pass"


def test_no_query_is_inconclusive_and_has_no_p_value() -> None:
    decision = decided([], [])

    assert (decision.outcome, decision.reason, decision.p_value) == ("inconclusive", "no queries", None)


def test_a_relative_drop_is_a_share_of_the_old_mean() -> None:
    old = np.array([0.2, 0.4, 0.6, 0.8, 0.3, 0.7])
    decision = decide_drop(old, old * 0.9, max_drop=0.1, relative=True)

    assert decision.allowed == pytest.approx(0.05)  # a tenth of 0.5
    assert decision.drop == pytest.approx(0.05)
    assert decision.outcome == "pass"
    assert decide_drop(old, old * 0.89, max_drop=0.1, relative=True).outcome == "fail"


def test_a_rise_is_a_drop_where_lower_is_better() -> None:
    old, new = np.array([0.1, 0.2, 0.15, 0.1, 0.2, 0.1]), np.array([0.4, 0.6, 0.45, 0.5, 0.5, 0.4])

    assert decide_drop(old, new, max_drop=0.05, higher_is_better=False).outcome == "fail"
    assert decide_drop(old, new, max_drop=0.05).outcome == "pass"


def test_better_same_and_worse_queries_are_counted() -> None:
    counts = decided([0.5, 0.5, 0.5, 0.5], [0.6, 0.5, 0.4, 0.3]).counts

    assert (counts.better, counts.same, counts.worse) == (1, 1, 2)


def test_slices_count_by_their_share_of_traffic() -> None:
    ids = [f"q{number}" for number in range(16)]
    strata = Strata.of_slices({"short": ids[:8], "long": ids[8:]}, {"short": 95, "long": 5}, ids)
    drops = np.concatenate([np.linspace(0.10, 0.14, 8), np.linspace(-0.9, -0.5, 8)])
    old = np.full(16, 0.95)
    decision = decide_drop(old, old - drops, max_drop=0.05, strata=strata)

    assert decision.drop == pytest.approx(0.95 * 0.12 - 0.05 * 0.7)  # 0.079, while the plain mean rises
    assert decision.outcome == "fail"
    assert decide_drop(old, old - drops, max_drop=0.05).outcome == "pass"


def test_queries_of_no_slice_do_not_count() -> None:
    strata = Strata.of_slices({"short": ["q1"]}, {"short": 1}, ["q1", "q2"])
    decision = decide_drop(np.array([0.5, 1.0]), np.array([0.5, 0.0]), max_drop=0.0, strata=strata)

    assert (decision.queries, decision.outcome) == (1, "pass")


def test_the_detectable_drop_adds_what_is_allowed_to_what_the_test_can_see() -> None:
    # 34 differences of deviation 0.2 show 0.1 with power 0.8: Cohen's d_z 0.5.
    drops = np.tile([0.2, -0.2], 17) / math.sqrt(34 / 33)
    decision = decide_drop(np.full(34, 0.5), 0.5 - drops, max_drop=0.01)

    assert decision.detectable == pytest.approx(0.01 + 0.1, abs=0.002)


def test_a_fail_among_many_gates_must_stand_the_correction() -> None:
    barely = decided([0.9] * 5, [0.8, 0.7, 0.6, 0.5, 0.4])  # p = 1/32
    clear = decided([0.9] * 12, np.linspace(0.1, 0.3, 12).tolist())  # p = 1/4096
    same = decided([0.5], [0.5])
    nothing = decided([], [])
    found = correct_decisions([barely, clear, same, nothing])

    assert [decision.outcome for decision in found] == ["inconclusive", "fail", "pass", "inconclusive"]
    assert found[0].reason == "corrected"
    assert found[0].corrected_p == pytest.approx(2 / 32)  # the second smallest of three
    assert found[3].corrected_p is None


def test_alone_a_gate_is_as_it_was() -> None:
    barely = decided([0.9] * 5, [0.8, 0.7, 0.6, 0.5, 0.4])

    assert correct_decisions([barely])[0].outcome == "fail"


@pytest.mark.parametrize(
    ("old", "new", "options", "words"),
    [
        ([0.5], [0.5, 0.6], {}, "shapes"),
        ([0.5], [math.nan], {}, "NaN"),
        ([0.5], [0.5], {"max_drop": -0.1}, "max_drop -0.1"),
        ([0.5], [0.5], {"max_drop": 2.0, "relative": True}, "more than everything"),
        ([0.5], [0.5], {"confidence": 95}, "confidence 95"),
        ([0.5], [0.5], {"strata": Strata.whole(3)}, "strata of 3 queries"),
    ],
)
def test_what_cannot_be_decided_is_refused(
    old: list[float], new: list[float], options: dict[str, object], words: str
) -> None:
    settings_of_the_gate = {"max_drop": 0.01} | options
    with pytest.raises(UsageError, match=words):
        decide_drop(np.array(old), np.array(new), **settings_of_the_gate)  # type: ignore[arg-type] # wrong on purpose


@given(pairs, st.floats(0, 0.3))
@settings(deadline=None)
def test_a_decision_holds_no_nan_and_agrees_with_its_interval(columns: Floats, max_drop: float) -> None:
    decision = decide_drop(columns[:, 0], columns[:, 1], max_drop=max_drop)
    numbers = [decision.drop, decision.interval.low, decision.interval.high, decision.p_value, decision.detectable]

    assert all(number is None or math.isfinite(number) for number in numbers)
    assert decision.interval.low <= decision.drop + 1e-9 <= decision.interval.high + 2e-9
    if decision.outcome == "fail":
        assert decision.interval.low > max_drop
    if decision.outcome == "pass":
        assert decision.interval.high <= max_drop + 1e-9


@given(pairs)
@settings(deadline=None)
def test_the_order_of_the_queries_does_not_matter(columns: Floats) -> None:
    one = decide_drop(columns[:, 0], columns[:, 1], max_drop=0.02)
    turned = columns[::-1]
    other = decide_drop(turned[:, 0], turned[:, 1], max_drop=0.02)

    assert one.drop == pytest.approx(other.drop, abs=1e-12)
    assert one.counts == other.counts
