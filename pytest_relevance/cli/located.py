"""What every command does with an error of ours: print its text on standard error, and end with a status of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from pytest_relevance.errors import RelevanceError

FAULT = 2  # exit status for an input that cannot be used
INTERRUPTED = 130  # 128 and the number of the signal


def located(command: Callable[..., None]) -> Callable[..., None]:
    """Print an error of ours as its own text on standard error, and end with `FAULT`; a bug keeps its traceback.

    Interrupted it ends as shells expect: 1, which click would give, says that a gate does not hold.
    """

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except RelevanceError as error:
            click.echo(str(error), err=True)
            sys.exit(FAULT)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)

    return guarded
