"""`type: meilisearch`: an index of Meilisearch."""

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


class MeilisearchMultiSearch:
    """`/multi-search` takes the bodies of many searches, each with the name of its index."""

    def together(self, requests: Sequence[Request]) -> Request:
        """The bodies under `queries`."""
        base, _, rest = requests[0].url.partition("/indexes/")
        queries = [{"indexUid": unquote(rest.removesuffix("/search")), **one.body} for one in requests]
        return Request("POST", f"{base}/multi-search", requests[0].headers, body={"queries": queries})

    def apart(self, answer: Any) -> Sequence[Any]:
        """The list under `results`."""
        return answers_at("results", answer)


class MeilisearchOptions(HttpOptions):
    """What is special about Meilisearch: a total that is an estimate, a score only where it is asked for."""

    multi_search: ClassVar[MultiSearch | None] = MeilisearchMultiSearch()

    index: str
    api_key: Template = ""
    score: str | None = "_rankingScore"
    total: str | None = "estimatedTotalHits || totalHits"
    total_at_least: str | None = "estimatedTotalHits"
    error: str | None = "code && message"
    pages: Pages | None = Pages(by="offset", size=200)

    def completed(self) -> Self:
        """The address, the key and the body of a search; what the suite's `body` says comes on top."""
        asked: dict[str, object] = {
            "q": "{{ query.text }}",
            "limit": "{{ size }}",
            "offset": "{{ offset }}",
            "showRankingScore": True,
        }
        asked["attributesToRetrieve"] = list(dict.fromkeys((self.id, *field_names(self))))
        url = address(self.url, "indexes", one_part(self.index), "search")
        headers = key_header("Authorization", self.api_key, "Bearer ") | self.headers
        return self.model_copy(update={"url": url, "headers": headers, "body": asked | body_of(self)})


meilisearch = HttpKind("meilisearch", MeilisearchOptions)
