"""`type: typesense` against the original server."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from engines.agreement import DEPTH, Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.recipes import INDEX, call, typesense_key
from engines.serving import Server, needs

QUERIES = 20
RETRIEVER = """
type: typesense
url: {url}
collection: {index}
query_by: title,description
api_key: ${{TYPESENSE_KEY}}
fields: [title]
{more}
"""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESENSE_KEY", typesense_key())


def retriever(server: Server, more: str = "") -> str:
    return RETRIEVER.format(url=server.url, index=INDEX, more=more)


def parameters(text: str, size: int = DEPTH) -> dict[str, Any]:
    return {"q": text, "query_by": "title,description", "per_page": size}


def found(answer: Any) -> list[Found]:
    hits = answer["hits"]
    return [Found(hit["document"]["id"], float(hit["text_match"]), {"title": hit["document"]["title"]}) for hit in hits]


@pytest.mark.parametrize("more", ["", "multi: 8"])
def test_rankings_scores_and_fields_are_the_servers_own(
    typesense: Server, collection: Collection, tmp_path: Path, more: str
) -> None:
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, retriever(typesense, more), queries=queries)

    def own(text: str) -> list[Found]:
        url = f"{typesense.url}/collections/{INDEX}/documents/search"
        return found(call("GET", url, params=parameters(text), headers={"X-TYPESENSE-API-KEY": typesense_key()}))

    agrees(live_run(suite), queries, own)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the client's about parts of its own
def test_the_official_client_gets_the_same_ranking(typesense: Server, collection: Collection, tmp_path: Path) -> None:
    needs("typesense")
    address = urlsplit(typesense.url)
    nodes = [{"host": address.hostname, "port": str(address.port or 443), "protocol": address.scheme}]
    configuration = {"nodes": nodes, "api_key": typesense_key(), "connection_timeout_seconds": 30}
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, retriever(typesense), queries=queries)
    with httpx.Client(trust_env=False) as http:  # the vendor's client leaves one of its own open
        client = import_module("typesense").Client(configuration, http_client=http)

        def own(text: str) -> list[Found]:
            return found(client.collections[INDEX].documents.search(parameters(text)))

        agrees(live_run(suite), queries, own)


def test_pages_are_one_ranking(typesense: Server, collection: Collection, tmp_path: Path) -> None:
    queries = collection.few_queries(5)
    paged = retriever(typesense, "pages: {by: page, size: 7}")
    run = live_run(written(collection, tmp_path, paged, queries=queries), depth=28)

    def own(text: str) -> list[Found]:
        url = f"{typesense.url}/collections/{INDEX}/documents/search"
        return found(call("GET", url, params=parameters(text, 28), headers={"X-TYPESENSE-API-KEY": typesense_key()}))

    agrees(run, queries, own)


def test_a_suite_is_measured_through_it(typesense: Server, collection: Collection, tmp_path: Path) -> None:
    suite = written(collection, tmp_path, retriever(typesense), queries=collection.few_queries(QUERIES), floor=0.2)
    assert value_of_suite(suite) <= 1.0
