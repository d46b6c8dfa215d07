from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pytest_relevance.errors import Place
from pytest_relevance.measures import Measure, parse_measure
from pytest_relevance.records import Queries, Values
from pytest_relevance.suite import Against, Drop, DropCheck, OrderCheck, Threshold
from pytest_relevance.suite.regressions import EachQuery, EachSlice
from pytest_relevance.verdict import Verdict, decide_order, decide_threshold
from pytest_relevance.verdict.compared import Compared, decided, decided_slices
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.record import Beside, QueryValue, Side
from pytest_relevance.verdict.regression import beside_baseline, decide_regression, labels_line

PLACE = Place("shoes.relevance.yaml", 7, 5)
NDCG = parse_measure("nDCG@10")
COST = Measure("Cost", "Cost", {}, None, higher_is_better=False, upper=None)


def measured(column: Sequence[float], name: str = "live") -> Measured:
    query_ids = tuple(f"q{place}" for place in range(len(column)))
    queries = Queries.from_dict({query_id: query_id for query_id in query_ids})
    return Measured(name, Values("nDCG@10", query_ids, np.array(column)), queries, qrels="qrels")


def check(measure: Measure = NDCG, **rules: object) -> DropCheck:
    given = {"max_drop": Drop(0.1), **rules}
    return DropCheck(PLACE, "gate", "fail", "live", measure, Against("baseline", "baseline"), **given)  # type: ignore[arg-type] # any rule


def verdict_of(asked: DropCheck, old: Sequence[float], new: Sequence[float]) -> Verdict:
    then, now = measured(old, "then"), measured(new)
    compared = Compared(then, now, "baseline", decided(asked, then, now))

    def sides(worst: Sequence[QueryValue]) -> tuple[Side, ...]:
        return tuple(Side(one.query_id, "", "baseline", one.other, one.value, True, ()) for one in worst)

    return decide_regression("shoes", asked, [compared], [sides], "the command")


def test_the_same_fall_everywhere_beyond_the_allowed_one_fails() -> None:
    verdict = verdict_of(check(), [0.8] * 10, [0.5] * 10)

    assert verdict.outcome == "fail"
    assert (
        verdict.sentence
        == "nDCG@10 is 0.500 for live, 0.300 below baseline (0.800), more than the 0.100 this suite allows"
    )
    assert verdict.gate is not None
    assert (verdict.gate.better, verdict.gate.same, verdict.gate.worse) == (0, 0, 10)
    assert (verdict.gate.low, verdict.gate.high) == pytest.approx((-0.3, -0.3))
    assert [one.query_id for one in verdict.worst] == ["q0", "q1", "q2", "q3", "q4"]
    assert [side.query_id for side in verdict.sides] == ["q0", "q1", "q2"]


def test_a_fall_within_the_allowed_one_passes() -> None:
    verdict = verdict_of(check(), [0.8] * 10, [0.75] * 10)

    assert verdict.outcome == "pass"
    assert verdict.sentence.endswith("0.050 below baseline (0.800), within the 0.100 this suite allows")
    assert (verdict.worst, verdict.sides) == ((), ())


def test_a_relative_drop_is_a_share_of_what_was() -> None:
    """5 % of 0.8 is 0.04: a fall of 0.05 is beyond it, one of 0.03 within."""
    allowed = check(max_drop=Drop(0.05, relative=True))

    fell = verdict_of(allowed, [0.8] * 10, [0.75] * 10)
    assert fell.outcome == "fail"
    assert fell.sentence.endswith("more than the 5 % (0.040) this suite allows")
    assert verdict_of(allowed, [0.8] * 10, [0.77] * 10).outcome == "pass"


OLD = [0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4]
NOISY = [0.1, 0.2, 0.9, 0.1, 0.2, 0.9, 0.1, 0.3]


@pytest.mark.parametrize(("unsure", "outcome"), [("notice", "inconclusive"), ("warn", "warn"), ("fail", "fail")])
def test_what_noise_may_explain_is_what_the_suite_says(unsure: str, outcome: str) -> None:
    verdict = verdict_of(check(on_inconclusive=unsure), OLD, NOISY)

    assert verdict.outcome == outcome
    assert verdict.failing == (outcome == "fail")
    assert "8 queries cannot tell" in verdict.sentence
    assert "noise may explain it: the interval holds the allowed drop" in verdict.remarks


def test_a_warning_stays_a_warning_whatever_fails() -> None:
    assert verdict_of(replace(check(), level="warn"), [0.8] * 10, [0.5] * 10).outcome == "warn"


def test_of_a_measure_where_less_is_better_a_rise_is_the_loss() -> None:
    """Direction is part of the measure: cost going from 2 to 3 is worse, from 3 to 2 better."""
    assert verdict_of(check(COST), [2.0] * 8, [3.0] * 8).outcome == "fail"
    better = verdict_of(check(COST), [3.0] * 8, [2.0] * 8)
    assert better.outcome == "pass"
    assert better.notices == ("Cost of live is better than the baseline by 1.000: renew it: the command",)
    lost = verdict_of(check(COST), [2.0, 2.0, 2.0, 2.0], [2.0, 5.0, 2.0, 1.0])
    assert [one.query_id for one in lost.worst] == ["q1"]


def test_beside_a_threshold_too_the_loss_is_a_rise_where_less_is_better() -> None:
    """Costs of 2, 2, 2 and now of 2, 5, 1: q1 lost, and q2 gained."""
    then, now = measured([2.0, 2.0, 2.0], "then"), measured([2.0, 5.0, 1.0])
    asked = Threshold(PLACE, "Cost", "fail", "live", COST, at_most=2.0)

    verdict = beside_baseline(
        asked, decide_threshold("shoes", asked, [now]), Compared(then, now, "baseline"), lambda _: ()
    )

    assert verdict.outcome == "fail"
    assert [one.query_id for one in verdict.worst] == ["q1"]
    assert verdict.gate is not None
    assert (verdict.gate.better, verdict.gate.worse) == (1, 1)
    assert verdict.gate.difference == pytest.approx(2 / 3)


def test_a_claim_to_be_better_must_be_shown() -> None:
    claim = check(max_drop=None, improves=True, on_inconclusive="fail")

    assert verdict_of(claim, [0.5] * 10, [0.6] * 10).outcome == "pass"
    assert verdict_of(claim, [0.5] * 10, [0.5] * 10).sentence.endswith("and nothing shows that it is better")
    assert verdict_of(claim, [0.5] * 10, [0.5] * 10).outcome == "fail"
    assert verdict_of(claim, [0.6] * 10, [0.5] * 10).outcome == "fail"


def test_single_queries_are_counted() -> None:
    """Two of ten lost more than 0.3: 80 % kept the rule."""
    new = [0.1, 0.1, *[0.8] * 8]
    rule = EachQuery(Drop(0.3), mostly=0.8)

    assert verdict_of(check(max_drop=None, each_query=rule), [0.8] * 10, new).outcome == "pass"
    strict = verdict_of(check(max_drop=None, each_query=replace(rule, mostly=0.9)), [0.8] * 10, new)
    assert strict.outcome == "fail"
    assert strict.sentence == (
        "2 queries of 10 lost more than 0.3 of nDCG@10 for live against baseline, and at most 0.1 of them may: q0, q1"
    )


def test_a_second_rule_that_is_broken_is_told_too() -> None:
    both = check(each_query=EachQuery(Drop(0.2)))

    broken, fell = verdict_of(both, [0.8] * 10, [0.5] * 10), verdict_of(both, [0.8] * 10, [0.65] * 10)

    assert broken.remarks == (
        "also: 10 queries of 10 lost more than 0.2 of nDCG@10 for live against baseline, and none may: "
        "q0, q1, q2, q3, q4 and 5 more",
    )
    assert fell.remarks == ()


def test_slices_are_corrected_among_themselves_and_the_worst_is_named() -> None:
    asked = check(each_slice=EachSlice(Drop(0.1)))
    pairs = {
        "type=short": (measured([0.8] * 8), measured([0.8] * 8)),
        "type=long": (measured([0.8] * 8), measured([0.5] * 8)),
    }
    slices = decided_slices(asked, pairs)
    then, now = measured([0.8] * 16), measured([*[0.8] * 8, *[0.75] * 8])
    compared = Compared(then, now, "baseline", decided(asked, then, now), slices)

    verdict = decide_regression("shoes", asked, [compared], [lambda _: ()], "")

    assert {name: one.outcome for name, one in slices.items()} == {"type=short": "pass", "type=long": "fail"}
    assert verdict.outcome == "fail"
    assert verdict.sentence == "nDCG@10 of type=long is 0.500 for live, 0.300 below baseline (0.800), more than 0.1"


def test_the_worst_judgment_set_is_reported() -> None:
    asked = check()
    sets = [
        Compared(
            measured([0.8] * 8),
            measured([new] * 8),
            "baseline",
            decided(asked, measured([0.8] * 8), measured([new] * 8)),
        )
        for new in (0.8, 0.5)
    ]

    assert decide_regression("shoes", asked, sets, [lambda _: ()] * 2, "").outcome == "fail"


@pytest.mark.parametrize(
    ("judged", "drop", "told"),
    [
        (
            Beside("Judged@10", 0.81, 0.97),
            0.1,
            "Judged@10 fell from 0.97 to 0.81: some of this drop may be missing judgments.",
        ),
        (Beside("Judged@10", 0.97, 0.81), 0.1, ""),
        (Beside("Judged@10", 0.81, 0.97), -0.1, ""),
        (Beside("Judged@10", 0.965, 0.97), 0.1, ""),
        (Beside("nDCG-f@10", 0.1, 0.9), 0.1, ""),
    ],
)
def test_missing_judgments_are_told_where_they_may_explain_a_fall(judged: Beside, drop: float, told: str) -> None:
    assert labels_line([judged], drop) == told


def test_a_verdict_survives_its_journey() -> None:
    verdict = verdict_of(check(each_query=EachQuery(Drop(0.1))), OLD, NOISY)

    assert Verdict.from_json(verdict.to_json()) == verdict


@pytest.mark.parametrize(
    ("margin", "confidence", "outcome"),
    [
        (None, None, "pass"),
        (Drop(0.1), None, "pass"),
        (Drop(0.3), None, "fail"),
        (Drop(0.25, relative=True), None, "fail"),
        (Drop(0.2, relative=True), None, "pass"),
        (None, 0.95, "pass"),
        (Drop(0.19), 0.95, "fail"),
    ],
)
def test_an_order_has_a_margin_and_may_have_to_be_shown(
    margin: Drop | None, confidence: float | None, outcome: str
) -> None:
    """0.8 and 0.6 on average: 0.2 apart, a quarter of the better one; single queries are 0.1 or 0.3 apart."""
    better, worse = measured([0.8] * 8, "a"), measured([0.7, 0.5] * 4, "b")
    asked = OrderCheck(PLACE, "order", "fail", "a", NDCG, ("a", "b"), margin=margin, confidence=confidence)

    assert decide_order("shoes", asked, [{"a": better, "b": worse}]).outcome == outcome
