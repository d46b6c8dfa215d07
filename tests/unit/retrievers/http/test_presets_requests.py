"""Presets: what each sends for a query, and how it reads an answer of its service's shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from asking import ask, failure
from fault_server import Asked, FaultServer, Reply
from pydantic import ValidationError

from pytest_relevance.errors import RelevanceError
from pytest_relevance.records import Run
from pytest_relevance.retrievers import BUILTIN
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions

PRESETS = [
    *("opensearch", "solr", "vespa", "meilisearch", "algolia", "qdrant", "weaviate"),
    *("mediawiki", "brave", "anserini", "datasette"),
]


def options_of(name: str) -> type[HttpOptions]:
    kind = BUILTIN[name]
    assert isinstance(kind, HttpKind)
    assert kind.name == name
    return kind.options


def asked_and_read(
    name: str, answer: Any, options: Mapping[str, Any], *, text: str = "red shoes", depth: int = 2
) -> tuple[Asked, Run]:
    """The first request of this preset for one query, and the run that came of the answer."""
    seen: list[Asked] = []

    def script(asked: Asked) -> Reply:
        seen.append(asked)
        return Reply(answer)

    with FaultServer(script) as server:
        run = ask({"url": server.url, **options}, {"q1": text}, depth=depth, kind=options_of(name))
    return seen[0], run


def scored(run: Run) -> list[tuple[str, float]]:
    return list(zip(run.ranking("q1"), run.scores_of("q1"), strict=True))


@pytest.mark.parametrize("name", PRESETS)
def test_each_is_a_file_of_few_lines_that_is_imported_on_use(name: str) -> None:
    module = import_module(f"pytest_relevance.retrievers.http.presets.{name}")
    assert BUILTIN[name] is getattr(module, name)


def test_opensearch_sends_its_pipeline_in_the_body_where_many_searches_have_it_too() -> None:
    hybrid = {"query": {"hybrid": {"queries": [{"match": {"title": "{{ query.text }}"}}]}}}
    options = {"index": "shop", "body": hybrid, "search_pipeline": "norm", "auth": {"user": "u", "password": "p"}}
    hits = [{"_id": "a", "_score": 0.75, "_source": {}}, {"_id": "b", "_score": 0.5, "_source": {}}]
    answer = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"total": {"value": 2}, "hits": hits}}

    asked, run = asked_and_read("opensearch", answer, options)

    assert asked.path == "/shop/_search"
    assert asked.headers["authorization"] == "Basic dTpw"
    assert asked.json == {
        "search_pipeline": "norm",
        "from": 0,
        "size": 2,
        "_source": False,
        "query": {"hybrid": {"queries": [{"match": {"title": "red shoes"}}]}},
    }
    assert scored(run) == [("a", 0.75), ("b", 0.5)]


def test_a_search_template_gets_the_parameters_and_nothing_else() -> None:
    answer = {"hits": {"total": {"value": 0}, "hits": []}}
    options = {"index": "shop", "template": "products", "body": {"words": "{{ query.text }}"}}
    asked, run = asked_and_read("opensearch", answer, options)
    assert asked.path == "/shop/_search/template"
    assert asked.json == {"id": "products", "params": {"from": 0, "size": 2, "words": "red shoes"}}
    assert run.ranking("q1") == ()


def test_many_searches_by_a_template_go_to_its_own_address() -> None:
    def script(asked: Asked) -> Reply:
        assert asked.path == "/shop/_msearch/template"
        lines = [json.loads(line) for line in asked.content.decode().splitlines()]
        bodies = [line["params"]["words"] for line in lines[1::2]]
        hits = [{"hits": {"total": {"value": 1}, "hits": [{"_id": body, "_score": 1.0}]}} for body in bodies]
        return Reply({"responses": hits})

    body = {"words": "{{ query.text }}"}
    with FaultServer(script) as server:
        options = {"url": server.url, "index": "shop", "template": "products", "body": body, "multi": 2}
        run = ask(options, {"q1": "red", "q2": "blue"}, kind=options_of("opensearch"))
    assert run.ranking("q1") == ("red",)
    assert run.ranking("q2") == ("blue",)


def test_solr_asks_for_the_score_and_takes_signs_literally() -> None:
    docs = [{"sku": "a", "score": 2.5, "name": ["Red shoe"]}, {"sku": "b", "score": 1.0}]
    answer = {"responseHeader": {"status": 0}, "response": {"numFound": 2, "numFoundExact": True, "docs": docs}}
    options = {"collection": "shop", "id": "sku", "fields": ["name"], "params": {"defType": "edismax"}}

    asked, run = asked_and_read("solr", answer, options, text="red:(shoes)")

    assert asked.path == "/shop/select"
    assert asked.params == {
        "q": "red\\:\\(shoes\\)",
        "rows": "2",
        "start": "0",
        "fl": "sku,score,name",
        "wt": "json",
        "defType": "edismax",
    }
    assert scored(run) == [("a", 2.5), ("b", 1.0)]
    assert run.fields["a"] == {"name": ["Red shoe"]}


def test_solrs_limit_on_time_makes_a_partial_answer() -> None:
    answer = {"responseHeader": {"status": 0, "partialResults": True}, "response": {"numFound": 0, "docs": []}}
    _, run = asked_and_read("solr", answer, {"collection": "shop"})
    assert "partial answer" in failure(run)


VESPA_HITS = [
    {"id": "index:x/0/1", "relevance": 0.5, "fields": {"documentid": "id:s:p::a", "title": "Red"}},
    {"id": "id:s:p::b", "relevance": "-Infinity", "fields": {}},
]


def test_vespa_is_asked_by_yql_and_words_apart() -> None:
    answer = {"root": {"fields": {"totalCount": 2}, "coverage": {"full": True}, "children": VESPA_HITS}}
    options = {"ranking": "bm25", "fields": ["title"], "body": {"timeout": "2s"}}

    asked, run = asked_and_read("vespa", answer, options)

    assert asked.path == "/search/"
    assert asked.json == {
        "yql": "select * from sources * where userQuery()",
        "query": "red shoes",
        "hits": 2,
        "offset": 0,
        "ranking": "bm25",
        "timeout": "2s",
    }
    assert scored(run) == [("id:s:p::a", 0.5), ("id:s:p::b", float("-inf"))]
    assert run.fields["id:s:p::a"] == {"title": "Red"}


def test_vespa_without_children_found_nothing_and_without_a_root_answered_nothing() -> None:
    _, run = asked_and_read("vespa", {"root": {"fields": {"totalCount": 0}}}, {})
    assert run.ranking("q1") == ()
    assert run.failures == {}
    _, run = asked_and_read("vespa", {"something": "else"}, {})
    assert "no list at" in failure(run)


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"errors": [{"code": 12, "summary": "Timed out", "message": "2 of 3 nodes"}]}, "2 of 3 nodes"),
        ({"coverage": {"full": False, "degraded": {"timeout": True}}}, "partial answer"),
    ],
)
def test_vespa_tells_of_errors_and_soft_timeouts_beside_its_hits(root: dict[str, Any], reason: str) -> None:
    _, run = asked_and_read("vespa", {"root": {"fields": {"totalCount": 2}, "children": VESPA_HITS, **root}}, {})
    assert reason in failure(run)


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
