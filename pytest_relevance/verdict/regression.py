"""Deciding regressions: from a comparison to a verdict that says what fell, by how much, and if it may be noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pytest_relevance.stats import Decision, paired
from pytest_relevance.stats.gate import Reason
from pytest_relevance.suite import DropCheck
from pytest_relevance.verdict.compared import Compared, shown_drop
from pytest_relevance.verdict.measured import SIDES_SHOWN, WORST_SHOWN
from pytest_relevance.verdict.numbers import listed, plural, shown
from pytest_relevance.verdict.record import Beside, Gate, Mean, Outcome, QueryValue, SidesOf, Verdict

_FELL = 0.01  # a fall of the judged share from which labels may explain a drop
_ROUNDING = 1e-12
_WHY: dict[Reason, str] = {
    "straddles": "noise may explain it: the interval holds the allowed drop",
    "too few changed": "so few queries changed that chance would do the same too often",
    "one query": "one query cannot show what is noise",
    "no queries": "no query was compared",
    "corrected": "beyond the allowed drop by itself, but not among so many gates (Holm)",
}
_SEVERITY: dict[Outcome, int] = {"fail": 0, "inconclusive": 1, "warn": 2, "pass": 3}


class _Finding(NamedTuple):
    """What one part of a check came to."""

    outcome: Outcome  # fail, inconclusive or pass
    sentence: str
    worst: tuple[str, ...] = ()  # queries to show first
    also: tuple[str, ...] = ()  # what other parts of the check say that do not hold either


def decide_regression(
    suite: str, check: DropCheck, by_set: Sequence[Compared], sides_of: Sequence[SidesOf], renew: str
) -> Verdict:
    """The verdict under every judgment set given; the worst set is reported. `renew`: the command that renews it."""
    found = [_finding(check, compared) for compared in by_set]
    place = min(range(len(found)), key=lambda place: _SEVERITY[found[place].outcome])
    finding, compared = found[place], by_set[place]
    outcome = _outcome(check, finding.outcome)
    lost = lost_most(compared, finding.worst, higher_is_better=check.measure.higher_is_better)
    gate = gate_of(compared, check)
    return Verdict(
        suite=suite,
        retriever=check.of,
        title=check.title,
        kind="regression",
        outcome=outcome,
        sentence=finding.sentence,
        place=str(check.place),
        measure=check.measure.name,
        qrels=compared.new.qrels,
        scope=compared.new.scope,
        value=compared.new.value,
        queries=len(compared.new.values),
        context=compared.new.context,
        means=means_of(compared),
        beside=beside_of(compared),
        worst=() if outcome == "pass" else lost,
        remarks=(*_remarks(compared, finding), *compared.new.remarks()),
        gate=gate,
        sides=() if outcome == "pass" else sides_of[place](lost[:SIDES_SHOWN]),
        notices=_notices(check, outcome, finding, compared, renew),
    )


def regression_outcome(check: DropCheck, by_set: Sequence[Compared]) -> Outcome:
    """The outcome alone, without what is told of it: the worst under any judgment set."""
    found = (_finding(check, compared).outcome for compared in by_set)
    return _outcome(check, min(found, key=_SEVERITY.__getitem__))


def beside_baseline(verdict: Verdict, compared: Compared, sides_of: SidesOf) -> Verdict:
    """A threshold's verdict with the stored baseline beside it: nothing of the decision changes."""
    lost = lost_most(compared)
    now, *bounds = verdict.means
    then = means_of(compared)[1]
    return replace(
        verdict,
        means=(now, then, *bounds),
        beside=beside_of(compared),
        worst=lost or verdict.worst,
        remarks=(*verdict.remarks, *_left_out(compared)),
        gate=gate_of(compared),
        sides=sides_of(lost[:SIDES_SHOWN]),
    )


def lost_most(
    compared: Compared, first: Sequence[str] = (), *, higher_is_better: bool = True
) -> tuple[QueryValue, ...]:
    """The queries that lost most, those first that broke a rule of their own; none that lost nothing."""
    old, new, sign = compared.old.values, compared.new.values, 1.0 if higher_is_better else -1.0
    gains = {query_id: sign * (new[query_id] - old[query_id]) for query_id in new.query_ids}
    losing = sorted((query_id for query_id, gain in gains.items() if gain < -_ROUNDING), key=gains.__getitem__)
    chosen = list(dict.fromkeys((*first, *losing)))[:WORST_SHOWN]
    return tuple(compared.new.query_value(query_id, old) for query_id in chosen)


def gate_of(compared: Compared, check: DropCheck | None = None) -> Gate:
    """The numbers behind a comparison; without a check nothing is allowed and nothing decided."""
    decision = compared.decision
    higher = check is None or check.measure.higher_is_better
    forward = decision if decision and not (check and check.improves) else None
    shown_as = forward or shown_drop(compared.old, compared.new, higher_is_better=higher)
    sign = 1.0 if higher else -1.0
    ends = sorted((0.0 - sign * shown_as.interval.low, 0.0 - sign * shown_as.interval.high))
    broken = {name: one for name, one in compared.slices.items() if one.outcome != "pass"}
    return Gate(
        against=compared.against,
        decision=decision.outcome if decision else "",
        reason=decision.reason if decision else "",
        old=shown_as.old_mean,
        new=shown_as.new_mean,
        low=ends[0],
        high=ends[1],
        confidence=shown_as.interval.confidence,
        better=shown_as.counts.better,
        same=shown_as.counts.same,
        worse=shown_as.counts.worse,
        allowed=forward.allowed if forward and check and check.max_drop else None,
        p_value=decision.p_value if decision else None,
        corrected_p=decision.corrected_p if decision else None,
        detectable=shown_as.detectable,
        changes=compared.changes,
        made_from=compared.made_from,
        slices=tuple(
            Mean(name, one.new_mean - one.old_mean, -one.interval.high, -one.interval.low)
            for name, one in broken.items()
        ),
    )


def means_of(compared: Compared) -> tuple[Mean, ...]:
    """Now and then, each with its own interval."""
    rows = (("this run", compared.new), (compared.against, compared.old))
    return tuple(Mean(label, one.value, one.interval.low, one.interval.high) for label, one in rows)


def beside_of(compared: Compared) -> tuple[Beside, ...]:
    """What belongs beside the measure, then and now."""
    then = {one.measure: one.mean for one in compared.old.companions()}
    return tuple(Beside(one.measure, one.mean, then.get(one.measure)) for one in compared.new.companions())


def labels_line(beside: Sequence[Beside], drop: float) -> str:
    """The plain words where missing judgments may explain a fall; else nothing."""
    judged = next((one for one in beside if one.measure.startswith("Judged") and one.old is not None), None)
    if judged is None or judged.old is None or drop <= 0 or judged.old - judged.mean < _FELL:
        return ""
    return (
        f"{judged.measure} fell from {judged.old:.2f} to {judged.mean:.2f}: some of this drop may be missing judgments."
    )


def _finding(check: DropCheck, compared: Compared) -> _Finding:
    parts = [
        *([_of_mean(check, compared, compared.decision)] if compared.decision else []),
        *([_of_queries(check, compared)] if check.each_query else []),
        *([_of_slices(check, compared)] if check.each_slice else []),
    ]
    worst = min(parts, key=lambda part: _SEVERITY[part.outcome])
    also = tuple(f"also: {part.sentence}" for part in parts if part is not worst and part.outcome != "pass")
    return worst._replace(also=also)


def _of_mean(check: DropCheck, compared: Compared, decision: Decision) -> _Finding:
    where = _where(check, compared)
    if check.improves:
        shown_better = decision.outcome == "fail"
        if shown_better:
            return _Finding("pass", f"{where}, and the {check.confidence:.0%} interval shows it")
        worse = (compared.new.value - compared.old.value) * (1 if check.measure.higher_is_better else -1) < -_ROUNDING
        end = "and this suite expects it to be better" if worse else "and nothing shows that it is better"
        return _Finding("fail" if worse else "inconclusive", f"{where}, {end}")
    assert check.max_drop is not None
    points = shown(decision.allowed, decision.drop)
    allowed = f"the {f'{check.max_drop} ({points})' if check.max_drop.relative else points} this suite allows"
    if decision.outcome == "fail":
        return _Finding("fail", f"{where}, more than {allowed}")
    if decision.outcome == "inconclusive":
        count = plural(decision.queries, "query", "queries")
        return _Finding("inconclusive", f"{where}: {count} cannot tell if that is more than {allowed}")
    return _Finding("pass", f"{where}, within {allowed}")


def _of_queries(check: DropCheck, compared: Compared) -> _Finding:
    assert check.each_query is not None
    rule, sign = check.each_query, 1.0 if check.measure.higher_is_better else -1.0
    pairs = paired(compared.old.values, compared.new.values)
    drops = sign * (pairs.old - pairs.new)
    allowed = rule.max_drop.value * (np.abs(pairs.old) if rule.max_drop.relative else 1.0)
    places = np.flatnonzero(drops > allowed + _ROUNDING)
    beyond = [pairs.query_ids[place] for place in places[np.argsort(-drops[places], kind="stable")].tolist()]
    kept = 1 - len(beyond) / max(1, len(drops))
    count = plural(len(beyond), "query", "queries")
    lost = f"{count} of {len(drops)} lost more than {rule.max_drop} of {check.measure.name}"
    if kept >= rule.mostly - _ROUNDING:
        return _Finding("pass", f"{lost} against {compared.against}, as this suite allows")
    wanted = f"at most {1 - rule.mostly:.3g} of them may" if rule.mostly < 1 else "none may"
    told = f"{lost} for {check.of} against {compared.against}, and {wanted}: {listed(beyond)}"
    return _Finding("fail", told, tuple(beyond))


def _of_slices(check: DropCheck, compared: Compared) -> _Finding:
    assert check.each_slice is not None
    allowed = check.each_slice.max_drop
    failed = {name: one for name, one in compared.slices.items() if one.outcome == "fail"}
    unsure = {name: one for name, one in compared.slices.items() if one.outcome == "inconclusive"}
    by_excess = sorted(failed or unsure, key=lambda name: compared.slices[name].allowed - compared.slices[name].drop)
    worst = next(iter(by_excess), None)
    if worst is None:
        count = plural(len(compared.slices), "slice")
        return _Finding("pass", f"no slice of {count} lost more than {allowed} of {check.measure.name}")
    one = compared.slices[worst]
    fell = f"{check.measure.name} of {worst} is {shown(one.new_mean, one.old_mean)} for {check.of}, {_by(one)}"
    if failed:
        return _Finding("fail", f"{fell} {compared.against} ({shown(one.old_mean, one.new_mean)}), more than {allowed}")
    count = plural(one.queries, "query", "queries")
    return _Finding("inconclusive", f"{fell} {compared.against}: {count} cannot tell if that is more than {allowed}")


def _by(decision: Decision) -> str:
    return f"{abs(decision.drop):.3f} {'below' if decision.new_mean < decision.old_mean else 'above'}"


def _where(check: DropCheck, compared: Compared) -> str:
    old, new = compared.old.value, compared.new.value
    label = f"{check.measure.name} ({compared.new.scope})" if compared.new.scope else check.measure.name
    if abs(new - old) <= _ROUNDING:
        return f"{label} is {shown(new)} for {check.of}, the same as {compared.against}"
    relation = "below" if new < old else "above"
    amount = shown(abs(new - old), 0.0)
    return f"{label} is {shown(new, old)} for {check.of}, {amount} {relation} {compared.against} ({shown(old, new)})"


def _outcome(check: DropCheck, found: Outcome) -> Outcome:
    if found == "inconclusive" and check.on_inconclusive != "notice":
        found = check.on_inconclusive
    return "warn" if found == "fail" and check.level == "warn" else found


def _remarks(compared: Compared, finding: _Finding) -> tuple[str, ...]:
    lines = []
    decision = compared.decision
    if decision and finding.outcome == "inconclusive" and decision.reason in _WHY:
        lines.append(_WHY[decision.reason])
    return (*lines, *finding.also, *_left_out(compared))


def _left_out(compared: Compared) -> tuple[str, ...]:
    if not compared.left_out:
        return ()
    count = plural(compared.left_out, "query", "queries")
    return (f"{count} of now left out: {compared.against} does not have them, or asked them otherwise",)


def _notices(check: DropCheck, outcome: Outcome, finding: _Finding, compared: Compared, renew: str) -> tuple[str, ...]:
    notices = []
    if outcome == "inconclusive":
        notices.append(f"inconclusive: {finding.sentence}")
    if compared.changes:
        notices.append(f"{check.of} was compared with {compared.against} although {'; '.join(compared.changes)}")
    better = shown_drop(compared.new, compared.old, higher_is_better=check.measure.higher_is_better)
    if check.against.kind == "baseline" and better.outcome == "fail":
        by = shown(abs(compared.new.value - compared.old.value), 0.0)
        notices.append(f"{check.measure.name} of {check.of} is better than the baseline by {by}: renew it: {renew}")
    return tuple(notices)
