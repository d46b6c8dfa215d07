"""The cases of area http: each is acted out with the scripted server, and what is right is asserted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Any

import pytest
from asking import Waits, ask, failure, search
from fault_server import Asked, FaultServer, Reply, Silence, hits
from neutral import Case

from pytest_relevance.measures import evaluate, parse_measure
from pytest_relevance.records import Qrels
from pytest_relevance.retrievers.http.elasticsearch import ElasticsearchOptions


def read(case: Case, name: str) -> Any:
    return json.loads(case.named(name).read_text(encoding="utf-8"))


def queries_in_a_url_arrive_verbatim(case: Case) -> None:
    """080: the query goes into the place of {query} in the address, and as a parameter."""
    target = case.named("endpoint.txt").read_text(encoding="utf-8").split()[1]
    texts = {f"q{number}": text for number, text in enumerate(read(case, "queries.json"))}
    with FaultServer(lambda _: hits("d1")) as server:
        run = ask({"url": server.url + target.replace("{query}", "{{ query.text }}"), "concurrency": 1}, texts)
        assert [asked.params for asked in server.asked] == [{"q": text, "size": "10"} for text in texts.values()]
        server.asked.clear()
        ask({"url": f"{server.url}/search?size=10", "params": {"q": "{{ query }}"}, "concurrency": 1}, texts)
        assert [asked.params for asked in server.asked] == [{"size": "10", "q": text} for text in texts.values()]
    assert run.failures == {}


def credentials_stay_with_their_service(case: Case) -> None:
    """083: the second server has another origin."""
    first, _ = read(case, "exchange.json")
    with FaultServer(lambda _: hits("d1"), host="localhost") as second:
        location = first["answer"]["location"].replace("PORT2", str(second.port))
        with FaultServer(lambda _: Reply(status=first["answer"]["status"], headers={"Location": location})) as server:
            run = ask(search(server.url, headers=read(case, "config.json")["headers"]), {"q1": "x"})
        assert second.asked == []
    assert "redirect" in failure(run)
    case.mentions(failure(run))


def waits_are_kept_and_bounded(case: Case) -> None:
    """085: a script of 429 and 503; with fewer tries than faults the last one is told."""
    waits = Waits()
    script = [one["answer"] for one in read(case, "exchange.json")]

    def reply(asked: Asked) -> Reply:
        answer = script[min(asked.number, len(script)) - 1]
        headers = {
            name: formatdate(waits.time + 2, usegmt=True) if "HTTP-date" in value else value
            for name, value in answer.get("headers", {}).items()
        }
        return Reply(answer.get("body", {}), answer["status"], headers)

    with FaultServer(reply) as server:
        run = ask(search(server.url, tries=len(script)), {"q1": "x"}, clock=waits.clock)
    assert run.ranking("q1") == ("d1",)
    assert waits.seconds == [pytest.approx(1), pytest.approx(2, abs=1), pytest.approx(2), pytest.approx(30)]

    with FaultServer(reply) as server:
        run = ask(search(server.url, tries=3), {"q1": "x"}, clock=waits.clock)
        assert len(server.asked) == 3
    assert failure(run) == "HTTP 429 after 3 tries"


def a_query_never_changes_the_body(case: Case) -> None:
    """088: the template is JSON, and so a tree of texts with a hole in it."""
    template = json.loads(case.named("template.json").read_text(encoding="utf-8"))
    texts = read(case, "queries.json")
    with FaultServer(lambda _: hits("d1")) as server:
        run = ask(
            {"url": server.url, "body": template, "concurrency": 1}, {f"q{n}": text for n, text in enumerate(texts)}
        )
        assert [asked.json for asked in server.asked] == [
            {"query": {"match": {"title": text}}, "size": template["size"]} for text in texts
        ]
    assert run.failures == {}


def a_window_that_is_too_large_is_an_error(case: Case) -> None:
    """090: the engine's reason is repeated."""
    (one,) = read(case, "exchange.json")
    depth = parse_measure(read(case, "config.json")["measure"]).depth
    assert depth == 20_000
    with FaultServer(lambda _: Reply(one["answer"]["body"], one["answer"]["status"])) as server:
        options = {"url": server.url, "index": "kb", "body": {"query": {"match_all": {}}}}
        run = ask(options, {"q1": "x"}, depth=depth, kind=ElasticsearchOptions)
    case.mentions(failure(run))
    assert one["answer"]["body"]["error"]["reason"] in failure(run)


def a_capped_total_is_no_denominator(case: Case) -> None:
    """092: values come from the judgments; where the total is shown it is a lower bound."""
    with FaultServer(lambda _: Reply(read(case, "response.json"))) as server:
        options = {"url": server.url, "index": "kb", "body": {"query": {"match_all": {}}}}
        run = ask(options, {"q1": "x"}, depth=10, kind=ElasticsearchOptions)
    assert any("at least 10000" in note for note in run.notes)
    for value in case.expected["values"]:
        evaluation = evaluate(run, Qrels.from_dict({"q1": {"d1": 1.0}}), [parse_measure(value["measure"])])
        assert evaluation[value["measure"]].mean == pytest.approx(value["value"], abs=value["tolerance"])


def a_silent_server_does_not_hold_the_suite(case: Case) -> None:
    """116: silence, and a byte a second; the times of the case divided by ten, so that nobody waits."""
    config = read(case, "config.json")
    limit = config["timeout_seconds"] / 10
    for reply in (Silence(), Reply(b'{"hits": []}' + b" " * 500, drip=0.1)):

        def script(asked: Asked, bad: Reply | Silence = reply) -> Reply | Silence:
            return hits("d1") if asked.query == "good" else bad

        with FaultServer(script) as server:
            began = time.monotonic()
            run = ask(search(server.url, timeout=limit, tries=config["retries"] + 1), {"q1": "bad", "q2": "good"})
            assert time.monotonic() - began < case.options["must_end_within_seconds"]
        case.mentions(failure(run))
        assert run.ranking("q2") == ("d1",)


HTTP_CASES: Mapping[str, Callable[[Case], None]] = {
    "080": queries_in_a_url_arrive_verbatim,
    "083": credentials_stay_with_their_service,
    "085": waits_are_kept_and_bounded,
    "088": a_query_never_changes_the_body,
    "090": a_window_that_is_too_large_is_an_error,
    "092": a_capped_total_is_no_denominator,
    "116": a_silent_server_does_not_hold_the_suite,
}


def act_out(case: Case) -> None:
    """Act out a case of area http; a case that nobody wrote down here fails."""
    HTTP_CASES[case.folder.name[:3]](case)


def duplicates_count_once(case: Case) -> None:
    """022: the response of a service holds a document twice."""
    with FaultServer(lambda _: Reply(read(case, "response.json"))) as server:
        run = ask({"url": server.url}, {"q1": "x"}, duplicates="first")
        refused = ask({"url": server.url}, {"q1": "x"})
    case.mentions(" ".join(run.notes))
    assert run.ranking("q1") == ("A",)
    case.mentions(failure(refused))


def fewer_documents_than_the_cutoff_are_noted(case: Case) -> None:
    """063: the service gives ten of fifteen where twenty were asked for."""
    with FaultServer(lambda _: Reply(read(case, "response.json"))) as server:
        run = ask({"url": server.url, "total": "total"}, {"q1": "x"}, depth=20)
    case.mentions(" ".join(run.notes))
