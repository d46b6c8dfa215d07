"""Rankings written in one line, for tests of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance.records import Query
from pytest_relevance.records.ranking import RankedDocument, Ranking


def ranked(
    doc_ids: str,
    fields: Mapping[str, Mapping[str, object]] | None = None,
    *,
    grades: Mapping[str, float] | None = None,
    query: str = "red shoes",
    retriever: str = "bm25",
    asked: int | None = None,
    seconds: float | None = None,
) -> Ranking:
    """The ranking of documents named by words, best first."""
    documents = tuple(
        RankedDocument(rank, doc_id, 1 / rank, (grades or {}).get(doc_id), (fields or {}).get(doc_id, {}))
        for rank, doc_id in enumerate(doc_ids.split(), start=1)
    )
    return Ranking(Query(query, query), retriever, documents, asked, seconds)


EMPTY = ranked("")
