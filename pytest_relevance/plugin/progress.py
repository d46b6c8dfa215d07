"""Progress: one line on a terminal while a retriever works, and nothing anywhere else."""

from __future__ import annotations

import time
from typing import Any

import pytest

_SECONDS = 0.2  # between two updates


class Progress:
    """Shows how far a retriever is, how fast it goes and how long it will take, where standard output is a terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._last = 0.0
        self._began = ("", "", 0.0, 0)  # retriever, what is counted, when it was first told of, how many were done then

    def __call__(self, retriever: str, done: int, total: int, what: str = "queries") -> None:
        """Say that `done` of `total` are done."""
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is None or not reporter.isatty:
            return
        now = time.monotonic()
        if self._began[:2] != (retriever, what):
            self._began = (retriever, what, now, done)
        if done < total and now - self._last < _SECONDS:
            return
        self._last = now
        pace = self._pace(done, total, now)
        self._show(reporter, "" if done >= total else f"relevance: {retriever} {done}/{total} {what}{pace}")

    def _pace(self, done: int, total: int, now: float) -> str:
        _, _, began, first = self._began
        if done <= first or now <= began:
            return ""
        rate = (done - first) / (now - began)
        return f", {rate:.3g}/s, {(total - done) / rate:.0f} s left"

    def _show(self, reporter: Any, text: str) -> None:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            reporter.rewrite(text, erase=True)
            return
        with capture.global_and_fixture_disabled():
            reporter.rewrite(text, erase=True)
