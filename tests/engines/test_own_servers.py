"""Types whose engines cannot be started here, against a server of one's own: RELEVANCE_URL_SOLR=http://… and so on.

For Elasticsearch and Typesense the tests of the started servers run there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import own
from engines.agreement import Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.own import SERVERS, OwnServer
from engines.recipes import vector_of_query, vectors_of
from engines.serving import Server

PRODUCTS = 60


@pytest.fixture(params=SERVERS, ids=lambda server: server.kind)
def chosen(request: pytest.FixtureRequest) -> OwnServer:
    server: OwnServer = request.param
    if not own.url_of(server.kind):
        pytest.skip(f"opt-in: RELEVANCE_URL_{server.kind.upper()}=http://…")
    return server


@pytest.fixture
def few(collection: Collection) -> Collection:
    return collection.of_words(PRODUCTS)


@pytest.fixture
def endpoint(chosen: OwnServer, request: pytest.FixtureRequest) -> str:
    """Where vectors come from, for those that are asked by them."""
    if not chosen.by_vectors:
        return ""
    embeddings: Server = request.getfixturevalue("embeddings")
    return embeddings.url


@pytest.fixture
def server(chosen: OwnServer, few: Collection, endpoint: str, worker_id: str) -> Iterator[Server]:
    vectors = vectors_of(endpoint, few.products) if endpoint else {}
    with own.at_url_of_ones_own(
        chosen.kind, worker_id, lambda url: chosen.load(url, few.products, vectors), chosen.drop
    ) as running:
        assert running is not None
        yield running


@pytest.mark.parametrize("more", ["", "multi: 4"])
def test_rankings_scores_and_fields_are_the_servers_own(
    chosen: OwnServer, server: Server, few: Collection, endpoint: str, tmp_path: Path, more: str
) -> None:
    if more and chosen.kind in ("solr", "weaviate"):
        pytest.skip("has no request for many queries at once")
    told = chosen.retriever.replace("EMBEDDINGS", endpoint)
    text = f'type: {chosen.kind}\nurl: "{server.url}"\n{told}\n{more}'
    suite = written(few, tmp_path, text, queries=few.queries)

    def answer(asked: str) -> list[Found]:
        return chosen.answer(server.url, asked, vector_of_query(endpoint, asked) if endpoint else [])

    agrees(live_run(suite), few.queries, answer)
    assert value_of_suite(suite) <= 1.0
