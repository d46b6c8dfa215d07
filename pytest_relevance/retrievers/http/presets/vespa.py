"""`type: vespa`: a Vespa application."""

from __future__ import annotations

from typing import Self

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Pages
from pytest_relevance.retrievers.http.presets.parts import address, body_of


class VespaOptions(HttpOptions):
    """What is special about Vespa: no list where nothing matched, errors and soft timeouts inside a 200."""

    yql: str = "select * from sources * where userQuery()"
    ranking: str = ""  # a profile of the schema
    # Without `children` nothing matched, but only where the answer is otherwise one.
    hits: str = "root.children || (root.fields && `[]`)"
    id: str = "fields.documentid || id"  # `id` alone may be internal, and another one after a redeployment
    score: str | None = "relevance"
    fields_in: str | None = "fields"
    total: str | None = "root.fields.totalCount"
    error: str | None = "root.errors || message"
    partial: str | None = "root.coverage.full == `false`"
    pages: Pages | None = Pages(by="offset", size=400)  # the most it gives at once, if not configured otherwise

    def completed(self) -> Self:
        """The address and the body of a search; what the suite's `body` says comes on top."""
        asked: dict[str, object] = {"yql": self.yql, "query": "{{ query.text }}"}
        asked |= {"hits": "{{ size }}", "offset": "{{ offset }}"}
        if self.ranking:
            asked["ranking"] = self.ranking
        return self.model_copy(update={"url": address(self.url, "search/"), "body": asked | body_of(self)})


vespa = HttpKind("vespa", VespaOptions)
