"""Many queries at once: each is scored once or failed by name, within bounds of time, memory and requests."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections import Counter
from typing import Any

import pytest
from asking import Waits, ask, retriever, search
from fault_server import Asked, FaultServer, Reply, Reset, Script, Silence, closed_port, hits

from pytest_relevance.records import Queries, Query
from pytest_relevance.retrievers.http.clock import Clock


def numbered(count: int) -> Queries:
    return Queries(tuple(Query(f"q{number}", f"text {number}") for number in range(count)))


def faulty(asked_before: Counter[str]) -> Script:
    """One query in ten meets a fault at its first try, one in a hundred at every try."""
    faults = (Reset(), Reply(status=503), Reply({"hits": []}, sent=4), Reply(b"<html>", status=502), Reply(status=429))

    def script(asked: Asked) -> Any:
        number = int(asked.query.removeprefix("text "))
        asked_before[asked.query] += 1
        if number % 100 == 7:
            return Reply(status=500)
        if number % 10 == 3 and asked_before[asked.query] == 1:
            return faults[number // 10 % len(faults)]
        return hits(f"d{number}", "other")

    return script


def test_two_thousand_queries_with_faults_are_each_scored_once_or_failed_by_name() -> None:
    asked_before: Counter[str] = Counter()
    queries = numbered(2000)
    began = time.monotonic()
    with FaultServer(faulty(asked_before)) as server:
        live = retriever(search(server.url, concurrency=32))
        answers = list(live.retrieve(queries.items, depth=10))

        assert server.most_at_once <= 32
    assert time.monotonic() - began < 60  # a second or two on an idle machine
    assert sorted(answer.query_id for answer in answers) == sorted(queries.query_ids)
    failed = {answer.query_id: answer.error for answer in answers if answer.error}
    assert failed == {f"q{number}": "HTTP 500 after 3 tries" for number in range(7, 2000, 100)}
    for answer in answers:
        if not answer.error:
            assert [hit.doc_id for hit in answer.hits] == [answer.query_id.replace("q", "d"), "other"]
    assert max(asked_before.values()) == 3


def test_memory_does_not_grow_with_the_number_of_answers() -> None:
    answer = Reply({"hits": [{"id": f"d{place}", "text": "x" * 1000} for place in range(100)]})
    with FaultServer(lambda _: answer) as server:
        live = retriever({**search(server.url, concurrency=4), "score": None, "fields": ("text",)})
        tracemalloc.start()
        for number, _ in enumerate(live.retrieve(numbered(200).items, depth=100)):
            if number == 20:
                tracemalloc.reset_peak()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert peak < 10_000_000  # where 200 answers of 100 kB would be 20 MB


def test_the_order_in_which_answers_come_does_not_matter() -> None:
    def late(asked: Asked) -> Any:
        return Reply({"hits": [{"id": asked.query}]}, drip=0.001 if asked.number % 3 else None)

    with FaultServer(late) as server:
        run = ask({**search(server.url, concurrency=8), "score": None}, numbered(40))

    assert run.query_ids == numbered(40).query_ids
    assert all(run.ranking(f"q{number}") == (f"text {number}",) for number in range(40))


def test_a_dead_service_is_given_up_within_seconds_and_the_rest_failed_by_name() -> None:
    waits = Waits()
    options = search(f"http://127.0.0.1:{closed_port()}", concurrency=4)
    run = ask(options, numbered(500), clock=waits.clock)

    assert len(run.failures) == 500
    given_up = [reason for reason in run.failures.values() if reason.startswith("not asked: the service was given up")]
    assert len(given_up) > 450
    assert "connection refused" in given_up[0]
    assert waits.time - 1_000_000 < 10


def test_a_service_that_comes_back_within_the_patience_is_not_given_up() -> None:
    waits = Waits()

    def script(_: Asked) -> Any:
        return Reset() if waits.time < 1_000_003 else hits("d1")

    with FaultServer(script) as server:
        run = ask(search(server.url, concurrency=4, tries=8), numbered(40), clock=waits.clock)

    assert run.failures == {}


def test_refused_credentials_are_not_tried_for_every_query() -> None:
    with FaultServer(lambda _: Reply({"message": "bad key"}, 401)) as server:
        run = ask(search(server.url, concurrency=1), numbered(100))

        assert len(server.asked) == 10
    assert run.failures["q0"] == "HTTP 401: bad key"
    assert run.failures["q99"] == (
        "not asked: the service was given up after 10 failures in a row, the last: HTTP 401: bad key"
    )


def test_errors_of_queries_do_not_close_the_service() -> None:
    with FaultServer(lambda asked: hits("d1") if asked.number > 50 else Reply(status=400)) as server:
        run = ask(search(server.url, concurrency=1), numbered(60))

    assert len(run.failures) == 50


def test_requests_keep_the_rate() -> None:
    waits = Waits()
    with FaultServer(lambda _: hits("d1")) as server:
        ask(search(server.url, rate=4, concurrency=8), numbered(41), clock=waits.clock)

    assert waits.time - 1_000_000 >= 10  # 40 spaces of a quarter second


def test_a_wait_that_one_request_is_told_holds_all() -> None:
    times: list[float] = []
    waits = Waits()

    def script(asked: Asked) -> Any:
        times.append(waits.time)
        return Reply(status=429, headers={"Retry-After": "20"}) if asked.number == 1 else hits("d1")

    with FaultServer(script) as server:
        ask(search(server.url, concurrency=1), numbered(5), clock=waits.clock)

    assert times[1:] == [pytest.approx(1_000_020)] * 5


def test_it_works_where_an_event_loop_runs_already() -> None:
    async def inside() -> None:
        with FaultServer(lambda _: hits("d1")) as server:
            assert ask(search(server.url), {"q1": "shoes"}).ranking("q1") == ("d1",)

    asyncio.run(inside())


def test_who_stops_taking_answers_stops_the_asking() -> None:
    with FaultServer(lambda asked: hits("d1") if asked.number < 3 else Silence()) as server:
        answers = retriever(search(server.url, concurrency=2), clock=Clock()).retrieve(numbered(50).items, depth=10)
        next(iter(answers))
        answers.close()

        assert len(server.asked) < 10
