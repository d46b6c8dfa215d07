"""Exchange: one request until it is answered or given up: tries, waits, pace and breaker in one place."""

from __future__ import annotations

from collections import Counter

from pytest_relevance.retrievers.http.breaker import Breaker
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.retrievers.http.failures import Failed
from pytest_relevance.retrievers.http.limits import Pace
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.reasons import reason_of
from pytest_relevance.retrievers.http.requests import Request
from pytest_relevance.retrievers.http.transport import Received, Transport
from pytest_relevance.retrievers.http.waits import backoff, retry_after

AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524))
BUSY = frozenset((429, 503))  # a wait that these ask for is meant for all our requests


class Exchange:
    """All requests to one service."""

    def __init__(self, transport: Transport, options: HttpOptions, clock: Clock) -> None:
        self._transport = transport
        self._options = options
        self._clock = clock
        self._pace = Pace(options.rate, clock)
        self._breaker = Breaker(options.give_up_after)
        self.tried_again: Counter[str] = Counter()  # kind of failure → further tries it caused

    async def answer(self, request: Request) -> Received:
        """The answer to a request, with a status below 300.

        Raises:
            Failed: it did not come in all tries, or the service is given up.
        """
        for tried in range(1, self._options.tries + 1):
            self._breaker.check()
            await self._pace.turn()
            self._breaker.check()
            try:
                received = await self._tried(request)
            except Failed as failure:
                self._breaker.failed(failure, self._clock.now())
                if not failure.again or tried == self._options.tries:
                    raise _after(failure, tried) from None
                self.tried_again[failure.kind] += 1
                await self._wait(failure, tried)
            else:
                self._breaker.succeeded()
                return received
        raise AssertionError("tries are at least 1")

    async def _tried(self, request: Request) -> Received:
        received = await self._transport.send(request)
        status = received.status
        if 200 <= status < 300:
            return received
        raise Failed(
            f"HTTP {status}{reason_of(received, self._options)}",
            kind=f"HTTP {status}",
            again=status in AGAIN,
            status=status,
            wait=retry_after(received.headers.get("retry-after"), wall=self._clock.wall()),
            unwell=status >= 500,
        )

    async def _wait(self, failure: Failed, tried: int) -> None:
        longest = self._options.longest_wait
        if failure.wait is None:
            await self._clock.sleep(backoff(tried, chance=self._clock.chance(), longest=longest))
            return
        wait = min(failure.wait, longest)
        if failure.status in BUSY:
            self._pace.pause(wait)
        await self._clock.sleep(wait)


def _after(failure: Failed, tried: int) -> Failed:
    if tried == 1:
        return failure
    head, colon, reason = failure.reason.partition(": ")
    if failure.status is None:
        head, colon, reason = failure.reason, "", ""
    return Failed(f"{head} after {tried} tries{colon}{reason}", kind=failure.kind, status=failure.status)
