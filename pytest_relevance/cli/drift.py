"""`pytest-relevance drift`: what the services of a suite answer now, against what was recorded of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_relevance.cli.located import FAULT, located

if TYPE_CHECKING:
    from pytest_relevance.runs import Drift

DRIFTED = 1  # exit status where a replay no longer says what a service says


@click.command(short_help="Whether services still answer as recorded.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--recorded",
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The folder that --relevance-record was given.",
)
@click.option("--retriever", "retrievers", multiple=True, help="Ask only this one. May be repeated.")
@click.option("--depth", type=click.IntRange(1), help="The --relevance-depth of the recording, where it had one.")
@click.option("--most", type=click.IntRange(0), default=10, help="Queries shown of each retriever (default 10).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with full precision and all queries.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a page of Markdown with all queries.")
@located
def drift(
    suite: Path,
    recorded: Path,
    retrievers: Sequence[str],
    depth: int | None,
    most: int,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Ask the services of SUITE the recorded requests again, and tell which answers changed.

    The recordings stay as they are; --relevance-record renews them. Ends with 0 where a replay says what the services
    say; with 1 where an answer changed, or a request is recorded and not made any more, or made and not recorded; with
    2 where a request was not answered, or the suite or the recordings cannot be used.
    """
    from pytest_relevance.evaluate import Settings
    from pytest_relevance.evaluate.drifting import drift_of_suite
    from pytest_relevance.report.drift import drift_as_dict, drift_lines, drift_markdown
    from pytest_relevance.suite import read_suite

    read = read_suite(suite)
    found = drift_of_suite(read, recorded, retrievers=retrievers, settings=Settings(depth=depth))
    if as_json:
        click.echo(json.dumps(drift_as_dict(read.name, found), ensure_ascii=False))
    elif as_markdown:
        click.echo(drift_markdown(read.name, found), nl=False)
    else:
        click.echo("\n".join(drift_lines(read.name, found, most=most)))
    sys.exit(_status(found))


def _status(found: Sequence[Drift]) -> int:
    if any(one.failed for one in found):
        return FAULT
    return 0 if all(one.is_none for one in found) else DRIFTED
