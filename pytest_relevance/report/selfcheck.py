"""A suite against itself: which gates flip, and the bound that would not; as lines and as plain data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_relevance.evaluate.selfcheck import SelfCheck, Steadiness, SteadyBound
from pytest_relevance.report.text import columns_of, visible
from pytest_relevance.verdict.numbers import plural

SCHEMA = 1


def self_check_lines(found: SelfCheck) -> list[str]:
    """A table of the gates, the likeness of the reruns, and for each gate that flips the bound that would not.

    Of assertions those that flipped are listed, the others counted.
    """
    listed = [one for one in found.gates if one.kind == "check" or one.flips]
    rows = [["retriever", "gate", "by", "trials", "flips"], *map(_row, listed)]
    lines = columns_of(rows, [False, False, False, True, True]) if listed else []
    steady = len(found.gates) - len(listed)
    if steady:
        lines += ["", f"{plural(steady, 'assertion')} decided alike in all reruns"]
    lines += ["", f"self-RBO of {found.reruns} reruns (1.000 is deterministic):"]
    lines += columns_of([[f"  {visible(name)}", f"{mean:.3f}"] for name, mean in found.likeness.items()], [False, True])
    for one in listed:
        if one.reason:
            lines += ["", f"{_whose(one)}: {visible(one.reason)}"]
        elif one.too_often:
            lines += ["", *_called_out(one)]
    return lines


def self_check_as_dict(found: SelfCheck) -> dict[str, Any]:
    """Full precision, with a numbered schema."""
    gates = [{**asdict(one), "rate": one.rate} for one in found.gates]
    return {"schema": SCHEMA, "reruns": found.reruns, "likeness": dict(found.likeness), "gates": gates}


def _row(one: Steadiness) -> list[str]:
    rate = f"{one.rate:.1%}{' !' if one.too_often else ''}" if one.trials else "-"
    return [visible(one.retriever), visible(one.title), one.how, str(one.trials), rate]


def _called_out(one: Steadiness) -> list[str]:
    lines = [f"{_whose(one)} flips in {one.rate:.1%} of {one.trials} trials where nothing changed"]
    for bound in one.bounds:
        now = _written(bound, bound.now)
        would = "no value of it would not" if bound.steady is None else f"{_written(bound, bound.steady)} would not"
        lines.append(f"  {bound.name}: {now} is too tight; {would}")
    return lines if one.bounds else [*lines, "  it has no bound to loosen: ask more queries, or drop the claim"]


def _whose(one: Steadiness) -> str:
    return f"{visible(one.title)} of {visible(one.retriever)}"


def _written(bound: SteadyBound, value: float) -> str:
    return f"{value * 100:g}%" if bound.relative else f"{value:.6g}"
