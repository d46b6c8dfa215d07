"""Deciding regressions: from a comparison to a verdict that says what fell, by how much, and if it may be noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance.stats.gate import Reason
from pytest_relevance.stats.intervals import SAME
from pytest_relevance.suite import DropCheck, Threshold
from pytest_relevance.verdict.compared import Compared, shown_drop
from pytest_relevance.verdict.drops import SEVERITY, Finding, finding_of, outcome_as_asked
from pytest_relevance.verdict.measured import SIDES_SHOWN, WORST_SHOWN
from pytest_relevance.verdict.numbers import plural, shown
from pytest_relevance.verdict.record import Beside, Gate, Mean, Outcome, QueryValue, SidesOf, Verdict

_FELL = 0.01  # a fall of the judged share from which labels may explain a drop
_WHY: dict[Reason, str] = {
    "straddles": "noise may explain it: the interval holds the allowed drop",
    "too few changed": "so few queries changed that chance would do the same too often",
    "one query": "one query cannot show what is noise",
    "no queries": "no query was compared",
    "corrected": "beyond the allowed drop by itself, but not among so many gates (Holm)",
}


def decide_regression(
    suite: str, check: DropCheck, by_set: Sequence[Compared], sides_of: Sequence[SidesOf], renew: str
) -> Verdict:
    """The verdict under every judgment set given; the worst set is reported. `renew`: the command that renews it."""
    found = [finding_of(check, compared) for compared in by_set]
    place = min(range(len(found)), key=lambda place: SEVERITY[found[place].outcome])
    finding, compared = found[place], by_set[place]
    outcome = outcome_as_asked(check, finding.outcome)
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


def beside_baseline(check: Threshold, verdict: Verdict, compared: Compared, sides_of: SidesOf) -> Verdict:
    """A threshold's verdict with the stored baseline beside it: nothing of the decision changes."""
    lost = lost_most(compared, higher_is_better=check.measure.higher_is_better)
    now, *bounds = verdict.means
    then = means_of(compared)[1]
    return replace(
        verdict,
        means=(now, then, *bounds),
        beside=beside_of(compared),
        worst=lost or verdict.worst,
        remarks=(*verdict.remarks, *_left_out(compared)),
        gate=gate_of(compared, check),
        sides=sides_of(lost[:SIDES_SHOWN]),
    )


def lost_most(compared: Compared, first: Sequence[str] = (), *, higher_is_better: bool) -> tuple[QueryValue, ...]:
    """The queries that lost most, those first that broke a rule of their own; none that lost nothing."""
    old, new, sign = compared.old.values, compared.new.values, 1.0 if higher_is_better else -1.0
    gains = {query_id: sign * (new[query_id] - old[query_id]) for query_id in new.query_ids}
    losing = sorted((query_id for query_id, gain in gains.items() if gain < -SAME), key=gains.__getitem__)
    chosen = list(dict.fromkeys((*first, *losing)))[:WORST_SHOWN]
    return tuple(compared.new.query_value(query_id, old) for query_id in chosen)


def gate_of(compared: Compared, check: DropCheck | Threshold) -> Gate:
    """The numbers behind a comparison; beside a threshold nothing is allowed and nothing decided."""
    decision, higher = compared.decision, check.measure.higher_is_better
    # A claim to be better is decided the other way round, and shown as everything else is.
    forward = decision if isinstance(check, DropCheck) and check.max_drop is not None else None
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
        allowed=forward.allowed if forward else None,
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


def _remarks(compared: Compared, finding: Finding) -> tuple[str, ...]:
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


def _notices(check: DropCheck, outcome: Outcome, finding: Finding, compared: Compared, renew: str) -> tuple[str, ...]:
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
