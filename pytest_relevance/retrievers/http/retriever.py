"""HttpRetriever: asks a search API, or replays what it answered before."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_relevance.records import Query
from pytest_relevance.retrievers import Hit, Ranked
from pytest_relevance.retrievers.http.asking import Asking, Found, most_pages
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.retrievers.http.embedding import Embedder, EndpointEmbedder
from pytest_relevance.retrievers.http.exchange import Exchange
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.keys import RequestKeys
from pytest_relevance.retrievers.http.local_vectors import LocalVectors, VectorsAtHand
from pytest_relevance.retrievers.http.notes import Notes
from pytest_relevance.retrievers.http.options import Endpoint, HttpOptions
from pytest_relevance.retrievers.http.requests import RequestTemplate
from pytest_relevance.retrievers.http.stream import Put, streamed
from pytest_relevance.retrievers.http.transport import Transport, origin
from pytest_relevance.retrievers.http.workers import spread
from pytest_relevance.retrievers.protocol import PlannedRequests
from pytest_relevance.retrievers.recorded import RecordedAnswer, Recordings, why_not_replayed


@dataclass(frozen=True)
class Entry:
    """Who a retriever is."""

    name: str
    kind: str
    folder: Path


class HttpRetriever:
    """Ranks by asking a service over HTTP. Queries that fail are answered with their error, and the others go on."""

    def __init__(
        self,
        entry: Entry,
        options: HttpOptions,
        recordings: Recordings | None,
        clock: Clock,
        vectors: LocalVectors | None = None,
    ) -> None:
        self._entry = entry
        self._options = options
        self._recordings = recordings
        self._clock = clock
        self._template = RequestTemplate(options)
        self._vectors = vectors
        self._keys = RequestKeys(entry.kind, options, self._template, vectors)
        self._notes = Notes(entry.name, options)
        self._streams: list[Generator[Ranked, None, None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for stream in self._streams:  # one that nobody took to its end, as after an interrupt, may still be asking
            stream.close()
        if self._recordings is not None:
            self._recordings.settle(self._entry.name)

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Generator[Ranked, None, None]:
        """Each query's answer as it comes: recorded ones first, then what the service answers."""
        asked: list[Query] = []
        for query in queries:
            recorded = self._replayed(query, depth)
            if recorded is None:
                asked.append(query)
            else:
                yield recorded
        if asked:
            at_hand = None if self._vectors is None else self._vectors.of(asked)

            async def work(put: Put[Ranked]) -> None:
                await self._ask(asked, depth, at_hand, put)

            stream = streamed(work)
            self._streams.append(stream)
            yield from stream

    def notes(self) -> tuple[str, ...]:
        """What a reader of the run should know of how it came about."""
        return (*self._notes.lines(), *(() if self._vectors is None else self._vectors.notes))

    def plan(self, queries: Sequence[Query], *, depth: int) -> tuple[PlannedRequests, ...]:
        """The requests that `retrieve` would make, without making one."""
        unknown = [query for query in queries if self._replayed(query, depth) is None]
        requests = -(-len(unknown) // self._options.multi)
        most = requests + len(unknown) * (most_pages(self._options, depth) - 1)
        pages = self._options.pages
        needed = 1 if pages is None else -(-depth // pages.size)
        plans = [PlannedRequests(origin(self._options.url), requests, max(requests, min(most, len(unknown) * needed)))]
        if isinstance(self._options.embed, Endpoint):
            plans.append(PlannedRequests(origin(self._options.embed.url), len(unknown), len(unknown)))
        return tuple(plans)

    def _replayed(self, query: Query, depth: int) -> Ranked | None:
        """A recorded answer, or in a replay the failure of a query without one; None: ask the service."""
        if self._recordings is None:
            return None
        name, query_id = self._entry.name, query.query_id
        try:
            key = self._keys.key(query, depth)
        except NotAnswered as failure:
            return self._failed(query, failure)
        recorded = self._recordings.find(name, key)
        if recorded is not None:
            self._notes.found(query.query_id, depth, recorded.hits, recorded.total, recorded.at_least)
            return _ranked(query, recorded.hits, self._options)
        reason = why_not_replayed(self._recordings, name, query_id)
        return None if reason is None else Ranked(query_id, error=reason)

    async def _ask(self, queries: Sequence[Query], depth: int, at_hand: VectorsAtHand | None, put: Put[Ranked]) -> None:
        async with AsyncExitStack() as stack:
            transport = await stack.enter_async_context(Transport(self._options, self._entry.folder))
            exchange = Exchange(transport, self._options, self._clock)
            embedder: Embedder | None = at_hand
            embedding = None
            if isinstance(self._options.embed, Endpoint):
                embedding = Exchange(transport, self._options, self._clock)
                embedder = EndpointEmbedder(self._options.embed, embedding, self._options.secrets.mask)
            asking = Asking(self._options, self._template, exchange, embedder)

            async def take(query: Query, found: Found | NotAnswered) -> None:
                await put(self._taken(query, found, depth))

            try:
                await spread(asking, queries, depth, self._options, take)
            finally:
                for one in (exchange, embedding):
                    if one is not None:
                        self._notes.tried_again += one.tried_again

    def _taken(self, query: Query, found: Found | NotAnswered, depth: int) -> Ranked:
        if isinstance(found, NotAnswered):
            return self._failed(query, found)
        hits = _by_score(found.hits) if self._options.order == "score" else found.hits
        self._notes.found(query.query_id, depth, hits, found.total, found.at_least, found.partial)
        if self._recordings is not None:
            time = datetime.fromtimestamp(self._clock.wall(), UTC).isoformat(timespec="seconds")
            key = self._keys.key(query, depth)
            facts = RecordedAnswer(key, query.query_id, hits, found.total, found.at_least, found.engine, time)
            self._recordings.keep(self._entry.name, facts)
        return replace(_ranked(query, hits, self._options), seconds=found.seconds)

    def _failed(self, query: Query, failure: NotAnswered) -> Ranked:
        return Ranked(query.query_id, error=self._options.secrets.mask(failure.reason))


def _ranked(query: Query, hits: Sequence[Hit], options: HttpOptions) -> Ranked:
    return Ranked(query.query_id, hits, order=options.order)


def _by_score(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """In the order that the run will have, so that recordings stand in it too."""
    return tuple(
        sorted(hits, key=lambda hit: (-math.inf if hit.score is None else hit.score, hit.doc_id), reverse=True)
    )
