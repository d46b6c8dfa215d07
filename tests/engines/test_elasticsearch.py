"""`type: elasticsearch` and `type: opensearch` against a server with the REST interface of Elasticsearch."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from engines.agreement import DEPTH, Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.recipes import INDEX, call
from engines.serving import Server, needs
from pytest_relevance.errors import RelevanceError
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import load_data, read_suite

QUERIES = 10
FIELDS = ["title^2", "description"]
RETRIEVER = """
type: {kind}
url: {url}
index: {index}
body: {{query: {{multi_match: {{query: "{{{{ query.text }}}}", fields: [title^2, description]}}}}}}
fields: [title]
{more}
"""


def body(text: str, size: int = DEPTH) -> dict[str, Any]:
    """The search as a caller of the REST interface would write it."""
    return {"size": size, "query": {"multi_match": {"query": text, "fields": FIELDS}}}


def found(answer: Any) -> list[Found]:
    hits = answer["hits"]["hits"]
    return [Found(hit["_id"], hit["_score"], {"title": hit["_source"]["title"]}) for hit in hits]


def retriever(server: Server, kind: str = "elasticsearch", more: str = "") -> str:
    return RETRIEVER.format(kind=kind, url=server.url, index=INDEX, more=more)


@pytest.mark.parametrize("kind", ["elasticsearch", "opensearch"])
@pytest.mark.parametrize("more", ["", "multi: 8"])
def test_rankings_scores_and_fields_are_the_servers_own(
    elasticsearch: Server, collection: Collection, tmp_path: Path, kind: str, more: str
) -> None:
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, retriever(elasticsearch, kind, more), queries=queries)

    def own(text: str) -> list[Found]:
        return found(call("POST", f"{elasticsearch.url}/{INDEX}/_search", json=body(text)))

    agrees(live_run(suite), queries, own)


def test_pages_are_one_ranking(elasticsearch: Server, collection: Collection, tmp_path: Path) -> None:
    queries = collection.few_queries(5)
    paged = retriever(elasticsearch, more="pages: {by: offset, size: 7}")
    suite = written(collection, tmp_path, paged, queries=queries)

    def own(text: str) -> list[Found]:
        return found(call("POST", f"{elasticsearch.url}/{INDEX}/_search", json=body(text, 30)))

    agrees(live_run(suite, depth=30), queries, own)


def test_a_suite_is_measured_through_it(elasticsearch: Server, collection: Collection, tmp_path: Path) -> None:
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, retriever(elasticsearch), queries=queries, floor=0.3)
    assert value_of_suite(suite) <= 1.0


@pytest.mark.filterwarnings("ignore")  # the client's, about a server that is not Elastic's
def test_the_official_client_gets_the_same_ranking(
    elasticsearch: Server, collection: Collection, tmp_path: Path
) -> None:
    needs("elasticsearch")
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, retriever(elasticsearch), queries=queries)
    with import_module("elasticsearch").Elasticsearch(elasticsearch.url) as client:

        def own(text: str) -> list[Found]:
            return found(client.search(index=INDEX, body=body(text)))

        agrees(live_run(suite), queries, own)


def test_an_unknown_index_and_a_misspelt_query_fail_by_name(
    elasticsearch: Server, collection: Collection, tmp_path: Path
) -> None:
    def reason(text: str) -> str:
        suite = read_suite(written(collection, tmp_path, text, queries=collection.few_queries(1)))
        run = retrieve_run(
            build(suite.retrievers["live"], RetrieverContext(tmp_path)), load_data(suite).queries, depth=5, name="live"
        )
        (failure,) = run.failures.values()
        return failure

    good = retriever(elasticsearch)
    assert "HTTP 404: no such index" in reason(good.replace(f"index: {INDEX}", "index: not-there"))
    assert "HTTP 400" in reason(good.replace("multi_match", "multi_mach"))
    with pytest.raises(RelevanceError, match="has no index"):
        reason(good.replace(f"index: {INDEX}", ""))
