"""`type: elasticsearch`: an index of Elasticsearch, or of anything that speaks its `_search` and `_msearch`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.multi import MultiSearch
from pytest_relevance.retrievers.http.options import HttpOptions, Pages, Template
from pytest_relevance.retrievers.http.presets.parts import address, key_header
from pytest_relevance.retrievers.http.requests import Request


class ElasticsearchMultiSearch:
    """`_msearch` takes two lines a search: a header, which may be empty, and the body."""

    def together(self, requests: Sequence[Request]) -> Request:
        """The bodies as lines, for the index in the address."""
        lines = "".join(f"{{}}\n{json.dumps(one.body)}\n" for one in requests)
        index, _, template = requests[0].url.rpartition("/_search")
        url = f"{index}/_msearch{template}"
        ndjson = "application/x-ndjson"
        return Request(
            "POST", url, requests[0].headers, requests[0].params, content=lines.encode(), content_type=ndjson
        )

    def apart(self, answer: Any) -> Sequence[Any]:
        """The list under `responses`; a member's error stands in it."""
        responses = answer.get("responses") if isinstance(answer, dict) else None
        if not isinstance(responses, list):
            raise NotAnswered("no list at 'responses' in the answer to an _msearch")
        return responses


class ElasticsearchOptions(HttpOptions):
    """What is special about Elasticsearch: `from` and `size`, a total that may be a bound, shards that may fail."""

    multi_search: ClassVar[MultiSearch | None] = ElasticsearchMultiSearch()

    index: str
    body: Template  # of the search: query, knn, retriever, …; from and size are added
    template: str = ""  # a stored search template by name; body then holds its parameters, from and size too
    api_key: Template = ""
    hits: str = "hits.hits"
    id: str = "_id"
    score: str | None = "_score"
    fields_in: str | None = "_source"
    total: str | None = "hits.total.value"
    total_at_least: str | None = "hits.total.relation == 'gte'"
    error: str | None = "error"
    partial: str | None = "timed_out || (_shards.failed && _shards.failed > `0`)"
    pages: Pages | None = Pages(by="offset", size=1000)

    def completed(self) -> Self:
        """The address of the index's search, and the part of the ranking that is asked for."""
        body = self.body if isinstance(self.body, dict) else {}
        key = key_header("Authorization", self.api_key, "ApiKey ")
        url = address(self.url, self.index, "_search")
        window = {"from": "{{ offset }}", "size": "{{ size }}"}
        source = {"_source": list(self.fields) or False} if isinstance(self.fields, tuple) else {}
        asked = {"url": url, "headers": key | self.headers, "body": window | source | body}
        if self.template:
            asked |= {"url": address(url, "template"), "body": {"id": self.template, "params": window | body}}
        return self.model_copy(update=asked)


elasticsearch = HttpKind("elasticsearch", ElasticsearchOptions)
