"""The command `pytest-relevance`: a group of commands, each in a module of its own."""

from __future__ import annotations

import json

import click

from pytest_relevance.cli.aa import aa
from pytest_relevance.cli.cache import cache
from pytest_relevance.cli.check import check
from pytest_relevance.cli.compare import compare
from pytest_relevance.cli.convert import convert
from pytest_relevance.cli.drift import drift
from pytest_relevance.cli.evaluate import evaluate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-relevance")
def main() -> None:
    """Search-relevance evaluation and checks, beside `pytest --relevance`."""


@main.command()
def schema() -> None:
    """Print the JSON Schema of a suite file, for editors."""
    from pytest_relevance.suite.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


main.add_command(aa)
main.add_command(cache)
main.add_command(check)
main.add_command(convert)
main.add_command(compare)
main.add_command(drift)
main.add_command(evaluate)
