"""`type: solr`: a collection or core of Apache Solr."""

from __future__ import annotations

from typing import Self

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Pages
from pytest_relevance.retrievers.http.presets.parts import address, field_names, one_part


class SolrOptions(HttpOptions):
    """What is special about Solr: a score only where `fl` names it, a total that may be a bound, a limit on time."""

    collection: str
    handler: str = "select"  # the production one, so that its boosts and filters are tested
    hits: str = "response.docs"  # the id is the field that the schema calls uniqueKey
    score: str | None = "score"
    total: str | None = "response.numFound"
    total_at_least: str | None = "response.numFoundExact == `false`"
    error: str | None = "error"
    partial: str | None = "responseHeader.partialResults"
    pages: Pages | None = Pages(by="offset", size=1000)

    def completed(self) -> Self:
        """The address and the parameters of a search; `params` of the suite come on top.

        Solr's default parser reads signs of the query as operators, so they are escaped; edismax takes that as well.
        """
        wanted = ",".join(dict.fromkeys((self.id, "score", *field_names(self))))
        asked = {"q": "{{ query.text | lucene }}", "rows": "{{ size }}", "start": "{{ offset }}"}
        url = address(self.url, one_part(self.collection), self.handler.strip("/"))
        params = asked | {"fl": wanted, "wt": "json"} | self.params
        return self.model_copy(update={"url": url, "params": params})


solr = HttpKind("solr", SolrOptions)
