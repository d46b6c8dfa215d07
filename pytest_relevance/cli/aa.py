"""`pytest-relevance aa`: a suite against itself, to see which gates would cry wolf."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from pytest_relevance.cli.located import located

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
    from pytest_relevance.report.selfcheck import self_check_as_dict, self_check_lines

    found = self_check(suite, reruns=reruns)
    if as_json:
        click.echo(json.dumps(self_check_as_dict(found), ensure_ascii=False))
    else:
        click.echo("\n".join(self_check_lines(found)))
    if any(one.too_often for one in found.gates):
        sys.exit(FLIPS)
