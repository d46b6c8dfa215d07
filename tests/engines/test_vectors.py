"""Embed first, then search: a query's vector from an endpoint, put into a search by nearest neighbours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines import recipes
from engines.agreement import Found, agrees, live_run, written
from engines.collection import Collection
from engines.recipes import INDEX, call, vector_of_query
from engines.serving import Server, needs, serving
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import load_data, read_suite

PRODUCTS = 40  # a vector takes some 30 ms and more
DEPTH = 10
RETRIEVER = """
type: elasticsearch
url: {url}
index: {index}
embed: {{url: "{embeddings}/v1/embeddings", model: e5, input: "query: {{{{ query.text }}}}"}}
body: {body}
"""
KNN = """{knn: {field: vector, query_vector: "{{ vector }}", k: "{{ depth }}", num_candidates: 100}}"""
HYBRID = (
    '{query: {match: {title: "{{ query.text }}"}}, '
    'knn: {field: vector, query_vector: "{{ vector }}", k: "{{ depth }}", num_candidates: 100}}'
)


@dataclass(frozen=True)
class Vectors:
    """Products with their vectors, in an index of a server of their own."""

    url: str
    endpoint: str
    of: dict[str, list[float]]

    def of_query(self, text: str) -> list[float]:
        return vector_of_query(self.endpoint, text)


@pytest.fixture(scope="session")
def vectors(shelf: Path, collection: Collection, embeddings: Server) -> Iterator[Vectors]:
    needs("noida_db")
    kept = shelf / "vectors.json"  # for the other workers
    products = collection.products[:PRODUCTS]

    def load(url: str) -> None:
        made = recipes.vectors_of(embeddings.url, products)
        recipes.load_elasticsearch(url, products, made)
        kept.write_text(json.dumps(made), encoding="utf-8")

    with serving(recipes.noida(load), shelf / "vectors") as server:
        yield Vectors(server.url, embeddings.url, json.loads(kept.read_text(encoding="utf-8")))


def suite(vectors: Vectors, collection: Collection, folder: Path, body: str) -> Path:
    text = RETRIEVER.format(url=vectors.url, index=INDEX, embeddings=vectors.endpoint, body=body)
    return written(collection, folder, text, queries=collection.few_queries(8))


def test_nearest_neighbours_are_those_of_exact_cosines(
    vectors: Vectors, collection: Collection, tmp_path: Path
) -> None:
    """Elasticsearch's score of a cosine c is (1 + c) / 2."""
    documents = np.array(list(vectors.of.values()))
    documents /= np.linalg.norm(documents, axis=1, keepdims=True)
    run = live_run(suite(vectors, collection, tmp_path, KNN), DEPTH)
    for query in collection.few_queries(8):
        asked = np.array(vectors.of_query(query.text))
        cosines = documents @ asked / np.linalg.norm(asked)
        nearest = np.sort(cosines)[::-1][:DEPTH]
        exact = dict(zip(vectors.of, cosines, strict=True))
        assert run.scores_of(query.query_id) == pytest.approx(((1 + nearest) / 2).tolist(), abs=1e-5)
        assert [exact[one] for one in run.ranking(query.query_id)] == pytest.approx(nearest.tolist(), abs=1e-5)


@pytest.mark.parametrize("body", [KNN, HYBRID])
def test_ids_order_and_scores_are_the_servers_own(
    vectors: Vectors, collection: Collection, tmp_path: Path, body: str
) -> None:
    def own(text: str) -> list[Found]:
        knn = {"field": "vector", "query_vector": vectors.of_query(text), "k": DEPTH, "num_candidates": 100}
        asked: dict[str, Any] = {"size": DEPTH, "knn": knn}
        if body == HYBRID:
            asked["query"] = {"match": {"title": text}}
        hits = call("POST", f"{vectors.url}/{INDEX}/_search", json=asked)["hits"]["hits"]
        return [Found(hit["_id"], hit["_score"]) for hit in hits]

    agrees(live_run(suite(vectors, collection, tmp_path, body), DEPTH), collection.few_queries(8), own)


def test_a_dead_endpoint_stops_the_query_and_not_the_search(
    vectors: Vectors, collection: Collection, tmp_path: Path
) -> None:
    path = suite(vectors, collection, tmp_path, KNN)
    path.write_text(path.read_text(encoding="utf-8").replace("/v1/embeddings", "/v1/not-there"), encoding="utf-8")
    read = read_suite(path)
    retriever = build(read.retrievers["live"], RetrieverContext(tmp_path))
    run = retrieve_run(retriever, load_data(read).queries, depth=5, name="live")
    assert len(run.failures) == 8
    assert all(reason.startswith("no vector: HTTP 40") for reason in run.failures.values()), run.failures
