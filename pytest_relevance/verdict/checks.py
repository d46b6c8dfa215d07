"""Deciding checks: thresholds, orders of retrievers, overlaps. One function a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_relevance.suite import OrderCheck, OverlapCheck, ResultsCheck, Threshold
from pytest_relevance.verdict.measured import SIDES_SHOWN, Measured
from pytest_relevance.verdict.numbers import listed, shown
from pytest_relevance.verdict.record import Kind, Mean, Outcome, QueryValue, SidesOf, Verdict
from pytest_relevance.verdict.rules import (
    BySet,
    agreements,
    bounded_outcome,
    broken_pairs,
    margin,
    outcome_where,
    threshold_outcome,
)


def decide_threshold(suite: str, check: Threshold, measured: Sequence[Measured]) -> Verdict:
    """Whether a measure is within its bounds under every judgment set given; the worst set is reported."""
    worst = min(measured, key=lambda one: margin(one.value, check.at_least, check.at_most))
    value, outcome = worst.value, threshold_outcome(check, measured)
    sentence = _threshold_sentence(_label(check.measure.name, worst), worst.retriever, value, check)
    bounds = (check.at_least, check.at_most)
    others = tuple(f"under {one.qrels} it is {shown(one.value, *bounds)}" for one in measured if one is not worst)
    return Verdict(
        suite=suite,
        retriever=worst.retriever,
        title=check.title,
        kind="threshold",
        outcome=outcome,
        sentence=sentence,
        place=str(check.place),
        measure=check.measure.name,
        qrels=worst.qrels,
        scope=worst.scope,
        value=value,
        at_least=check.at_least,
        at_most=check.at_most,
        queries=len(worst.values),
        context=worst.context,
        means=_means(worst, check.at_least, check.at_most),
        beside=worst.companions(),
        worst=() if outcome == "pass" else _worst(check, worst),
        remarks=(*worst.remarks(), *others),
    )


def decide_order(suite: str, check: OrderCheck, by_set: BySet) -> Verdict:
    """Whether each retriever is better than the next by more than the margin, under every judgment set given.

    Two equal means break the order: a claim to be better that nothing shows must not pass. With a confidence the paired
    interval must show it too.
    """
    if check.tau_b is not None:
        return _decide_agreement(suite, check, by_set, check.tau_b)
    broken = broken_pairs(check, by_set)
    measured, better, worse = broken[0] if broken else (by_set[0], check.order[0], check.order[-1])
    first, second = measured[better], measured[worse]
    outcome, sentence = outcome_where(not broken, check.level), _order_sentence(check, measured, broken)
    return replace(
        _of_order(suite, check, measured, first, outcome, sentence),
        value=first.value,
        beside=first.companions(),
        worst=_lost_most(first, second) if broken else (),
        worst_beside=worse,
    )


def _decide_agreement(suite: str, check: OrderCheck, by_set: BySet, least: float) -> Verdict:
    """Whether the means put the retrievers in the order stated by at least such a Kendall tau-b, under every set."""
    value, measured = min(zip(agreements(check, by_set), by_set, strict=True), key=lambda pair: pair[0])
    first = measured[check.order[0]]
    what = f"Kendall tau-b between {' > '.join(check.order)} and {check.measure.name}"
    under = f" under {first.qrels}" if first.qrels else ""
    outcome, sentence = outcome_where(value >= least, check.level), f"{what}{under} is {_against(value, least, None)}"
    return replace(_of_order(suite, check, measured, first, outcome, sentence), value=value, at_least=least)


def _of_order(
    suite: str, check: OrderCheck, measured: Mapping[str, Measured], first: Measured, outcome: Outcome, sentence: str
) -> Verdict:
    """What every verdict on an order tells; `first`: the one whose queries and judgments it speaks of."""
    return Verdict(
        suite=suite,
        retriever=check.of,
        title=check.title,
        kind="order",
        outcome=outcome,
        sentence=sentence,
        place=str(check.place),
        measure=check.measure.name,
        qrels=first.qrels,
        scope=first.scope,
        queries=len(first.values),
        context=first.context,
        means=tuple(_mean_of(name, measured[name]) for name in check.order),
        remarks=tuple(dict.fromkeys(line for name in check.order for line in measured[name].remarks())),
    )


def decide_overlap(
    suite: str,
    check: OverlapCheck,
    measured: Measured,
    other: str,
    sides_of: SidesOf,
    changes: tuple[str, ...] = (),
) -> Verdict:
    """Whether two runs' rankings are as alike, or as different, as the suite says; `other` names the other one."""
    value = _against(measured.value, check.at_least, check.at_most)
    sentence = f"{check.overlap.name} between {measured.retriever} and {other} is {value}"
    although = f"{measured.retriever} was compared with {other} although {'; '.join(changes)}"
    verdict = _bounded(suite, check, measured, "overlap", check.overlap.name, sentence)
    worst = () if verdict.outcome == "pass" else _worst(check, measured)
    sides = sides_of(worst[:SIDES_SHOWN]) if worst else ()
    return replace(verdict, worst=worst, sides=sides, notices=(although,) if changes else ())


def decide_results(suite: str, check: ResultsCheck, measured: Measured) -> Verdict:
    """Whether as many queries get so few results as the suite allows."""
    value = _against(measured.value, check.at_least, check.at_most, f" for {check.of}")
    sentence = f"the share of queries with {check.what} is {value}"
    verdict = _bounded(suite, check, measured, "results", check.what, sentence)
    found = [query_id for query_id in measured.values.query_ids if measured.values[query_id]]
    if verdict.outcome == "pass" or not found:
        return verdict
    return replace(verdict, remarks=(*verdict.remarks, f"with {check.what}: {listed(found, 10)}"))


def _bounded(
    suite: str, check: OverlapCheck | ResultsCheck, measured: Measured, kind: Kind, measure: str, sentence: str
) -> Verdict:
    value = measured.value
    return Verdict(
        suite=suite,
        retriever=measured.retriever,
        title=check.title,
        kind=kind,
        outcome=bounded_outcome(check, measured),
        sentence=sentence,
        place=str(check.place),
        measure=measure,
        scope=measured.scope,
        value=value,
        at_least=check.at_least,
        at_most=check.at_most,
        queries=len(measured.values),
        context=measured.context,
        means=_means(measured, check.at_least, check.at_most),
        remarks=measured.remarks(),
    )


def _worst(check: Threshold | OverlapCheck, measured: Measured) -> tuple[QueryValue, ...]:
    """The queries that are farthest on the side of the bound that is broken."""
    return measured.worst(highest=check.at_most is not None and measured.value > check.at_most)


def _label(measure: str, measured: Measured) -> str:
    return f"{measure} ({measured.scope})" if measured.scope else measure


def _threshold_sentence(label: str, retriever: str, value: float, check: Threshold) -> str:
    return f"{label} is {_against(value, check.at_least, check.at_most, f' for {retriever}')}"


def _against(value: float, at_least: float | None, at_most: float | None, whose: str = "") -> str:
    number = shown(value, at_least, at_most)
    if at_least is not None and value < at_least:
        bound = shown(at_least, value)
        return f"{number}{whose}, below the {bound} this suite expects ({value - at_least:+.3f})"
    if at_most is not None and value > at_most:
        bound = shown(at_most, value)
        return f"{number}{whose}, above the {bound} this suite allows ({value - at_most:+.3f})"
    bounds = [f"at least {shown(at_least)}"] if at_least is not None else []
    bounds += [f"at most {shown(at_most)}"] if at_most is not None else []
    return f"{number}{whose}, as this suite expects ({' and '.join(bounds)})"


def _order_sentence(
    check: OrderCheck, measured: Mapping[str, Measured], broken: Sequence[tuple[Mapping[str, Measured], str, str]]
) -> str:
    wanted = " > ".join(check.order)
    if not broken:
        return f"{check.measure.name} puts the retrievers in the order {wanted}, as this suite expects"
    _, better, worse = broken[0]
    high, low = measured[better].value, measured[worse].value
    under = f" under {measured[better].qrels}" if measured[better].qrels else ""
    relation = "ties with" if high == low else "is below" if high < low else "is above"
    return (
        f"{check.measure.name}{under}: {better} ({shown(high, low)}) {relation} {worse} ({shown(low, high)}), "
        f"but this suite expects {wanted}{_how_much(check)}"
    )


def _how_much(check: OrderCheck) -> str:
    by = f" by more than {check.margin}" if check.margin else ""
    return by if check.confidence is None else f"{by}, shown by the {check.confidence:.0%} interval"


def _lost_most(first: Measured, second: Measured) -> tuple[QueryValue, ...]:
    shared = [query_id for query_id in first.values.query_ids if query_id in second.values.values]
    losing = sorted(shared, key=lambda query_id: first.values[query_id] - second.values[query_id])[:5]
    narrowed = first.values.restricted_to(losing)
    by_id = {one.query_id: one for one in replace(first, values=narrowed).worst(second.values)}
    return tuple(by_id[query_id] for query_id in losing)


def _means(measured: Measured, at_least: float | None, at_most: float | None) -> tuple[Mean, ...]:
    rows = [_mean_of("this run", measured)]
    rows += [Mean("at least", at_least)] if at_least is not None else []
    rows += [Mean("at most", at_most)] if at_most is not None else []
    return tuple(rows)


def _mean_of(label: str, measured: Measured) -> Mean:
    interval = measured.interval
    return Mean(label, measured.value, interval.low, interval.high)
