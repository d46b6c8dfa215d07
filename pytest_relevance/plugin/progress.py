"""Progress: one line on a terminal while a retriever works, and nothing anywhere else."""

from __future__ import annotations

import time
from typing import Any

import pytest

_SECONDS = 0.2  # between two updates


class Progress:
    """Shows how many queries a retriever has answered, where standard output is a terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._last = 0.0

    def __call__(self, retriever: str, done: int, total: int) -> None:
        """Say that `done` of `total` queries are answered."""
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is None or not reporter.isatty:
            return
        now = time.monotonic()
        if done < total and now - self._last < _SECONDS:
            return
        self._last = now
        self._show(reporter, "" if done >= total else f"relevance: {retriever} {done}/{total} queries")

    def _show(self, reporter: Any, text: str) -> None:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            reporter.rewrite(text, erase=True)
            return
        with capture.global_and_fixture_disabled():
            reporter.rewrite(text, erase=True)
