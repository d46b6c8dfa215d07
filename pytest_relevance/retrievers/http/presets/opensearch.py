"""`type: opensearch`: an index of OpenSearch, with its search pipelines."""

from __future__ import annotations

from typing import Self

from pytest_relevance.retrievers.http.elasticsearch import ElasticsearchOptions
from pytest_relevance.retrievers.http.kind import HttpKind


class OpenSearchOptions(ElasticsearchOptions):
    """What OpenSearch has beyond what it shares with Elasticsearch."""

    search_pipeline: str = ""  # by name; hybrid queries need one that brings their scores together

    def completed(self) -> Self:
        """The request of Elasticsearch; the pipeline stands in the body, where `_msearch` takes it too."""
        options = super().completed()
        if not self.search_pipeline:
            return options
        return options.model_copy(update={"body": {"search_pipeline": self.search_pipeline} | options.body})


opensearch = HttpKind("opensearch", OpenSearchOptions)
