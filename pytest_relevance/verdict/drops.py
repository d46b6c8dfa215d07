"""Drops: what each part of a regression check came to (its mean, single queries, slices), and in which words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pytest_relevance.stats import Decision, paired
from pytest_relevance.stats.intervals import SAME
from pytest_relevance.suite import DropCheck
from pytest_relevance.verdict.compared import Compared
from pytest_relevance.verdict.numbers import listed, plural, shown
from pytest_relevance.verdict.record import Outcome

SEVERITY: dict[Outcome, int] = {"fail": 0, "inconclusive": 1, "warn": 2, "pass": 3}


class Finding(NamedTuple):
    """What one part of a check came to."""

    outcome: Outcome  # fail, inconclusive or pass
    sentence: str
    worst: tuple[str, ...] = ()  # queries to show first
    also: tuple[str, ...] = ()  # what other parts of the check say that do not hold either


def regression_outcome(check: DropCheck, by_set: Sequence[Compared]) -> Outcome:
    """The outcome alone, without what is told of it: the worst under any judgment set."""
    found = (finding_of(check, compared).outcome for compared in by_set)
    return outcome_as_asked(check, min(found, key=SEVERITY.__getitem__))


def finding_of(check: DropCheck, compared: Compared) -> Finding:
    """What a check came to under one judgment set: its worst part, with what the others say that does not hold."""
    parts = [
        *([_of_mean(check, compared, compared.decision)] if compared.decision else []),
        *([_of_queries(check, compared)] if check.each_query else []),
        *([_of_slices(check, compared)] if check.each_slice else []),
    ]
    worst = min(parts, key=lambda part: SEVERITY[part.outcome])
    also = tuple(f"also: {part.sentence}" for part in parts if part is not worst and part.outcome != "pass")
    return worst._replace(also=also)


def outcome_as_asked(check: DropCheck, found: Outcome) -> Outcome:
    """What a finding is to the suite: it may take what is inconclusive for worse, and a fail for a warning."""
    if found == "inconclusive" and check.on_inconclusive != "notice":
        found = check.on_inconclusive
    return "warn" if found == "fail" and check.level == "warn" else found


def _of_mean(check: DropCheck, compared: Compared, decision: Decision) -> Finding:
    where = _where(check, compared)
    if check.improves:
        shown_better = decision.outcome == "fail"
        if shown_better:
            return Finding("pass", f"{where}, and the {check.confidence:.0%} interval shows it")
        worse = (compared.new.value - compared.old.value) * (1 if check.measure.higher_is_better else -1) < -SAME
        end = "and this suite expects it to be better" if worse else "and nothing shows that it is better"
        return Finding("fail" if worse else "inconclusive", f"{where}, {end}")
    assert check.max_drop is not None
    points = shown(decision.allowed, decision.drop)
    allowed = f"the {f'{check.max_drop} ({points})' if check.max_drop.relative else points} this suite allows"
    if decision.outcome == "fail":
        return Finding("fail", f"{where}, more than {allowed}")
    if decision.outcome == "inconclusive":
        count = plural(decision.queries, "query", "queries")
        return Finding("inconclusive", f"{where}: {count} cannot tell if that is more than {allowed}")
    return Finding("pass", f"{where}, within {allowed}")


def _of_queries(check: DropCheck, compared: Compared) -> Finding:
    assert check.each_query is not None
    rule, sign = check.each_query, 1.0 if check.measure.higher_is_better else -1.0
    pairs = paired(compared.old.values, compared.new.values)
    drops = sign * (pairs.old - pairs.new)
    allowed = rule.max_drop.value * (np.abs(pairs.old) if rule.max_drop.relative else 1.0)
    places = np.flatnonzero(drops > allowed + SAME)
    beyond = [pairs.query_ids[place] for place in places[np.argsort(-drops[places], kind="stable")].tolist()]
    kept = 1 - len(beyond) / max(1, len(drops))
    count = plural(len(beyond), "query", "queries")
    lost = f"{count} of {len(drops)} lost more than {rule.max_drop} of {check.measure.name}"
    if kept >= rule.mostly - SAME:
        return Finding("pass", f"{lost} against {compared.against}, as this suite allows")
    wanted = f"at most {1 - rule.mostly:.3g} of them may" if rule.mostly < 1 else "none may"
    told = f"{lost} for {check.of} against {compared.against}, and {wanted}: {listed(beyond)}"
    return Finding("fail", told, tuple(beyond))


def _of_slices(check: DropCheck, compared: Compared) -> Finding:
    assert check.each_slice is not None
    allowed = check.each_slice.max_drop
    failed = {name: one for name, one in compared.slices.items() if one.outcome == "fail"}
    unsure = {name: one for name, one in compared.slices.items() if one.outcome == "inconclusive"}
    by_excess = sorted(failed or unsure, key=lambda name: compared.slices[name].allowed - compared.slices[name].drop)
    worst = next(iter(by_excess), None)
    if worst is None:
        count = plural(len(compared.slices), "slice")
        return Finding("pass", f"no slice of {count} lost more than {allowed} of {check.measure.name}")
    one = compared.slices[worst]
    fell = f"{check.measure.name} of {worst} is {shown(one.new_mean, one.old_mean)} for {check.of}, {_by(one)}"
    if failed:
        return Finding("fail", f"{fell} {compared.against} ({shown(one.old_mean, one.new_mean)}), more than {allowed}")
    count = plural(one.queries, "query", "queries")
    return Finding("inconclusive", f"{fell} {compared.against}: {count} cannot tell if that is more than {allowed}")


def _by(decision: Decision) -> str:
    return f"{abs(decision.drop):.3f} {'below' if decision.new_mean < decision.old_mean else 'above'}"


def _where(check: DropCheck, compared: Compared) -> str:
    old, new = compared.old.value, compared.new.value
    label = f"{check.measure.name} ({compared.new.scope})" if compared.new.scope else check.measure.name
    if abs(new - old) <= SAME:
        return f"{label} is {shown(new)} for {check.of}, the same as {compared.against}"
    relation = "below" if new < old else "above"
    amount = shown(abs(new - old), 0.0)
    return f"{label} is {shown(new, old)} for {check.of}, {amount} {relation} {compared.against} ({shown(old, new)})"
