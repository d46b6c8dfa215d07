"""Presets of services with odd ways: what each sends for a query, and how it reads an answer of its service's shape."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from asking import ask, failure
from fault_server import Asked, FaultServer, Reply
from preset_requests import asked_and_read, options_of, scored
from pydantic import ValidationError

from pytest_relevance.errors import RelevanceError


def test_brave_counts_pages_and_has_neither_ids_nor_scores() -> None:
    targets: list[Mapping[str, str]] = []

    def script(asked: Asked) -> Reply:
        assert asked.headers["x-subscription-token"] == "t1"
        targets.append(asked.params)
        page = int(asked.params["offset"])
        found = [{"url": f"https://s.example/{page}-{one}", "title": "T"} for one in range(20 if page < 1 else 3)]
        return Reply({"query": {"more_results_available": True}, "web": {"results": found}})

    with FaultServer(script) as server:
        options = {"url": f"{server.url}/res/v1/web/search", "api_key": "t1", "fields": ["title"]}
        run = ask(options, {"q1": "red shoes"}, depth=30, kind=options_of("brave"))
    assert [(one["count"], one["offset"]) for one in targets] == [("20", "0"), ("20", "1")]
    assert len(run.ranking("q1")) == 23
    assert run.ranking("q1")[20] == "https://s.example/1-0"


def test_brave_without_a_block_of_the_web_found_nothing() -> None:
    _, run = asked_and_read("brave", {"type": "search", "query": {"original": "x"}}, {})
    assert run.ranking("q1") == ()
    assert run.failures == {}


@pytest.mark.parametrize("key", ["error", "errors"])
def test_brave_puts_its_errors_in_two_places(key: str) -> None:
    one = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The token is invalid", "status": 422}
    _, run = asked_and_read("brave", {key: one if key == "error" else [one]}, {})
    assert "The token is invalid" in failure(run)


def test_mediawiki_names_what_it_searches_and_what_comes_back() -> None:
    found = [{"ns": 0, "title": "Red shoe", "pageid": 7, "wordcount": 12}]
    answer = {"batchcomplete": True, "query": {"searchinfo": {"totalhits": 1}, "search": found}}

    asked, run = asked_and_read("mediawiki", answer, {"namespace": [0, 4], "fields": ["title", "wordcount"]})

    assert asked.params == {
        "action": "query",
        "list": "search",
        "format": "json",
        "formatversion": "2",
        "srsearch": "red shoes",
        "srlimit": "2",
        "srwhat": "text",
        "srinfo": "totalhits",
        "srnamespace": "0|4",
        "srprop": "wordcount",
    }
    assert run.ranking("q1") == ("Red shoe",)
    assert run.fields["Red shoe"] == {"title": "Red shoe", "wordcount": 12}


def test_anserinis_index_is_one_part_of_the_path() -> None:
    answer = {"candidates": [{"docid": "a", "score": 6.1725, "rank": 1, "doc": "text"}]}
    asked, run = asked_and_read("anserini", answer, {"index": "/data/my index", "fields": ["doc"]})
    assert asked.target == "/v1/%2Fdata%2Fmy%20index/search?query=red%20shoes&hits=2"
    assert scored(run) == [("a", 6.1725)]
    assert run.fields["a"] == {"doc": "text"}


@pytest.mark.parametrize(
    ("text", "match"), [("red shoes", '"red" OR "shoes"'), ('24" AND tv*', '"24" OR "AND" OR "tv*"')]
)
def test_datasette_gets_each_word_literally(text: str, match: str) -> None:
    answer = {"ok": True, "rows": [{"id": 12, "score": 1.5}], "truncated": False, "error": None}
    asked, run = asked_and_read("datasette", answer, {"database": "shop", "sql": "select 1"}, text=text)
    assert asked.path == "/shop.json"
    assert asked.params == {"sql": "select 1", "match": match, "depth": "2", "_shape": "objects"}
    assert scored(run) == [("12", 1.5)]


def test_datasettes_cut_answers_are_partial() -> None:
    answer = {"ok": True, "rows": [], "truncated": True, "error": None}
    _, run = asked_and_read("datasette", answer, {"database": "shop", "sql": "select 1"})
    assert "partial answer" in failure(run)


def test_weaviates_query_holds_any_text_as_a_text() -> None:
    hits = [{"sku": "a", "title": "Red", "_additional": {"score": "3.4985464"}}]
    options = {"collection": "Shoe", "id": "sku", "fields": ["title"], "api_key": "k1"}

    asked, run = asked_and_read("weaviate", {"data": {"Get": {"Shoe": hits}}}, options, text='24" {tv}\n\\')

    assert asked.path == "/v1/graphql"
    assert asked.headers["authorization"] == "Bearer k1"
    assert asked.json == {
        "query": '{ Get { Shoe(limit: 2, offset: 0, bm25: {query: "24\\" {tv}\\n\\\\"}) '
        "{ sku title _additional { score } } } }"
    }
    assert scored(run) == [("a", 3.4985464)]
    assert run.fields["a"] == {"title": "Red"}


def test_weaviates_distances_are_asked_for_and_negated() -> None:
    hits = [{"_additional": {"id": "u1", "distance": 0.25}}, {"_additional": {"id": "u2", "distance": 0.5}}]
    search = "nearText: {concepts: [{{ query.text | json }}]}"
    options = {"collection": "Shoe", "search": search, "score": "_additional.distance", "score_order": "ascending"}

    asked, run = asked_and_read("weaviate", {"data": {"Get": {"Shoe": hits}}}, options)

    assert "{ _additional { id distance } }" in asked.json["query"]
    assert scored(run) == [("u1", -0.25), ("u2", -0.5)]


def test_weaviates_errors_come_with_200() -> None:
    answer = {"data": {"Get": {"Shoe": None}}, "errors": [{"message": "no vectorizer", "path": ["Get"]}]}
    _, run = asked_and_read("weaviate", answer, {"collection": "Shoe"})
    assert "no vectorizer" in failure(run)


def test_qdrant_wants_to_know_what_a_query_is() -> None:
    with pytest.raises(RelevanceError, match="nothing says what a query is"):
        ask({"url": "http://h", "collection": "shop"}, {"q1": "red"}, kind=options_of("qdrant"))


@pytest.mark.parametrize(("name", "option"), [("mediawiki", "concurrency"), ("brave", "rate")])
def test_a_gentler_default_keeps_the_bounds_of_its_option(name: str, option: str) -> None:
    with pytest.raises(ValidationError, match=option):
        options_of(name).model_validate({"url": "http://h", option: 0})
