"""Pages, vectors and many queries in one request: how one query's answer comes together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asking import ask, failure, retriever, search
from fault_server import Asked, FaultServer, Reply, hits

from pytest_relevance.records import Query
from pytest_relevance.retrievers import PlannedRequests
from pytest_relevance.retrievers.http.elasticsearch import ElasticsearchOptions
from pytest_relevance.retrievers.http.typesense import TypesenseOptions

DOCUMENTS = [f"d{number}" for number in range(25)]


def sliced(start: int, size: int, **more: Any) -> Reply:
    return hits(*DOCUMENTS[start : start + size], total=25, **more)


def paged(url: str, params: dict[str, str], pages: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"url": url, "params": {"q": "{{ query.text }}"} | params, "pages": pages, **options}


def by_offset(asked: Asked) -> Reply:
    return sliced(int(asked.params["from"]), int(asked.params["size"]))


OFFSET = {"from": "{{ offset }}", "size": "{{ size }}"}


@pytest.mark.parametrize(("depth", "requests"), [(10, 1), (11, 2), (25, 3), (100, 3)])
def test_pages_by_offset_go_on_until_the_depth_or_the_end(depth: int, requests: int) -> None:
    with FaultServer(by_offset) as server:
        run = ask(paged(server.url, OFFSET, {"by": "offset", "size": 10}), {"q1": "x"}, depth=depth)

        assert run.ranking("q1") == tuple(DOCUMENTS[:depth])
        assert len(server.asked) == requests


def test_a_service_that_gives_smaller_pages_than_asked_is_followed_by_what_it_gave() -> None:
    with FaultServer(lambda asked: sliced(int(asked.params["from"]), 7)) as server:
        options = paged(server.url, OFFSET, {"by": "offset", "size": 20}, total="total")
        assert ask(options, {"q1": "x"}, depth=25).ranking("q1") == tuple(DOCUMENTS)
        assert [asked.params["from"] for asked in server.asked] == ["0", "7", "14", "21"]


@pytest.mark.parametrize("first", [0, 1])
def test_pages_by_number_begin_where_the_service_begins(first: int) -> None:
    def script(asked: Asked) -> Reply:
        return sliced((int(asked.params["p"]) - first) * 10, 10)

    with FaultServer(script) as server:
        options = paged(server.url, {"p": "{{ page }}"}, {"by": "page", "size": 10, "first": first})
        assert ask(options, {"q1": "x"}, depth=25).ranking("q1") == tuple(DOCUMENTS)


def test_a_cursor_is_sent_from_the_second_page_on_and_ends_with_the_service() -> None:
    def script(asked: Asked) -> Reply:
        start = int(asked.params.get("after", 0))
        return sliced(start, 10, next=str(start + 10) if start < 20 else None)

    with FaultServer(script) as server:
        options = paged(server.url, {"after": "{{ cursor }}"}, {"by": "cursor", "size": 10, "next": "next"})
        assert ask(options, {"q1": "x"}, depth=100).ranking("q1") == tuple(DOCUMENTS)
        assert [asked.params.get("after") for asked in server.asked] == [None, "10", "20"]


def test_a_cursor_that_comes_back_ends_the_pages() -> None:
    def script(asked: Asked) -> Reply:
        start = {"*": 0, "a": 10, "b": 20}[asked.params["cursorMark"]]
        return sliced(start, 10, nextCursorMark={0: "a", 10: "b", 20: "b"}[start])

    pages = {"by": "cursor", "size": 10, "start": "*", "next": "nextCursorMark"}
    with FaultServer(script) as server:
        run = ask(paged(server.url, {"cursorMark": "{{ cursor }}"}, pages), {"q1": "x"}, depth=100)

        assert run.ranking("q1") == tuple(DOCUMENTS)
        assert len(server.asked) == 3


def test_search_after_sends_the_last_sort_values_as_they_came() -> None:
    def script(asked: Asked) -> Reply:
        start = int(asked.json.get("search_after", [0, ""])[0])
        found = [
            {"id": doc_id, "sort": [start + place + 1, "x"]} for place, doc_id in enumerate(DOCUMENTS[start:][:10])
        ]
        return Reply({"hits": found})

    pages = {"by": "search_after", "size": 10, "next": "hits[-1].sort"}
    with FaultServer(script) as server:
        options = {"url": server.url, "body": {"search_after": "{{ cursor }}", "size": "{{ size }}"}, "pages": pages}
        assert ask(options, {"q1": "x"}, depth=100).ranking("q1") == tuple(DOCUMENTS)
        assert server.asked[0].json == {"size": 10}
        assert server.asked[1].json == {"search_after": [10, "x"], "size": 10}


def test_a_service_that_ignores_the_offset_is_found_out() -> None:
    with FaultServer(lambda _: sliced(0, 10)) as server:
        run = ask(paged(server.url, OFFSET, {"by": "offset", "size": 10}), {"q1": "x"}, depth=25)

    assert failure(run) == "page 2 repeats documents that came before, and nothing else"


def test_pages_without_end_are_bounded() -> None:
    def script(asked: Asked) -> Reply:
        return hits(f"d{asked.number}", next=str(asked.number))

    with FaultServer(script) as server:
        options = paged(server.url, {"after": "{{ cursor }}"}, {"by": "cursor", "size": 10, "next": "next"})
        ask(options, {"q1": "x"}, depth=20)

        assert len(server.asked) == 18


def test_fewer_documents_than_asked_for_while_there_are_more_is_noted() -> None:
    with FaultServer(lambda _: sliced(0, 10)) as server:
        run = ask(search(server.url, total="total"), {"q1": "x"}, depth=20)

    (note,) = run.notes
    assert note.startswith("live: 1 query got fewer documents than were asked for")
    assert "q1: 10 of 20 (the service has 25)" in note


def test_a_query_is_embedded_first_and_its_vector_stays_a_list_of_numbers() -> None:
    def script(asked: Asked) -> Reply:
        if asked.path == "/v1/embeddings":
            assert asked.json == {"model": "e5", "input": ["query: red shoes"]}
            return Reply({"data": [{"embedding": [0.1, -2.5e-08, 3]}]})
        return hits("d1") if asked.json["vector"] == [0.1, -2.5e-08, 3] else Reply(status=400)

    with FaultServer(script) as server:
        embed = {"url": f"{server.url}/v1/embeddings", "model": "e5", "input": "query: {{ query.text }}"}
        options = {"url": server.url, "body": {"vector": "{{ vector }}"}, "embed": embed}
        assert ask(options, {"q1": "red shoes"}).ranking("q1") == ("d1",)


def test_a_query_without_a_vector_did_not_run() -> None:
    with FaultServer(lambda _: Reply({"error": {"message": "model is loading"}})) as server:
        options = {"url": server.url, "body": {"v": "{{ vector }}"}, "embed": {"url": f"{server.url}/v1/embeddings"}}
        run = ask(options, {"q1": "shoes"})

    assert failure(run) == "no vector at 'data[0].embedding' in the endpoint's answer: model is loading"


def elastic_answer(asked: Asked, body: dict[str, Any]) -> dict[str, Any]:
    text = body["query"]["match"]["title"]
    if text == "broken":
        return {"error": {"root_cause": [{"reason": f"cannot parse {text}"}]}, "status": 400}
    found = [
        {"_id": f"{text} {place}", "_score": 1.0, "_source": {"title": text}}
        for place in range(body["from"], body["from"] + body["size"])
    ]
    return {
        "timed_out": False,
        "_shards": {"failed": 0},
        "hits": {"total": {"value": 50, "relation": "gte"}, "hits": found},
    }


def elastic(asked: Asked) -> Reply:
    assert asked.headers["authorization"] == "ApiKey k1"
    if asked.path == "/kb/_search":
        answer = elastic_answer(asked, asked.json)
        return Reply(answer, answer.get("status", 200))
    assert asked.path == "/kb/_msearch"
    assert asked.headers["content-type"] == "application/x-ndjson"
    lines = asked.content.decode().split("\n")
    assert lines[-1] == ""
    return Reply({"responses": [elastic_answer(asked, json.loads(line)) for line in lines[1:-1:2]]})


def elastic_options(url: str, **more: Any) -> dict[str, Any]:
    body = {"query": {"match": {"title": "{{ query.text }}"}}}
    return {"url": url, "index": "kb", "api_key": "k1", "body": body, "fields": ("title",), **more}


@pytest.mark.parametrize(("multi", "requests"), [(1, 7), (3, 4)])
def test_elasticsearch_one_by_one_and_by_msearch_give_the_same(multi: int, requests: int) -> None:
    queries = {f"q{number}": "broken" if number == 4 else f"text {number}" for number in range(7)}
    with FaultServer(elastic) as server:
        run = ask(elastic_options(server.url, multi=multi), queries, depth=5, kind=ElasticsearchOptions)

        # Three requests of up to three queries, and the broken one once more by itself for its own reason.
        assert len(server.asked) == requests
    assert run.failures == {"q4": "HTTP 400: cannot parse broken"}
    assert run.ranking("q0") == tuple(f"text 0 {place}" for place in range(5))
    assert run.fields["text 0 0"] == {"title": "text 0"}
    assert run.notes == ()


def test_a_refused_request_for_many_is_asked_one_by_one() -> None:
    def script(asked: Asked) -> Reply:
        return elastic(asked) if asked.path.endswith("_search") else Reply(status=405)

    with FaultServer(script) as server:
        options = elastic_options(server.url, multi=2)
        run = ask(options, {"q1": "a", "q2": "b"}, depth=2, kind=ElasticsearchOptions)

    assert run.ranking("q2") == ("b 0", "b 1")


def typesense(asked: Asked) -> Reply:
    def answer(params: dict[str, Any]) -> dict[str, Any]:
        found = [{"document": {"id": f"{params['q']} {place}"}, "text_match": 2**60 + 1 - place} for place in range(3)]
        return {"found": 3, "hits": found, "search_cutoff": False}

    assert asked.headers["x-typesense-api-key"] == "k1"
    if asked.path == "/multi_search":
        assert all(one["collection"] == "kb" for one in asked.json["searches"])
        return Reply({"results": [answer(one) for one in asked.json["searches"]]})
    assert asked.path == "/collections/kb/documents/search"
    assert asked.params["query_by"] == "title,body"
    return Reply(answer(asked.params))


@pytest.mark.parametrize("multi", [1, 2])
def test_typesense_one_by_one_and_by_multi_search_give_the_same(multi: int) -> None:
    with FaultServer(typesense) as server:
        options = {"url": server.url, "collection": "kb", "query_by": "title,body", "api_key": "k1", "multi": multi}
        run = ask(options, {"q1": "a", "q2": "b+c"}, kind=TypesenseOptions)

    assert run.ranking("q2") == ("b+c 0", "b+c 1", "b+c 2")


def test_a_plan_tells_how_many_requests_would_go_where_without_making_one() -> None:
    queries = [Query(f"q{number}", "x") for number in range(10)]
    options = paged(
        "https://search.example.org/shoes", OFFSET, {"by": "offset", "size": 50}, embed={"url": "http://127.0.0.1:9/v1"}
    )

    assert retriever(options).plan(queries, depth=100) == (
        PlannedRequests("https://search.example.org:443", 10, 20),
        PlannedRequests("http://127.0.0.1:9", 10, 10),
    )
