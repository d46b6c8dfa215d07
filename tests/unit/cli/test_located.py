"""How a command ends that cannot go on."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pytest_relevance.cli.located import located
from pytest_relevance.errors import DataError


@pytest.mark.parametrize(
    ("what", "status", "told"),
    [
        (DataError("no such file", fix="check the path"), 2, "no such file\n  fix: check the path\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
)
def test_a_command_that_is_stopped_never_ends_as_a_gate_that_does_not_hold(
    what: BaseException, status: int, told: str
) -> None:
    @click.command()
    @located
    def stopped() -> None:
        raise what

    result = CliRunner().invoke(stopped)

    assert (result.exit_code, result.stderr) == (status, told)
