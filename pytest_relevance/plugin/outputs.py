"""Outputs: where a session is to write, made ready before it begins rather than when its work is done."""

from __future__ import annotations

from pathlib import Path

import pytest


def output_file(config: pytest.Config, option: str, given: str) -> Path:
    """The file that an option names, in a folder that is there now.

    Raises:
        pytest.UsageError: it is a folder, or cannot be written.
    """
    path = config.invocation_params.dir / given
    if path.is_dir():
        raise pytest.UsageError(f"{option} {given}: that is a folder; name a file in it")
    output_folder(config, option, str(path.parent))
    return path


def output_folder(config: pytest.Config, option: str, given: str) -> Path:
    """The folder that an option names, which is there now.

    Raises:
        pytest.UsageError: it cannot be made.
    """
    path = config.invocation_params.dir / given
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f"{option}: no folder {given} can be made ({error.strerror}); name another") from None
    return path
