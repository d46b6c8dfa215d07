"""`pytest-relevance aa`: a suite against itself, to see which gates would cry wolf."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_relevance.cli.located import located

if TYPE_CHECKING:
    from pytest_relevance.evaluate.selfcheck import SelfCheck, Steadiness, SteadyBound

FLIPS = 1  # exit status where a gate flips too often


@click.command(short_help="How often each gate of a suite would flip, nothing changed.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("-n", "--reruns", type=click.IntRange(2), default=5, help="How often to retrieve (default 5).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with full precision.")
@located
def aa(suite: Path, reruns: int, as_json: bool) -> None:
    """Retrieve for SUITE several times, nothing changed in between, and tell how often each gate would flip.

    Where all reruns agree, queries are resampled instead. Ends with 0; with 1 if a gate flips in more than 5 % of
    trials; with 2 if the suite cannot be used.
    """
    from pytest_relevance.evaluate.selfcheck import self_check

    found = self_check(suite, reruns=reruns)
    if as_json:
        gates = [{**asdict(one), "rate": one.rate} for one in found.gates]
        whole = {"schema": 1, "reruns": found.reruns, "likeness": dict(found.likeness), "gates": gates}
        click.echo(json.dumps(whole, ensure_ascii=False))
    else:
        click.echo("\n".join(aa_lines(found)))
    if any(one.too_often for one in found.gates):
        sys.exit(FLIPS)


def aa_lines(found: SelfCheck) -> list[str]:
    """A table of the gates, the likeness of the reruns, and for each gate that flips the bound that would not.

    Of assertions those that flipped are listed, the others counted.
    """
    from pytest_relevance.report.text import columns_of, visible

    listed = [one for one in found.gates if one.kind == "check" or one.flips]
    rows = [["retriever", "gate", "by", "trials", "flips"], *map(_row, listed)]
    lines = columns_of(rows, [False, False, False, True, True]) if listed else []
    steady = len(found.gates) - len(listed)
    if steady:
        lines += ["", f"{steady} assertion{'s' if steady > 1 else ''} decided alike in all reruns"]
    lines += ["", f"self-RBO of {found.reruns} reruns (1.000 is deterministic):"]
    lines += columns_of([[f"  {visible(name)}", f"{mean:.3f}"] for name, mean in found.likeness.items()], [False, True])
    for one in listed:
        if one.reason:
            lines += ["", f"{visible(one.title)} of {visible(one.retriever)}: {visible(one.reason)}"]
        elif one.too_often:
            lines += ["", *_called_out(one)]
    return lines


def _row(one: Steadiness) -> list[str]:
    from pytest_relevance.report.text import visible

    rate = f"{one.rate:.1%}{' !' if one.too_often else ''}" if one.trials else "-"
    return [visible(one.retriever), visible(one.title), one.how, str(one.trials), rate]


def _called_out(one: Steadiness) -> list[str]:
    from pytest_relevance.report.text import visible

    lines = [
        f"{visible(one.title)} of {visible(one.retriever)} flips in {one.rate:.1%} of {one.trials} trials "
        "where nothing changed"
    ]
    for bound in one.bounds:
        now = _written(bound, bound.now)
        would = "no value of it would not" if bound.steady is None else f"{_written(bound, bound.steady)} would not"
        lines.append(f"  {bound.name}: {now} is too tight; {would}")
    return lines if one.bounds else [*lines, "  it has no bound to loosen: ask more queries, or drop the claim"]


def _written(bound: SteadyBound, value: float) -> str:
    return f"{value * 100:g}%" if bound.relative else f"{value:.6g}"
