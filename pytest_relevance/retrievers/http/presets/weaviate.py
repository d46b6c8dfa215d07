"""`type: weaviate`: a collection of Weaviate, asked by GraphQL."""

from __future__ import annotations

from typing import Self

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Pages, Template
from pytest_relevance.retrievers.http.presets.parts import address, field_names, key_header

_ADDITIONAL = "_additional."


class WeaviateOptions(HttpOptions):
    """What is special about Weaviate: a query in a text in a body, scores as text, errors inside a 200."""

    collection: str
    # Any operator of `Get`. With nearVector or nearText: score: _additional.distance and score_order: ascending.
    search: Template = "bm25: {query: {{ query.text | json }}}"
    api_key: Template = ""
    id: str = "_additional.id"  # a UUID; `id: sku` takes a property
    score: str | None = "_additional.score"
    error: str | None = "errors"
    pages: Pages | None = Pages(by="offset", size=100)

    def completed(self) -> Self:
        """The address, the key and the query."""
        if self.body is not None:
            raise RetrieverError("type weaviate writes the body itself", fix="say what to search by in 'search'")
        paths = [path for path in (self.id, self.score) if path]
        extra = " ".join(
            dict.fromkeys(path.removeprefix(_ADDITIONAL) for path in paths if path.startswith(_ADDITIONAL))
        )
        names = [*(path for path in paths if not path.startswith(_ADDITIONAL)), *field_names(self)]
        wanted = " ".join(
            [*dict.fromkeys(name for name in names if name != "_additional"), f"_additional {{ {extra} }}"]
        )
        window = "limit: {{ size }}, offset: {{ offset }}"
        query = f"{{ Get {{ {self.collection}({window}, {self.search}) {{ {wanted} }} }} }}"
        auth = key_header("Authorization", self.api_key, "Bearer ")
        where = {"url": address(self.url, "v1/graphql"), "headers": auth | self.headers, "method": "POST"}
        return self.model_copy(update={**where, "body": {"query": query}, "hits": f"data.Get.{self.collection}"})


weaviate = HttpKind("weaviate", WeaviateOptions)
