"""What every command does with an error of ours: print its text on standard error, and end with a status of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from pytest_relevance.errors import RelevanceError

FAULT = 2  # exit status for an input that cannot be used


def located(command: Callable[..., None]) -> Callable[..., None]:
    """Print an error of ours as its own text on standard error, and end with `FAULT`; a bug keeps its traceback."""

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except RelevanceError as error:
            click.echo(str(error), err=True)
            sys.exit(FAULT)

    return guarded
