"""Pace: when the next request may go, by the rate we keep and the pauses a service asks for."""

from __future__ import annotations

from pytest_relevance.retrievers.http.clock import Clock


class Pace:
    """Hands out turns, `rate` a second (None: at once), and none during a pause."""

    def __init__(self, rate: float | None, clock: Clock) -> None:
        self._spacing = 1 / rate if rate else 0.0
        self._clock = clock
        self._next = 0.0
        self._pause_ends = 0.0

    async def turn(self) -> None:
        """Wait for the next turn."""
        while True:
            now = self._clock.now()
            start = max(self._next, self._pause_ends)
            if start <= now:
                self._next = now + self._spacing
                return
            if start > self._pause_ends:
                self._next = start + self._spacing  # the turn is ours: those who come later stand behind it
                await self._clock.sleep(start - now)
                return
            await self._clock.sleep(start - now)

    def pause(self, seconds: float) -> None:
        """No turns for so long: the service asked one of us to wait, and means all."""
        self._pause_ends = max(self._pause_ends, self._clock.now() + seconds)
