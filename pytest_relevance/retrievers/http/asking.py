"""Asking: one query's pages until its depth is reached, and many queries in one request where a service takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance.records import Query
from pytest_relevance.retrievers import Hit
from pytest_relevance.retrievers.http.answers import AnswerReader, Page
from pytest_relevance.retrievers.http.embedding import Embedder
from pytest_relevance.retrievers.http.exchange import AGAIN, Exchange
from pytest_relevance.retrievers.http.failures import Failed, NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.requests import Request, RequestTemplate
from pytest_relevance.retrievers.http.templates import OMIT, QueryView
from pytest_relevance.retrievers.http.transport import Received


@dataclass(frozen=True)
class Found:
    """What was found for one query."""

    hits: tuple[Hit, ...]
    total: int | None = None
    at_least: bool = False
    partial: bool = False
    engine: str = ""
    seconds: float | None = None  # with waiting and trying again; None where several were asked together


class Asking:
    """Asks one service for documents."""

    def __init__(
        self, options: HttpOptions, template: RequestTemplate, exchange: Exchange, embedder: Embedder | None
    ) -> None:
        self._options = options
        self._template = template
        self._exchange = exchange
        self._embedder = embedder
        self._reader = AnswerReader(options)

    async def one(self, query: Query, depth: int) -> Found:
        """All pages of one query.

        Raises:
            NotAnswered: it did not run, with the reason.
        """
        names = await self._names(query, depth)
        return await self._pages(names, await self._first(self._template.request(names)), depth)

    async def many(self, queries: Sequence[Query], depth: int) -> list[Found | NotAnswered]:
        """The same for several queries in one request; one that fails in it is asked again by itself."""
        multi = self._options.multi_search
        if multi is None or len(queries) == 1:
            return [await self._or_failure(query, depth) for query in queries]
        try:
            names = [await self._names(query, depth) for query in queries]
            received = await self._exchange.answer(multi.together([self._template.request(one) for one in names]))
            answers = multi.apart(self._reader.decoded(received))
            if len(answers) != len(queries):
                raise NotAnswered(f"{len(answers)} answers came to a request for {len(queries)} queries")
        except NotAnswered as failure:
            if isinstance(failure, Failed) and (failure.status in AGAIN or failure.status is None):
                return [failure for _ in queries]  # the service is at fault: asking it one by one would be worse
            return [await self._or_failure(query, depth) for query in queries]
        engine = received.headers.get("server", "")
        return [
            await self._member(query, named, answer, depth, engine)
            for query, named, answer in zip(queries, names, answers, strict=True)
        ]

    async def _member(
        self, query: Query, names: dict[str, Any], answer: Any, depth: int, engine: str
    ) -> Found | NotAnswered:
        try:
            return await self._pages(names, (self._reader.page(answer), engine), depth)
        except NotAnswered:
            return await self._or_failure(query, depth)

    async def _or_failure(self, query: Query, depth: int) -> Found | NotAnswered:
        try:
            return await self.one(query, depth)
        except NotAnswered as failure:
            return failure

    async def _names(self, query: Query, depth: int) -> dict[str, Any]:
        names = first_names(query, depth, self._options)
        if self._embedder is not None:
            names["vector"] = await self._embedder.vector(names)
        return names

    async def _first(self, request: Request) -> tuple[Page, str]:
        received: Received = await self._exchange.answer(request)
        return self._reader.page(self._reader.decoded(received)), received.headers.get("server", "")

    async def _pages(self, names: dict[str, Any], first: tuple[Page, str], depth: int) -> Found:
        page, engine = first
        hits, partial = list(page.hits), page.partial
        seen = {hit.doc_id for hit in hits}
        number = 1
        while self._goes_on(page, names["cursor"], len(hits), depth) and number < most_pages(self._options, depth):
            number += 1
            names = {**names, **_next_names(names, page, len(hits), self._options)}
            page, engine = await self._first(self._template.request(names))
            fresh = [hit for hit in page.hits if hit.doc_id not in seen]
            if page.hits and not fresh:
                raise NotAnswered(f"page {number} repeats documents that came before, and nothing else")
            hits += page.hits
            seen |= {hit.doc_id for hit in fresh}
            partial = partial or page.partial
        return Found(tuple(hits), page.total, page.at_least, partial, engine)

    def _goes_on(self, page: Page, cursor: Any, came: int, depth: int) -> bool:
        pages = self._options.pages
        if pages is None or came >= depth or not page.hits:
            return False
        if pages.next is not None:
            # A cursor that comes back is how some services say that this was all.
            return page.cursor not in (None, "", []) and page.cursor != cursor
        if page.total is not None and not page.at_least:
            return came < page.total  # services cut pages silently: the total knows better than the page's length
        return pages.until == "empty" or len(page.hits) >= min(pages.size, depth)


def first_names(query: Query, depth: int, options: HttpOptions) -> dict[str, Any]:
    """What templates can say for the first page of a query; its vector is added where there is one."""
    pages = options.pages
    return {
        "query": QueryView(query),
        "depth": depth,
        "omit": OMIT,
        "size": depth if pages is None else min(pages.size, depth),
        "offset": 0,
        "page": 1 if pages is None else pages.first,
        "cursor": OMIT if pages is None or pages.start is None else pages.start,
    }


def most_pages(options: HttpOptions, depth: int) -> int:
    """The most requests one query may take: what full pages need, with room for pages that are not full."""
    return 1 if options.pages is None else 10 + 4 * math.ceil(depth / options.pages.size)


def _next_names(names: Mapping[str, Any], page: Page, came: int, options: HttpOptions) -> dict[str, Any]:
    pages = options.pages
    cursor = page.cursor if pages is not None and pages.next is not None else names["cursor"]
    return {"offset": came, "page": names["page"] + 1, "cursor": cursor}
