"""A search over HTTP whose queries a real model on this machine turns into vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from fault_server import Asked, FaultServer, Reply
from retriever_stand_ins import corpus_context, entry, retrieve
from tiny_models import loaded

from pytest_relevance.retrievers import RetrieverContext
from pytest_relevance.retrievers.dense.options import DenseOptions
from pytest_relevance.retrievers.dense.reference import find_model

PAGES = {
    "reset": "How to reset a forgotten password",
    "invoice": "Download your invoices and receipts",
    "shipping": "Where is my parcel? Delivery times by country",
}
QUERIES = {"q1": "I cannot log in any more", "q2": "when will my package arrive", "q3": "proof of payment"}


def nearest(pages: dict[str, list[float]], vector: Sequence[float]) -> Reply:
    """What a service that compares vectors answers: cosines, since all have length 1."""
    scores = {page: math.fsum(map(float.__mul__, of_page, map(float, vector))) for page, of_page in pages.items()}
    found = sorted(scores.items(), key=lambda pair: -pair[1])
    return Reply({"hits": [{"id": page, "score": score} for page, score in found]})


def test_a_search_by_vectors_of_the_real_model_ranks_as_the_dense_kind_does(
    minilm: str, cache: Path, counted: list[str]
) -> None:
    """And the queries that one of the two has encoded are not encoded again for the other."""
    model = loaded(find_model(entry("dense"), DenseOptions(model=minilm), Path()).source)
    pages = {page: model.encode_document(text).tolist() for page, text in PAGES.items()}

    def script(asked: Asked) -> Reply:
        return nearest(pages, asked.json["vector"])

    dense = retrieve(entry("dense", {"model": minilm}), QUERIES, corpus_context(PAGES, cache))
    assert sorted(counted) == sorted([*PAGES.values(), *QUERIES.values()])
    with FaultServer(script) as server:
        options = {
            "url": server.url,
            "body": {"vector": "{{ vector }}"},
            "embed": {"model": minilm},
            "score": "score",
        }
        live = retrieve(entry("http", options), QUERIES, RetrieverContext(Path(), cache=cache))
        sent = {asked.number: asked.json["vector"] for asked in server.asked}

    assert len(counted) == len(PAGES) + len(QUERIES)
    assert [live.ranking(query_id)[0] for query_id in QUERIES] == ["reset", "shipping", "invoice"]
    for query_id in QUERIES:
        assert live.ranking(query_id) == dense.ranking(query_id)
        assert live.scores_of(query_id) == pytest.approx(dense.scores_of(query_id), abs=1e-5)
    assert all(len(vector) == 384 and math.hypot(*vector) == pytest.approx(1, abs=1e-5) for vector in sent.values())
    assert any("22.7 M parameters; 0 of 3 queries encoded, the others were stored" in note for note in live.notes)
