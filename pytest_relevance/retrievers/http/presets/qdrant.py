"""`type: qdrant`: a collection of Qdrant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from pytest_relevance.errors import RetrieverError
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


class QdrantMultiSearch:
    """`/points/query/batch` takes the bodies of many searches of one collection."""

    def together(self, requests: Sequence[Request]) -> Request:
        """The bodies under `searches`."""
        return Request(
            "POST", f"{requests[0].url}/batch", requests[0].headers, body={"searches": [one.body for one in requests]}
        )

    def apart(self, answer: Any) -> Sequence[Any]:
        """The list under `result`, each as the answer to one would have it."""
        return [{"result": one} for one in answers_at("result", answer)]


class QdrantOptions(HttpOptions):
    """What is special about Qdrant: it is asked by a vector, and fields are a point's payload."""

    multi_search: ClassVar[MultiSearch | None] = QdrantMultiSearch()

    collection: str
    api_key: Template = ""
    hits: str = "result.points"  # their ids are numbers or UUIDs; `id: payload.sku` takes one of the shop's own
    score: str | None = "score"
    fields_in: str | None = "payload"
    error: str | None = "status.error"
    pages: Pages | None = Pages(by="offset", size=500)

    def completed(self) -> Self:
        """The address, the key and the body of a search; what the suite's `body` says comes on top."""
        written = body_of(self)
        if self.embed is None and not written.keys() & {"query", "prefetch"}:
            raise RetrieverError(
                "nothing says what a query is here",
                fix="add 'embed: {url: …}' or 'embed: {model: …}', or 'body: {query: …}'",
            )
        names = [name.removeprefix("payload.") for name in (self.id, *field_names(self)) if name != "id"]
        asked = {"limit": "{{ size }}", "offset": "{{ offset }}", "with_payload": list(dict.fromkeys(names)) or False}
        if self.embed is not None:
            asked["query"] = "{{ vector }}"
        url = address(self.url, "collections", one_part(self.collection), "points/query")
        headers = key_header("api-key", self.api_key) | self.headers
        return self.model_copy(update={"url": url, "headers": headers, "body": asked | written})


qdrant = HttpKind("qdrant", QdrantOptions)
