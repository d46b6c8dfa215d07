"""Presets: what each sends for a query, and how it reads an answer of its service's shape."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest
from asking import ask, failure
from fault_server import Asked, FaultServer, Reply
from preset_requests import asked_and_read, options_of, scored

from pytest_relevance.retrievers import BUILTIN

PRESETS = [
    *("opensearch", "solr", "vespa", "meilisearch", "algolia", "qdrant", "weaviate"),
    *("mediawiki", "brave", "anserini", "datasette"),
]


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
