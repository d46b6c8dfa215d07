"""Failures on a page: the sentence, the numbers behind it, the queries that lost most, what to type next."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.report.markup import code, safe, table
from pytest_relevance.report.regression import label_lines
from pytest_relevance.report.sides import folded_side
from pytest_relevance.report.steps import next_steps
from pytest_relevance.report.text import visible
from pytest_relevance.verdict import QueryValue, Verdict
from pytest_relevance.verdict.numbers import plural
from pytest_relevance.verdict.record import Gate

_WORST = 5

Shown = set[tuple[str, str, str, str]]  # suite, retriever, what it is compared with, query


def failure_sections(verdicts: Sequence[Verdict]) -> list[str]:
    """One after the other. The two rankings of a query are shown once, however many checks it fails."""
    shown: Shown = set()
    lines: list[str] = []
    for verdict in verdicts:
        first, *more = verdict.sentence.splitlines() or [""]
        lines += ["", f"**{safe(first)}**"]
        lines += ["", "```text", *(f"    {visible(line)}" for line in more), "```"] if more else []
        lines += ["", *_details(verdict), *_worst(verdict), *_sides(verdict, shown)]
    return lines


def _details(verdict: Verdict) -> list[str]:
    lines = [f"{safe(verdict.suite)}, {safe(verdict.retriever)}, {safe(verdict.title)}, {safe(verdict.place)}"]
    if verdict.gate:
        lines += _numbers(verdict, verdict.gate)
        lines += map(safe, label_lines(verdict, verdict.gate))
        lines += [f"not as it was: {safe(change)}" for change in verdict.gate.changes]
    lines += map(safe, verdict.remarks)
    lines += [f"{what}: {code(command)}" for what, command in next_steps(verdict)]
    return [f"- {line}" for line in lines]


def _numbers(verdict: Verdict, gate: Gate) -> list[str]:
    lines = [f"queries better/same/worse: {gate.better} / {gate.same} / {gate.worse}"]
    if gate.p_value is not None and gate.decision:
        among = f" ({gate.corrected_p:.3g} among all gates of this suite)" if gate.corrected_p is not None else ""
        lines.append(f"p = {gate.p_value:.3g}{among}")
    if gate.detectable is not None:
        count = plural(verdict.queries, "query", "queries")
        lines.append(f"smallest drop that {count} show four times in five: {gate.detectable:.3f}")
    for one in gate.slices:
        interval = f" ({one.low:+.3f} .. {one.high:+.3f})" if one.low is not None and one.high is not None else ""
        lines.append(f"slice that fell: {safe(one.label)} {one.mean:+.3f}{interval}")
    return lines


def _worst(verdict: Verdict) -> list[str]:
    """The worst queries, without columns that hold nothing."""
    gate, worst = verdict.gate, verdict.worst[:_WORST]
    if not worst:
        return []
    columns = [
        ("query", [one.query_id for one in worst]),
        ("text", [one.text for one in worst]),
        (gate.against if gate else verdict.worst_beside or "other", [_number(one.other) for one in worst]),
        ("now" if gate else verdict.measure, [_number(one.value) for one in worst]),
        ("judged", [_judged(one) for one in worst]),
    ]
    filled = [(head, cells) for head, cells in columns if any(cells)]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    return ["", *table([safe(head) for head, _ in filled], rows)]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _judged(one: QueryValue) -> str:
    return "" if one.judged is None else f"{one.judged} ({one.unjudged} unjudged)"


def _sides(verdict: Verdict, shown: Shown) -> list[str]:
    lines: list[str] = []
    for side in verdict.sides:
        key = (verdict.suite, verdict.retriever, side.against, side.query_id)
        if key not in shown:
            shown.add(key)
            lines += folded_side(side)
    return lines
