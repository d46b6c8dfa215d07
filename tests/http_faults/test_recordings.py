"""Recordings: what was answered is replayed without a network, nothing else is, and no kill loses any of it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest
from asking import ask, failure, retriever, search
from fault_server import Asked, FaultServer, Reply, hits

from pytest_relevance.records import Query, Run
from pytest_relevance.retrievers import RecordedAnswer
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.runs import RecordingFolder, drift
from pytest_relevance.suite.scalars import Reference, Text

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {"q1": "red shoes", "q2": "blue", "q3": "zzxqy"}


def answer(asked: Asked) -> Reply:
    if asked.query == "zzxqy":
        return hits(total=0)
    return Reply({"hits": [{"id": f"{asked.query} {place}", "score": 2.5 - place, "title": "é"} for place in (1, 2)]})


def options(url: str = "http://127.0.0.1:9", **more: Any) -> dict[str, Any]:
    """Options of a search; the default address is one where nobody answers."""
    return search(url, fields=("title",), **more)


def record(folder: Path, texts: dict[str, str] = TEXTS, **more: Any) -> Run:
    with FaultServer(answer) as server:
        return ask(options(server.url, **more), texts, recordings=RecordingFolder(folder, "record"))


def replay(folder: Path, texts: dict[str, str] = TEXTS, **more: Any) -> Run:
    return ask(options(**more), texts, recordings=RecordingFolder(folder, "replay"))


def test_a_replay_gives_the_run_that_was_recorded_without_a_network(tmp_path: Path) -> None:
    recorded, replayed = record(tmp_path), replay(tmp_path)

    assert replayed.failures == recorded.failures == {}
    assert replayed.query_ids == ("q1", "q2", "q3")
    assert [replayed.ranking(query_id) for query_id in TEXTS] == [recorded.ranking(query_id) for query_id in TEXTS]
    assert list(replayed.scores) == list(recorded.scores) == [1.5, 0.5, 1.5, 0.5]
    assert replayed.fields == recorded.fields


def test_a_file_is_one_line_an_answer_in_the_order_of_the_queries(tmp_path: Path) -> None:
    record(tmp_path / "recordings", dict(reversed(TEXTS.items())))

    (file,) = (tmp_path / "recordings").iterdir()
    assert file.name == "live.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["query_id"] for line in lines] == ["q1", "q2", "q3"]
    assert lines[0]["hits"] == [["red shoes 1", 1.5, {"title": "é"}], ["red shoes 2", 0.5, {"title": "é"}]]
    assert set(lines[0]) == {"query_id", "request", "hits", "time"}
    assert lines[0]["time"] == "1970-01-12T13:46:40+00:00"


def test_recording_again_leaves_a_file_as_it_is_where_answers_are_the_same(tmp_path: Path) -> None:
    record(tmp_path)
    before = (tmp_path / "live.jsonl").read_bytes()
    stored = [json.loads(line) for line in before.splitlines()]
    for line in stored:
        line["time"] = "1999-01-01T00:00:00+00:00"
    old = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in stored)
    (tmp_path / "live.jsonl").write_text(old, encoding="utf-8")

    record(tmp_path)
    assert (tmp_path / "live.jsonl").read_text(encoding="utf-8") == old


def test_a_query_that_was_never_recorded_fails_by_name(tmp_path: Path) -> None:
    record(tmp_path)

    run = replay(tmp_path, {"q1": "red shoes", "q9": "green"})
    assert run.ranking("q1")
    assert failure(run, "q9").startswith("not in the recordings of live: it was never recorded")


def test_a_changed_request_is_not_answered_with_another_requests_answer(tmp_path: Path) -> None:
    record(tmp_path)

    assert "the request has changed" in failure(replay(tmp_path, {"q1": "red shoe"}))
    assert "the request has changed" in failure(replay(tmp_path, params={"q": "{{ query.text }}", "fuzzy": "1"}))
    assert "the request has changed" in failure(replay(tmp_path, id="title"))


def test_how_a_service_is_reached_does_not_matter_to_a_replay(tmp_path: Path) -> None:
    record(tmp_path, headers={"X-Api-Key": "one"}, concurrency=2)

    run = replay(tmp_path, headers={"X-Api-Key": "two"}, tries=1, timeout=1, rate=5)
    assert run.failures == {}


def index(name: str, variable: str) -> dict[str, Any]:
    return {"q": "{{ query.text }}", "in": Text(name, references=(Reference(variable, name),))}


def test_an_index_from_the_environment_matters_to_a_replay_and_a_token_does_not(tmp_path: Path) -> None:
    record(tmp_path, params=index("shoes-1", "INDEX"))
    assert failure(replay(tmp_path, params=index("shoes-2", "INDEX")))

    record(tmp_path, params=index("secret-1", "MY_TOKEN"))
    assert replay(tmp_path, params=index("secret-2", "MY_TOKEN")).failures == {}
    assert "secret-1" not in (tmp_path / "live.jsonl").read_text(encoding="utf-8")


def test_a_query_that_did_not_run_is_not_recorded(tmp_path: Path) -> None:
    with FaultServer(lambda asked: Reply(status=400) if asked.query == "blue" else answer(asked)) as server:
        ask(options(server.url), TEXTS, recordings=RecordingFolder(tmp_path, "record"))

    assert "never recorded" in failure(replay(tmp_path), "q2")


def test_recordings_that_nobody_asked_for_are_listed_and_can_be_dropped(tmp_path: Path) -> None:
    record(tmp_path)
    recordings = RecordingFolder(tmp_path, "replay")
    assert recordings.unused() == {}
    ask(options(), {"q2": "blue"}, recordings=recordings)

    assert recordings.unused() == {"live": ("q1", "q3")}
    assert recordings.drop_unused("live") == 2
    assert RecordingFolder(tmp_path, "replay").answers("live")[0].query_id == "q2"


def test_what_other_processes_asked_for_is_not_unused(tmp_path: Path) -> None:
    record(tmp_path)
    here, there = RecordingFolder(tmp_path, "replay"), RecordingFolder(tmp_path, "replay")
    ask(options(), {"q2": "blue"}, recordings=here)
    ask(options(), {"q1": "red shoes"}, recordings=there)

    assert here.unused(json.loads(json.dumps(there.asked()))) == {"live": ("q3",)}


def test_an_interrupt_loses_nothing_and_leaves_no_journal(tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    handed_over = []
    with FaultServer(answer) as server, suppress(KeyboardInterrupt):
        queries = [Query(f"q{number:02}", f"text {number}") for number in range(40)]
        with retriever(options(server.url), recordings=RecordingFolder(folder, "record")) as asking:
            for ranked in asking.retrieve(queries, depth=10):
                handed_over.append(ranked.query_id)
                if len(handed_over) == 9:
                    raise KeyboardInterrupt

    assert [path.name for path in folder.iterdir()] == ["live.jsonl"]
    recorded = {one.query_id for one in RecordingFolder(folder, "replay").answers("live")}
    assert set(handed_over) <= recorded


def test_resuming_asks_only_what_is_not_there(tmp_path: Path) -> None:
    record(tmp_path, {"q1": "red shoes"})
    with FaultServer(answer) as server:
        run = ask(options(server.url), TEXTS, recordings=RecordingFolder(tmp_path, "resume"))

        assert sorted(asked.query for asked in server.asked) == ["blue", "zzxqy"]
    assert run.failures == {}
    assert len(RecordingFolder(tmp_path, "replay").answers("live")) == 3


def test_a_replayed_vector_search_does_not_ask_for_vectors(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return Reply({"data": [{"embedding": [1.0]}]}) if asked.path == "/v1" else hits("d1")

    def vector_search(url: str, model: str = "e5") -> dict[str, Any]:
        return {"url": url, "body": {"v": "{{ vector }}"}, "embed": {"url": f"{url}/v1", "model": model}}

    with FaultServer(script) as server:
        ask(vector_search(server.url), {"q1": "x"}, recordings=RecordingFolder(tmp_path, "record"))
    closed = "http://127.0.0.1:9"
    recordings = RecordingFolder(tmp_path, "replay")

    assert ask(vector_search(closed), {"q1": "x"}, recordings=recordings).ranking("q1") == ("d1",)
    assert failure(ask(vector_search(closed, "other model"), {"q1": "x"}, recordings=recordings))


def recorded_rankings(folder: Path, rankings: dict[str, list[str]], **more: Any) -> tuple[RecordedAnswer, ...]:
    with FaultServer(lambda asked: hits(*rankings[asked.query])) as server:
        texts = {query_id: query_id for query_id in rankings}
        ask(search(server.url, **more), texts, recordings=RecordingFolder(folder, "record"))
    return RecordingFolder(folder, "replay").answers("live")


def test_drift_is_told_request_by_request(tmp_path: Path) -> None:
    before = {"q1": ["a", "b", "c"], "q2": ["a", "b"], "q3": ["a"], "q4": ["a"]}
    after = {"q1": ["a", "x", "b"], "q2": ["b", "a"], "q3": ["a"], "q5": ["a"]}
    recorded = recorded_rankings(tmp_path / "then", before)
    found = drift("live", recorded, recorded_rankings(tmp_path / "now", after), {"q4": "HTTP 500", "q6": "HTTP 500"})

    assert [(one.query_id, one.first_rank, one.entered, one.left) for one in found.moved] == [
        ("q1", 2, ("x",), ("c",)),
        ("q2", 1, (), ()),
    ]
    assert (found.same, found.compared, found.failed, found.unrecorded) == (1, 3, {"q4": "HTTP 500"}, ("q5",))
    assert not found.is_none
    assert drift("live", recorded, recorded).is_none
    assert drift("live", recorded, recorded).likeness == 1.0


def test_an_answer_of_another_request_is_not_compared(tmp_path: Path) -> None:
    recorded = recorded_rankings(tmp_path / "then", {"q1": ["a"], "q2": ["a"]})
    now = recorded_rankings(tmp_path / "now", {"q1": ["b"]}, params={"q": "{{ query.text }}", "fuzzy": "1"})

    found = drift("live", recorded, now)
    assert (found.compared, found.other_requests, found.unasked) == (0, ("q1",), ("q2",))


class Recorder:
    """The process that forks recording processes."""

    def __init__(self) -> None:
        helpers = ROOT / "tests" / "helpers"
        path = os.pathsep.join((str(ROOT), str(helpers)))
        self._process = subprocess.Popen(
            [sys.executable, str(helpers / "recording_child.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.pid = 0
        self.known = threading.Event()

    @property
    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def run(self, url: str, folder: Path, queries: dict[str, str], out: Path, mode: str = "resume") -> int:
        """Record in a child; its exit code, -9 where it was killed."""
        task = {"url": url, "folder": str(folder), "queries": queries, "out": str(out), "mode": mode}
        into, answers = self._pipes
        self.known.clear()
        into.write(json.dumps(task) + "\n")
        into.flush()
        self.pid = int(answers.readline())
        self.known.set()
        return int(answers.readline())

    def kill(self) -> None:
        assert self.known.wait(10)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        self._process.wait(10)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    process = Recorder()
    yield process
    process.close()


KILLS = 50
QUERIES = {f"q{number:02}": f"text {number}" for number in range(40)}


def test_a_kill_at_any_point_loses_no_answered_query_and_records_none_twice(tmp_path: Path, recorder: Recorder) -> None:
    chance = random.Random(7)
    asked: Counter[str] = Counter()
    until_kill = [10_000]

    def script(one: Asked) -> Reply:
        asked[one.query] += 1
        until_kill[0] -= 1
        if until_kill[0] == 0:
            threading.Timer(chance.random() * 0.004, recorder.kill).start()  # anywhere up to the next few answers
        return hits(one.query, "other")

    with FaultServer(script) as server:
        assert recorder.run(server.url, tmp_path / "whole", QUERIES, tmp_path / "out", "record") == 0
        whole = (tmp_path / "whole" / "live.jsonl").read_bytes()
        killed = 0
        for round_number in range(1000):
            folder, out = tmp_path / f"killed{round_number}", tmp_path / f"out{round_number}"
            while True:
                asked.clear()
                handed_over = set(out.read_text().split()) if out.exists() else set()
                until_kill[0] = chance.randint(1, 14) if killed < KILLS else 10_000
                code = recorder.run(server.url, folder, QUERIES, out)
                assert not {QUERIES[query_id] for query_id in handed_over} & set(asked), "an answered query was lost"
                if code == 0:
                    break
                assert code == -signal.SIGKILL
                killed += 1
            assert [path.name for path in folder.iterdir()] == ["live.jsonl"]
            assert (folder / "live.jsonl").read_bytes() == whole
            if killed >= KILLS:
                break
    assert killed >= KILLS


def test_many_processes_record_into_one_folder(tmp_path: Path) -> None:
    recorders = [Recorder() for _ in range(2)]
    halves = [dict(list(QUERIES.items())[:25]), dict(list(QUERIES.items())[15:])]
    with FaultServer(lambda asked: hits(asked.query)) as server:
        threads = [
            threading.Thread(
                target=recorder.run, args=(server.url, tmp_path / "shared", part, tmp_path / "out", "record")
            )
            for recorder, part in zip(recorders, halves, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    for recorder in recorders:
        recorder.close()

    assert [path.name for path in (tmp_path / "shared").iterdir()] == ["live.jsonl"]
    answers = RecordingFolder(tmp_path / "shared", "replay").answers("live")
    assert [one.query_id for one in answers] == list(QUERIES)


def test_the_options_a_key_leaves_out_are_those_that_are_hashed_otherwise_or_do_not_matter() -> None:
    from pytest_relevance.retrievers.http import keys

    assert set(HttpOptions.model_fields) >= keys._HOW
