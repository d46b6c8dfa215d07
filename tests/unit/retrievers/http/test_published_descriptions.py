"""Hosted services: our requests are valid by their published descriptions, and answers of their shape are read.

It proves shape, never relevance.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from published import TEXTS, VECTOR, Description, asked, described

from pytest_relevance.records import Run


def first(run: Run) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return run.ranking("q1"), run.scores_of("q1")


ALGOLIA = {"index": "shoes", "application": "APP", "api_key": "k1", "fields": ["title"]}
ALGOLIA_ANSWER = {
    "hits": [{"objectID": "a", "title": "Red"}, {"objectID": "b", "title": "Blue"}],
    "nbHits": 2,
    "page": 0,
    "nbPages": 1,
    "hitsPerPage": 2,
    "exhaustive": {"nbHits": True, "typo": True},
    "processingTimeMS": 1,
    "query": "red shoes",
    "params": "query=red+shoes",
}


def test_algolia(shared: Path) -> None:
    api = described(shared, "algolia-search.openapi.yml")
    api.check({**api.merged("searchResponse"), "required": ["hits", "query", "params"]}, ALGOLIA_ANSWER)
    parameters = {**api.merged("searchParamsObject"), "additionalProperties": False}

    requests, run = asked("algolia", ALGOLIA, ALGOLIA_ANSWER)

    for request in requests:
        assert request.path == "/1/indexes/shoes/query"
        api.check(parameters, request.json)
        assert request.json["analytics"] is False  # a test is no customer
    assert {request.json["query"] for request in requests} == set(TEXTS.values())
    assert (requests[0].headers["x-algolia-application-id"], requests[0].headers["x-algolia-api-key"]) == ("APP", "k1")
    assert run.ranking("q1") == ("a", "b")
    assert run.fields["a"] == {"title": "Red"}


def test_algolia_many_at_once(shared: Path) -> None:
    api = described(shared, "algolia-search.openapi.yml")
    answer = {
        "results": [{**ALGOLIA_ANSWER, "index": "shoes"}, {**ALGOLIA_ANSWER, "hits": [{"objectID": "c"}], "nbHits": 1}]
    }
    member = {**api.merged("searchParamsObject"), "additionalProperties": False}
    member["properties"]["indexName"] = api.merged("SearchForHits")["properties"]["indexName"]

    (request,), run = asked("algolia", {**ALGOLIA, "multi": 2}, answer)

    assert request.path == "/1/indexes/*/queries"
    assert list(request.json) == ["requests"]
    for one in request.json["requests"]:
        api.check({**member, "required": ["indexName"]}, one)
    assert [one["indexName"] for one in request.json["requests"]] == ["shoes", "shoes"]
    assert (run.ranking("q1"), run.ranking("q2")) == (("a", "b"), ("c",))


QDRANT = {
    "collection": "shoes",
    "api_key": "k1",
    "embed": {"url": "SERVER/v1/embeddings"},
    "fields": ["title"],
}
POINTS = [
    {"id": 9007199254740993, "version": 3, "score": 0.75, "payload": {"title": "Red", "sku": "a"}},
    {
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "version": 3,
        "score": 0.5,
        "payload": {"title": "Blue", "sku": "b"},
    },
]


def qdrant_answer(result: Any) -> dict[str, Any]:
    return {"time": 0.002, "status": "ok", "result": result}


HYBRID = {
    "prefetch": [{"query": "{{ vector }}", "using": "dense", "limit": 20}],
    "query": {"fusion": "rrf"},
    "filter": {"must": [{"key": "in_stock", "match": {"value": True}}]},
}


@pytest.mark.parametrize("body", [{}, {"using": "dense"}, HYBRID])
def test_qdrant(shared: Path, body: dict[str, Any]) -> None:
    api = described(shared, "qdrant.openapi.json")
    answer = qdrant_answer({"points": POINTS})
    api.answer("/collections/{collection_name}/points/query", answer)

    requests, run = asked("qdrant", {**QDRANT, "body": body}, answer)

    for request in requests:
        assert request.path == "/collections/shoes/points/query"
        assert request.headers["api-key"] == "k1"
        api.request("/collections/{collection_name}/points/query", request.json)
        assert request.json["with_payload"] == ["title"]
    assert first(run) == (("9007199254740993", "550e8400-e29b-41d4-a716-446655440000"), (0.75, 0.5))
    assert run.fields["9007199254740993"] == {"title": "Red"}


def test_qdrant_many_at_once_by_an_id_of_the_payload(shared: Path) -> None:
    api = described(shared, "qdrant.openapi.json")
    path = "/collections/{collection_name}/points/query/batch"
    answer = qdrant_answer([{"points": POINTS}, {"points": POINTS[1:]}])
    api.answer(path, answer)

    (request,), run = asked("qdrant", {**QDRANT, "id": "payload.sku", "multi": 2}, answer)

    api.request(path, request.json)
    assert [one["query"] for one in request.json["searches"]] == [VECTOR, VECTOR]
    assert [one["with_payload"] for one in request.json["searches"]] == [["sku", "title"]] * 2
    assert (run.ranking("q1"), run.ranking("q2")) == (("a", "b"), ("b",))


MEILISEARCH = {"index": "shoes", "api_key": "k1", "fields": ["title"]}
MEILISEARCH_ANSWER = {
    "hits": [{"id": 2770, "title": "Red", "_rankingScore": 0.9}, {"id": 190859, "title": "Blue", "_rankingScore": 0.5}],
    "offset": 0,
    "limit": 2,
    "estimatedTotalHits": 976,
    "processingTimeMs": 35,
    "query": "red shoes",
}


def by_the_real_names(api: Description, query: Mapping[str, Any]) -> None:
    """The description asks for what is optional, and spells one of the bodies as the service does not."""
    schema = api.document["components"]["schemas"]["SearchQueryWithIndex"]
    strict = {**schema, "required": [], "additionalProperties": False}
    api.check(strict, {"indexUid": "shoes", **query})


def test_meilisearch(shared: Path) -> None:
    api = described(shared, "meilisearch.openapi.json")
    api.answer("/indexes/{indexUid}/search", MEILISEARCH_ANSWER)

    hybrid = {"hybrid": {"embedder": "default", "semanticRatio": 0.5}}
    requests, run = asked("meilisearch", {**MEILISEARCH, "body": hybrid}, MEILISEARCH_ANSWER)

    for request in requests:
        assert request.path == "/indexes/shoes/search"
        assert request.headers["authorization"] == "Bearer k1"
        by_the_real_names(api, request.json)
    assert first(run) == (("2770", "190859"), (0.9, 0.5))
    assert run.fields["2770"] == {"title": "Red"}


def test_meilisearch_many_at_once(shared: Path) -> None:
    api = described(shared, "meilisearch.openapi.json")
    one = {**MEILISEARCH_ANSWER, "indexUid": "shoes"}
    answer = {"results": [one, {**one, "hits": one["hits"][1:]}]}  # type: ignore[index]  # a list, as stands above
    api.check_answer(api.document["components"]["schemas"]["SearchResults"], answer)

    (request,), run = asked("meilisearch", {**MEILISEARCH, "multi": 2}, answer)

    assert request.path == "/multi-search"
    assert list(request.json) == ["queries"]
    for query in request.json["queries"]:
        by_the_real_names(api, query)
    assert (run.ranking("q1"), run.ranking("q2")) == (("2770", "190859"), ("190859",))


def test_weaviate(shared: Path) -> None:
    api = described(shared, "weaviate.swagger.json")
    hits = [{"title": "Red", "_additional": {"id": "u1", "score": "3.4985464"}}]
    answer = {"data": {"Get": {"Shoe": hits}}, "errors": []}
    definitions = api.document["definitions"]
    api.check_answer(definitions["GraphQLResponse"], answer)

    requests, run = asked("weaviate", {"collection": "Shoe", "fields": ["title"]}, answer)

    for request in requests:
        assert request.path == "/v1/graphql"
        api.check({**definitions["GraphQLQuery"], "additionalProperties": False}, request.json)
    assert first(run) == (("u1",), (3.4985464,))


def test_weaviates_queries_are_graphql() -> None:
    graphql = pytest.importorskip("graphql", reason="needs graphql-core: pip install --group engines")
    answer: dict[str, Any] = {"data": {"Get": {"Shoe": []}}}
    search = "hybrid: {query: {{ query.text | json }}, alpha: 0.5, vector: {{ vector | json }}}"
    options = {"collection": "Shoe", "search": search, "embed": {"url": "SERVER/v1/embeddings"}}
    requests, _ = asked("weaviate", options, answer)
    texts = {_argument(graphql.parse(request.json["query"]), "hybrid", "query") for request in requests}
    assert texts == set(TEXTS.values())


def _argument(document: Any, name: str, key: str) -> str:
    get = document.definitions[0].selection_set.selections[0]
    arguments = {one.name.value: one.value for one in get.selection_set.selections[0].arguments}
    values = {one.name.value: one.value for one in arguments[name].fields}
    text: str = values[key].value
    return text


TYPESENSE_ANSWER = {
    "found": 2,
    "out_of": 10,
    "page": 1,
    "search_time_ms": 1,
    "search_cutoff": False,
    "hits": [
        {"document": {"id": "a", "title": "Red"}, "text_match": 578730123365187705, "highlights": []},
        {"document": {"id": "b", "title": "Blue"}, "text_match": 578730123365187704, "highlights": []},
    ],
}


def test_typesense(shared: Path) -> None:
    api = described(shared, "typesense.openapi.yml")
    schemas = api.document["components"]["schemas"]
    api.check_answer(schemas["SearchResult"], TYPESENSE_ANSWER)
    options = {"collection": "shoes", "query_by": "title", "fields": ["title"]}

    requests, run = asked("typesense", options, TYPESENSE_ANSWER)

    for request in requests:
        assert request.path == "/collections/shoes/documents/search"
        assert set(request.params) <= set(schemas["SearchParameters"]["properties"])
    assert run.ranking("q1") == ("a", "b")


def test_typesense_many_at_once(shared: Path) -> None:
    api = described(shared, "typesense.openapi.yml")
    answer = {"results": [TYPESENSE_ANSWER, TYPESENSE_ANSWER]}
    options = {"collection": "shoes", "query_by": "title", "multi": 2}

    (request,), run = asked("typesense", options, answer)

    # Its members are sent as they stand in the parameters of one search: numbers as text, which the service takes.
    numbers = [{**one, "per_page": int(one["per_page"]), "page": int(one["page"])} for one in request.json["searches"]]
    api.request("/multi_search", {"searches": numbers})
    assert run.ranking("q2") == ("a", "b")


def test_a_wrong_request_would_be_seen(shared: Path) -> None:
    api = described(shared, "algolia-search.openapi.yml")
    with pytest.raises(ValidationError):
        api.check(api.merged("searchParamsObject"), {"query": "x", "hitsPerPage": "two"})
    api = described(shared, "qdrant.openapi.json")
    with pytest.raises(ValidationError):
        api.request("/collections/{collection_name}/points/query", {"query": "x", "limit": 0})
    with pytest.raises(ValidationError):
        by_the_real_names(described(shared, "meilisearch.openapi.json"), {"hits_per_page": 2})
