"""The text of a regression: now and then with intervals, what lost most, and how its rankings changed."""

from __future__ import annotations

from pytest_relevance.report.labels import judged_label, query_label
from pytest_relevance.report.sides import side_blocks
from pytest_relevance.report.steps import step_lines
from pytest_relevance.report.text import columns_of, cut
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.record import Beside, Gate
from pytest_relevance.verdict.regression import labels_line


def regression_blocks(verdict: Verdict, columns: int, verbose: bool) -> list[list[str]]:
    """The blocks under the first two lines of a verdict that compares."""
    gate = verdict.gate
    assert gate is not None
    return [
        _means(verdict, gate),
        _numbers(gate, verdict.queries),
        _slices(gate),
        _lost(verdict, gate, columns),
        *side_blocks(verdict, verbose=verbose),
        _beside(verdict, gate),
        _changes(gate),
        [f"  {remark}" for remark in verdict.remarks],
        step_lines(verdict),
    ]


def _means(verdict: Verdict, gate: Gate) -> list[str]:
    counts = f"{gate.better} / {gate.same} / {gate.worse}"
    rows = [["", "mean", "95% interval", "queries better/same/worse"]]
    for place, mean in enumerate(verdict.means):
        interval = "" if mean.low is None or mean.high is None else f"{mean.low:.3f} .. {mean.high:.3f}"
        rows.append([mean.label, f"{mean.mean:.3f}", interval, counts if place == 1 else ""])
    if len(verdict.means) > 1 and verdict.kind == "regression":
        share = "" if gate.confidence == 0.95 else f" ({gate.confidence:.0%})"
        rows.append(["change", f"{gate.difference:+.3f}", f"{gate.low:+.3f} .. {gate.high:+.3f}{share}", ""])
    return [f"    {line}" for line in columns_of(rows, [False, True, False, False], gap="   ")]


def _numbers(gate: Gate, queries: int) -> list[str]:
    lines = []
    if gate.p_value is not None and gate.decision:
        corrected = gate.corrected_p is not None and abs(gate.corrected_p - gate.p_value) > 1e-12
        among = f", {gate.corrected_p:.3g} among all gates of this suite" if corrected else ""
        lines.append(f"  p = {gate.p_value:.3g}{among}")
    if gate.detectable is not None:
        count = f"{queries} query" if queries == 1 else f"{queries} queries"
        lines.append(f"  The smallest drop that these {count} show four times in five is {gate.detectable:.3f}.")
    return lines


def _slices(gate: Gate) -> list[str]:
    if not gate.slices:
        return []
    rows = [["slices that fell", "change", "interval"]]
    for one in gate.slices:
        interval = f"{one.low:+.3f} .. {one.high:+.3f}" if one.low is not None and one.high is not None else ""
        rows.append([one.label, f"{one.mean:+.3f}", interval])
    return [f"  {line}" for line in columns_of(rows, [False, True, False])]


def _lost(verdict: Verdict, gate: Gate, columns: int) -> list[str]:
    if not verdict.worst:
        return []
    cutoff = verdict.measure.rpartition("@")[2] if "@" in verdict.measure else ""
    with_judged = any(one.judged is not None for one in verdict.worst)
    then = cut(gate.against, 16)
    rows = [["queries that lost most", then, "now", *([f"judged in top {cutoff}"] if with_judged else [])]]
    for one in verdict.worst:
        old = "" if one.other is None else f"{one.other:.3f}"
        row = [cut(query_label(one), max(20, columns - 50)), old, f"{one.value:.3f}"]
        rows.append([*row, *([judged_label(one)] if with_judged else [])])
    return [f"  {line}" for line in columns_of(rows, [False, True, True, *([False] * with_judged)], gap="   ")]


def _beside(verdict: Verdict, gate: Gate) -> list[str]:
    beside = ", ".join(_then_and_now(one) for one in verdict.beside)
    return [f"  {line}" for line in ([f"beside it: {beside}"] if beside else []) + label_lines(verdict, gate)]


def label_lines(verdict: Verdict, gate: Gate) -> list[str]:
    """The plain words where missing judgments may explain a fall, and what judged documents alone say."""
    told = labels_line(verdict.beside, gate.old - gate.new)
    only = next((one for one in verdict.beside if one.measure.startswith("nDCG-f")), None)
    if not told or only is None or only.old is None:
        return [told] if told else []
    return [told, f"On judged documents only, {only.measure} is {only.mean:.3f}, and was {only.old:.3f}."]


def _then_and_now(one: Beside) -> str:
    return f"{one.measure} {one.mean:.3f}" + ("" if one.old is None else f" (was {one.old:.3f})")


def _changes(gate: Gate) -> list[str]:
    return [f"  not as it was: {change}" for change in gate.changes]
