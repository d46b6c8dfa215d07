"""`type: anserini`: a Lucene index behind Anserini's REST server."""

from __future__ import annotations

from typing import Self

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.presets.parts import address, one_part


class AnseriniOptions(HttpOptions):
    """What is special about Anserini: the index, a name or a folder of the server's, is one part of the path."""

    index: str
    hits: str = "candidates"
    id: str = "docid"
    score: str | None = "score"
    error: str | None = "error"

    def completed(self) -> Self:
        """The address and the parameters of a search; `params` of the suite come on top."""
        asked = {"query": "{{ query.text }}", "hits": "{{ depth }}"}
        url = address(self.url, "v1", one_part(self.index), "search")
        return self.model_copy(update={"url": url, "params": asked | self.params})


anserini = HttpKind("anserini", AnseriniOptions)
