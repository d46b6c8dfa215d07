"""How one query or one request fails, in words for the query's failure. No exception of this file leaves the room."""

from __future__ import annotations


class NotAnswered(Exception):  # noqa: N818 - a state of one query that never leaves this room
    """Why a query did not run. `status` is the HTTP status where one came."""

    def __init__(self, reason: str, *, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Failed(NotAnswered):
    """Why one try of a request brought nothing."""

    def __init__(
        self,
        reason: str,
        *,
        kind: str,
        again: bool = False,
        status: int | None = None,
        wait: float | None = None,
        unwell: bool = False,
    ) -> None:
        super().__init__(reason, status=status)
        self.kind = kind  # what it is counted under: "timeout", "HTTP 503"
        self.again = again  # worth another try
        self.wait = wait  # seconds the service asks to wait
        self.unwell = unwell  # the service, rather than this query, is the cause
