"""`type: typesense`: a collection of a Typesense server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.multi import MultiSearch
from pytest_relevance.retrievers.http.options import HttpOptions, Pages, Template
from pytest_relevance.retrievers.http.requests import Request, str_of


class TypesenseMultiSearch:
    """`/multi_search` takes the parameters of many searches as a list of objects."""

    def together(self, requests: Sequence[Request]) -> Request:
        """The searches with the collection that each is about; the key goes in the header as before."""
        base, _, rest = requests[0].url.partition("/collections/")
        collection = rest.partition("/")[0]
        searches = [{"collection": collection, **dict(one.params)} for one in requests]
        return Request("POST", f"{base}/multi_search", requests[0].headers, body={"searches": searches})

    def apart(self, answer: Any) -> Sequence[Any]:
        """The list under `results`."""
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise NotAnswered("no list at 'results' in the answer to a multi_search")
        return results


class TypesenseOptions(HttpOptions):
    """What is special about Typesense: parameters instead of a body, pages by number, errors in the members' own."""

    multi_search: ClassVar[MultiSearch | None] = TypesenseMultiSearch()

    collection: str
    query_by: str  # fields, as Typesense takes them: title,body
    api_key: Template = ""
    id: str = "document.id"
    score: str | None = "text_match"
    fields_in: str | None = "document"
    total: str | None = "found"
    error: str | None = "error"
    partial: str | None = "search_cutoff"
    pages: Pages | None = Pages(by="page", size=250)  # the most it gives at once

    def completed(self) -> Self:
        """The address, the key and the parameters of a search; `params` of the suite come on top."""
        asked = {"q": "{{ query.text }}", "query_by": self.query_by, "per_page": "{{ size }}", "page": "{{ page }}"}
        key = {"X-TYPESENSE-API-KEY": self.api_key} if self.api_key else {}
        url = f"{str_of(self.url).rstrip('/')}/collections/{self.collection}/documents/search"
        return self.model_copy(update={"url": url, "headers": key | self.headers, "params": asked | self.params})


typesense = HttpKind("typesense", TypesenseOptions)
