"""What a service can do wrong: every query of it is scored once, or has failed by name with its reason."""

from __future__ import annotations

import gzip
import json
from email.utils import formatdate
from typing import Any

import pytest
from asking import Waits, ask, failure, search
from fault_server import Asked, FaultServer, Reply, Reset, Script, Silence, closed_port, hits


def first(*replies: Any) -> Script:
    """These answers in turn, and the last one from then on."""
    return lambda asked: replies[min(asked.number, len(replies)) - 1]


def fails_with(reply: Any, **options: Any) -> str:
    with FaultServer(lambda _: reply) as server:
        return failure(ask(search(server.url, **options), {"q1": "shoes"}))


def test_a_refused_connection_is_tried_three_times_and_named() -> None:
    waits = Waits()
    run = ask(search(f"http://127.0.0.1:{closed_port()}"), {"q1": "shoes"}, clock=waits.clock)

    assert failure(run) == "connection refused after 3 tries"
    assert waits.seconds == [0.5, 1.0]
    assert run.notes == ("live: tried again: 2 requests (connection: 2)",)


@pytest.mark.parametrize(
    "fault",
    [Reset(), Reply({"hits": []}, sent=5), Reply(b'{"hits"', length=500)],
    ids=["before an answer", "in the middle of it", "closed before its end"],
)
def test_a_broken_connection_is_tried_again(fault: Any) -> None:
    def script(asked: Asked) -> Any:
        return fault if asked.number == 1 else hits("d1")

    with FaultServer(script) as server:
        assert ask(search(server.url), {"q1": "shoes"}).ranking("q1") == ("d1",)


def test_a_silent_service_ends_with_the_time_limit() -> None:
    assert fails_with(Silence(), timeout=0.2, tries=2) == "timeout: no whole answer within 0.2 s after 2 tries"


def test_the_limit_is_on_the_whole_answer_and_not_between_two_bytes() -> None:
    slow = Reply(b'{"hits": []}' + b" " * 500, drip=0.05)

    assert "no whole answer within 0.3 s" in fails_with(slow, timeout={"total": 0.3, "read": 0.2}, tries=1)


def test_a_pause_between_bytes_has_a_limit_of_its_own() -> None:
    slow = Reply(b'{"hits": []}', drip=5.0)

    assert fails_with(slow, timeout={"total": 30, "read": 0.1}, tries=1) == "timeout: no byte for 0.1 s"


def test_retry_after_is_honoured_as_seconds_and_as_a_date_and_capped() -> None:
    waits = Waits()
    replies = [
        Reply(status=429, headers={"Retry-After": "1"}),
        Reply(status=503, headers={"Retry-After": formatdate(1_000_003, usegmt=True)}),  # two seconds after the first
        Reply(status=429, headers={"Retry-After": "2abc"}),
        Reply(status=429, headers={"Retry-After": "999999"}),
        hits("d1"),
    ]
    with FaultServer(first(*replies)) as server:
        run = ask(search(server.url, tries=5), {"q1": "shoes"}, clock=waits.clock)

    assert run.ranking("q1") == ("d1",)
    assert waits.seconds == [1.0, 2.0, 2.0, 30.0]  # the third is our own: 0.5, 1, 2


def test_too_many_requests_to_the_end_is_429_and_not_an_empty_answer() -> None:
    assert fails_with(Reply({"message": "slow down"}, 429)) == "HTTP 429 after 3 tries: slow down"


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504])
def test_a_passing_error_of_the_service_is_tried_again(status: int) -> None:
    with FaultServer(first(Reply(status=status), hits("d1"))) as server:
        assert ask(search(server.url), {"q1": "shoes"}).ranking("q1") == ("d1",)


def test_an_error_of_the_query_is_not_tried_again_and_repeats_the_reason() -> None:
    reason = {
        "error": {"root_cause": [{"reason": "unknown query [mtch]"}], "reason": "all shards failed"},
        "status": 400,
    }
    with FaultServer(lambda _: Reply(reason, 400)) as server:
        run = ask(search(server.url), {"q1": "shoes"})

        assert failure(run) == "HTTP 400: unknown query [mtch]"
        assert len(server.asked) == 1


def test_html_instead_of_json_is_told_as_such() -> None:
    page = Reply(b"<html><body><h1>Sign in</h1></body></html>", headers={"Content-Type": "text/html"})

    assert fails_with(page) == "the answer is not JSON (expecting value; 42 bytes of text/html): 'Sign in'"


def test_json_cut_short_at_its_told_length_is_not_an_empty_answer() -> None:
    assert "not JSON" in fails_with(Reply(b'{"hits": [{"id": "d1"}'))


def test_json_sent_as_plain_text_is_json() -> None:
    answer = Reply({"hits": [{"id": "d1"}]}, headers={"Content-Type": "text/plain"})
    with FaultServer(lambda _: answer) as server:
        assert ask({**search(server.url), "score": None}, {"q1": "shoes"}).ranking("q1") == ("d1",)


def test_json_nested_without_end_is_refused() -> None:
    assert "nested too deep" in fails_with(Reply(b"[" * 200_000))


def test_an_enormous_answer_is_not_read_to_its_end() -> None:
    assert fails_with(Reply(b" " * 300_000), most_megabytes=0.2) == (
        "the answer is larger than 0.2 MB (most_megabytes)"
    )


def test_a_small_answer_that_unpacks_into_an_enormous_one_is_refused_too() -> None:
    bomb = Reply(gzip.compress(b" " * 3_000_000), headers={"Content-Encoding": "gzip"})

    assert "larger than 1 MB" in fails_with(bomb, most_megabytes=1)


def test_a_character_set_the_answer_names_is_used_where_it_is_not_utf_8() -> None:
    content = json.dumps({"hits": [{"id": "é"}]}, ensure_ascii=False).encode("latin-1")
    named = Reply(content, headers={"Content-Type": "application/json; charset=ISO-8859-1"})
    with FaultServer(lambda _: named) as server:
        assert ask({**search(server.url), "score": None}, {"q1": "shoes"}).ranking("q1") == ("é",)

    assert fails_with(Reply(content)) == "the answer is not UTF-8 (byte 0xE9 at 18), as JSON must be"


def test_a_document_twice_in_an_answer_fails_unless_the_suite_takes_the_first() -> None:
    with FaultServer(lambda _: hits("A", "A")) as server:
        assert "duplicate document 'A'" in failure(ask(search(server.url), {"q1": "shoes"}))
        run = ask(search(server.url), {"q1": "shoes"}, duplicates="first")

    assert run.ranking("q1") == ("A",)
    assert any("duplicate" in note for note in run.notes)


def test_an_error_inside_a_200_is_an_error() -> None:
    answer = Reply({"error": {"code": "badquery", "info": "?", "message": "no such index"}, "hits": []})

    assert fails_with(answer, error="error") == "the service answered with an error: no such index"


@pytest.mark.parametrize("part", [{"timed_out": True}, {"_shards": {"failed": 1}}])
def test_a_partial_answer_did_not_run_unless_it_is_allowed(part: dict[str, Any]) -> None:
    path = "timed_out || (_shards.failed && _shards.failed > `0`)"
    with FaultServer(lambda _: hits("d1", **part)) as server:
        assert "partial answer" in failure(ask(search(server.url, partial=path), {"q1": "shoes"}))
        run = ask(search(server.url, partial=path, allow_partial=True), {"q1": "shoes"})

    assert run.ranking("q1") == ("d1",)
    assert run.notes == ("live: 1 answer with parts missing, taken as they came (`allow_partial`)",)


def test_a_redirect_within_the_service_is_followed_with_what_it_needs() -> None:
    def script(asked: Asked) -> Reply:
        if asked.path == "/search":
            return Reply(status=307, headers={"Location": f"/v2{asked.target}"})
        return hits(asked.headers["x-api-key"], asked.query)

    with FaultServer(script) as server:
        options = search(server.url, headers={"X-Api-Key": "k1"})
        assert ask(options, {"q1": "a+b"}).ranking("q1") == ("k1", "a+b")


def test_a_redirect_loop_ends() -> None:
    assert "circles" in fails_with(Reply(status=302, headers={"Location": "/search"}))


def test_a_redirect_that_would_lose_the_body_is_told() -> None:
    reply = Reply(status=301, headers={"Location": "/elsewhere"})

    assert "would lose its body" in fails_with(reply, body={"q": "{{ query.text }}"})


def test_credentials_never_follow_a_redirect_to_another_origin() -> None:
    with FaultServer(lambda _: hits("d1"), host="localhost") as other:
        reply = Reply(status=302, headers={"Location": f"{other.url}/search?token=s3cret-in-location"})
        reason = fails_with(reply, headers={"Authorization": "ApiKey s3cret-key", "X-Api-Key": "s3cret-key"})

        assert other.asked == []
        assert other.url in reason
        assert "s3cret" not in reason


def test_a_query_that_fails_does_not_stop_the_others() -> None:
    def script(asked: Asked) -> Reply:
        return Reply(status=400) if asked.query == "bad" else hits("d1")

    with FaultServer(script) as server:
        run = ask(search(server.url), {"q1": "good", "q2": "bad", "q3": "good"})

    assert run.query_ids == ("q1", "q3")
    assert run.failures == {"q2": "HTTP 400"}
