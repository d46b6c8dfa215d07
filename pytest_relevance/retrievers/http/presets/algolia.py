"""`type: algolia`: an index of Algolia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self
from urllib.parse import unquote

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.multi import MultiSearch
from pytest_relevance.retrievers.http.options import HttpOptions, Pages, Template
from pytest_relevance.retrievers.http.presets.parts import (
    address,
    answers_at,
    body_of,
    field_names,
    key_header,
    one_part,
)
from pytest_relevance.retrievers.http.requests import Request


class AlgoliaMultiSearch:
    """`/1/indexes/*/queries` takes the bodies of many searches, each with the name of its index."""

    def together(self, requests: Sequence[Request]) -> Request:
        """The bodies under `requests`."""
        base, _, rest = requests[0].url.partition("/1/indexes/")
        name = unquote(rest.removesuffix("/query"))
        searches = [{"indexName": name, **one.body} for one in requests]
        return Request("POST", f"{base}/1/indexes/*/queries", requests[0].headers, body={"requests": searches})

    def apart(self, answer: Any) -> Sequence[Any]:
        """The list under `results`."""
        return answers_at("results", answer)


class AlgoliaOptions(HttpOptions):
    """What is special about Algolia: no score but the rank, pages from 0, and analytics that tests must not fill."""

    multi_search: ClassVar[MultiSearch | None] = AlgoliaMultiSearch()

    index: str
    application: str
    api_key: Template = ""  # the search-only one
    id: str = "objectID"
    total: str | None = "nbHits"
    total_at_least: str | None = "exhaustive.nbHits == `false` || exhaustiveNbHits == `false`"
    error: str | None = "status && message"
    pages: Pages | None = Pages(by="page", first=0, size=1000)  # the most it gives at once

    def completed(self) -> Self:
        """The address, the keys and the body of a search; what the suite's `body` says comes on top."""
        asked: dict[str, object] = {"query": "{{ query.text }}", "hitsPerPage": "{{ size }}", "page": "{{ page }}"}
        asked |= {"attributesToRetrieve": field_names(self), "attributesToHighlight": []}
        asked |= {"analytics": False, "clickAnalytics": False, "enablePersonalization": False}
        url = address(self.url, "1/indexes", one_part(self.index), "query")
        keys = {"X-Algolia-Application-Id": self.application} | key_header("X-Algolia-API-Key", self.api_key)
        return self.model_copy(update={"url": url, "headers": keys | self.headers, "body": asked | body_of(self)})


algolia = HttpKind("algolia", AlgoliaOptions)
