"""Breaker: notices that a service is gone, so that the queries left are failed by name instead of asked in vain."""

from __future__ import annotations

from pytest_relevance.retrievers.http.failures import Failed

FAILURES_IN_A_ROW = 10  # tries; fewer say nothing about the service


class Breaker:
    """Opens, and stays open, once tries have failed in a row for `patience` seconds and not one came through.

    A short hiccup of the service is thus left to the retries. Refused credentials need no patience: they do not get
    better by asking.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._since: float | None = None  # when the row of failures began
        self._row = 0
        self._refusals = 0
        self._cause: Failed | None = None

    def succeeded(self) -> None:
        """A try came through."""
        self._since, self._row, self._refusals = None, 0, 0

    def failed(self, failure: Failed, now: float) -> None:
        """A try did not."""
        refused = failure.status in (401, 403)
        self._refusals = self._refusals + 1 if refused else 0
        if not failure.unwell and not refused:
            self.succeeded()  # the service is there and complains of the query
            return
        self._row += 1
        if self._since is None:
            self._since = now
        enough = self._row >= FAILURES_IN_A_ROW and now - self._since >= self._patience
        if enough or self._refusals >= FAILURES_IN_A_ROW:
            self._cause = failure

    def check(self) -> None:
        """Let a request pass, or refuse it.

        Raises:
            Failed: the service is given up.
        """
        if self._cause is not None:
            row = f"{self._row} failures in a row, the last: {self._cause.reason}"
            raise Failed(f"not asked: the service was given up after {row}", kind="given up", status=self._cause.status)
