"""`pytest-relevance convert`: another tool's suite as one of ours."""

from __future__ import annotations

from pathlib import Path

import click

from pytest_relevance.cli.located import located


@click.command(short_help="A suite of another tool as one of ours.")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--from", "kind", help="What it is: rspec, rank, nixos, wikimedia or ratings (default: what is in it).")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write suite, queries and qrels to this folder.")
@located
def convert(source: Path, kind: str | None, output: Path | None) -> None:
    """Convert SOURCE, a suite or judgments of another tool, to a suite: printed, or written to a folder."""
    from pytest_relevance.formats.convert import convert as converted_from
    from pytest_relevance.formats.converted import suite_yaml, write_suite

    converted = converted_from(source, kind)
    if output is None:
        click.echo(suite_yaml(converted), nl=False)
    else:
        for path in write_suite(converted, output):
            click.echo(str(path))
    for one in converted.left_out:
        click.echo(f"left out: {one}", err=True)
