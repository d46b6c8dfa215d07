"""Recorded answers: what is kept of an answer over the network, and who keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_relevance.retrievers.protocol import Hit


@dataclass(frozen=True)
class RecordedAnswer:
    """One query's answer with the key of the request that brought it. Nothing in it is secret."""

    key: str  # a hash of the whole rendered request and of the retriever's configuration
    query_id: str
    hits: Sequence[Hit]
    total: int | None = None  # documents the service said it has
    at_least: bool = False  # and perhaps more
    engine: str = ""  # the service's name and version, where it tells
    time: str = ""  # when it was asked, in UTC


class Recordings(Protocol):
    """Where answers are kept, and where they are read from instead of asking."""

    @property
    def replaying(self) -> bool:
        """Nothing may be asked over the network."""
        ...

    def find(self, retriever: str, key: str) -> RecordedAnswer | None:
        """The answer to a request, where one is there and is to be used instead of asking."""
        ...

    def other_requests(self, retriever: str, query_id: str) -> int:
        """How many answers there are to this query_id under whatever request."""
        ...

    def keep(self, retriever: str, answer: RecordedAnswer) -> None:
        """Keep an answer; once this returns, no kill of this process loses it."""
        ...

    def settle(self, retriever: str) -> None:
        """Put what was kept into its final form."""
        ...


def why_not_replayed(recordings: Recordings, retriever: str, query_id: str) -> str | None:
    """In a replay, why a request without a recording has none; None: it may be asked."""
    if not recordings.replaying:
        return None
    others = recordings.other_requests(retriever, query_id)
    reason = "the request has changed since its recording" if others else "it was never recorded"
    return f"not in the recordings of {retriever}: {reason} (--relevance-record renews them)"
