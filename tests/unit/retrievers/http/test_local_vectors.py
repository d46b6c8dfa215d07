"""A query's vector from a model on this machine, put into a search; the model is a stand-in that counts its texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asking import Entry, Waits, failure
from encoder_stand_in import LetterModel, vector_of
from fault_server import FaultServer, hits

from pytest_relevance.errors import RelevanceError, RetrieverError
from pytest_relevance.records import Queries, Query, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.dense import base, library
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.runs import RecordingFolder, retrieve_run
from pytest_relevance.suite import read_suite
from pytest_relevance.suite.scalars import Reference, Text

QUERIES = {"q1": "red hat", "q2": "kettle", "q3": "red hat"}
CLOSED = "http://127.0.0.1:9"
KIND = HttpKind("http", clock=Waits().clock)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LetterModel:
    """A model in the folder `model`, which stands in for what the library would load from there."""
    write_model(tmp_path / "model", "letters")
    stand_in = LetterModel()
    monkeypatch.setattr(library, "find_spec", lambda _: object())
    monkeypatch.setattr(base, "load_model", lambda *_: stand_in)
    return stand_in


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(lambda _: hits("d1")) as running:
        yield running


def write_model(folder: Path, weights: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "weights").write_text(weights, encoding="utf-8")


def options(url: str, **embed: Any) -> dict[str, Any]:
    return {"url": url, "body": {"vector": "{{ vector }}"}, "embed": {"model": "model", **embed}}


def context(folder: Path, recordings: RecordingFolder | None = None) -> RetrieverContext:
    return RetrieverContext(folder, cache=folder / "vectors", recordings=recordings)


def run_of(wanted: Mapping[str, Any], around: RetrieverContext, texts: Mapping[str, str] = QUERIES) -> Run:
    return retrieve_run(KIND(Entry(wanted), around), Queries.from_dict(texts), depth=5, name="live")


def unit(text: str, width: int = 8) -> list[float]:
    vector = vector_of(text)[:width]
    found: list[float] = (vector / np.linalg.norm(vector)).tolist()
    return found


def test_the_vector_goes_into_the_body_and_each_text_is_encoded_once(
    model: LetterModel, server: FaultServer, tmp_path: Path
) -> None:
    run = run_of(options(server.url), context(tmp_path))

    assert run.failures == {}
    sent = sorted(asked.json["vector"] for asked in server.asked)
    assert sent == sorted([unit("query: red hat"), unit("query: kettle"), unit("query: red hat")])
    assert sorted(model.encoded) == ["kettle", "red hat"]
    assert next(note for note in run.notes if "encoded" in note).startswith("live: model; 2 of 2 queries encoded at ")

    again = run_of(options(server.url), context(tmp_path), {**QUERIES, "q4": "hat"})
    assert sorted(model.encoded) == ["hat", "kettle", "red hat"]
    assert any("1 of 3 queries encoded" in note and "the others were stored" in note for note in again.notes)


def test_its_options_are_those_of_the_dense_kind(model: LetterModel, server: FaultServer, tmp_path: Path) -> None:
    run_of(options(server.url, query_prompt="asked: ", truncate_dim=3), context(tmp_path), {"q1": "red"})
    run_of(options(server.url, query_prompt="", normalize=False), context(tmp_path), {"q1": "red"})

    assert [asked.json["vector"] for asked in server.asked] == [unit("asked: red", 3), vector_of("red").tolist()]


def test_a_query_without_a_vector_did_not_run_and_the_others_did(
    model: LetterModel, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def encode(texts: Any, **_: Any) -> Any:
        return [np.full(8, np.nan) if text == "red hat" else vector_of(text) for text in texts]

    monkeypatch.setattr(model, "encode_query", encode)
    run = run_of(options(server.url), context(tmp_path), {"q1": "red hat", "q2": "kettle", "q3": " \t"})

    assert failure(run, "q1") == "no vector: the model gives numbers that are not finite for it"
    assert failure(run, "q3") == "no vector: its text is blank"
    assert run.ranking("q2") == ("d1",)


def record(url: str, folder: Path, **embed: Any) -> Path:
    kept = folder / "recordings"
    assert run_of(options(url, **embed), context(folder, RecordingFolder(kept, "record"))).failures == {}
    return kept


def replayed(folder: Path, **embed: Any) -> Run:
    return run_of(options(CLOSED, **embed), context(folder, RecordingFolder(folder / "recordings", "replay")))


def test_a_replay_loads_no_model_and_needs_no_library(
    model: LetterModel, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(server.url, tmp_path)
    monkeypatch.setattr(library, "find_spec", lambda _: None)
    monkeypatch.setattr(base, "load_model", lambda *_: pytest.fail("a model was loaded"))

    run = replayed(tmp_path)
    assert run.ranking("q1") == ("d1",)
    assert not any("encoded" in note for note in run.notes)


def test_resuming_encodes_only_what_is_asked(model: LetterModel, server: FaultServer, tmp_path: Path) -> None:
    kept = tmp_path / "recordings"
    for mode, texts in (("record", {"q2": "kettle"}), ("resume", QUERIES)):
        around = RetrieverContext(tmp_path, recordings=RecordingFolder(kept, mode))  # type: ignore[arg-type] # a Mode
        run_of(options(server.url), around, texts)

    assert model.encoded == ["kettle", "red hat"]


@pytest.mark.parametrize("changed", [{"query_prompt": ""}, {"truncate_dim": 3}, {"normalize": False}])
def test_what_decides_a_vector_decides_whether_a_recording_answers(
    model: LetterModel, server: FaultServer, tmp_path: Path, changed: Mapping[str, Any]
) -> None:
    record(server.url, tmp_path)

    assert replayed(tmp_path, batch_size=1, device="cuda").failures == {}
    assert "the request has changed" in failure(replayed(tmp_path, **changed), "q2")


def test_other_weights_under_the_same_name_are_another_model(
    model: LetterModel, server: FaultServer, tmp_path: Path
) -> None:
    record(server.url, tmp_path)
    entry, around = Entry(options(CLOSED)), context(tmp_path)
    before = KIND.fingerprint(entry, around)
    assert KIND.fingerprint(Entry(options(CLOSED, batch_size=1)), around) == before

    write_model(tmp_path / "model", "other letters")
    assert KIND.fingerprint(entry, around) != before
    assert "the request has changed" in failure(replayed(tmp_path), "q2")


def test_a_models_place_does_not_matter_to_a_replay_and_a_hubs_name_and_revision_do(
    model: LetterModel, server: FaultServer, tmp_path: Path
) -> None:
    write_model(tmp_path / "elsewhere", "letters")
    record(server.url, tmp_path)

    assert replayed(tmp_path, model="./elsewhere").failures == {}
    hub = [KIND.fingerprint(Entry(options(CLOSED, **one)), context(tmp_path)) for one in HUBS]
    assert len(set(hub)) == 3


HUBS = ({"model": "owner/one"}, {"model": "owner/two"}, {"model": "owner/one", "revision": "v2"})


def test_a_dry_run_counts_the_searches_and_loads_nothing(model: LetterModel, tmp_path: Path) -> None:
    queries = [Query(query_id, text) for query_id, text in QUERIES.items()]
    (planned,) = KIND(Entry(options(CLOSED)), context(tmp_path)).plan(queries, depth=5)

    assert (planned.service, planned.requests) == (CLOSED, 3)
    assert model.encoded == []


def test_a_missing_library_or_model_is_told_before_anything_is_asked(
    model: LetterModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no model folder './none'" in refused(tmp_path, "embed: {model: ./none}")
    monkeypatch.setattr(library, "find_spec", lambda _: None)
    told = refused(tmp_path, "embed: {model: model}")
    assert "live.relevance.yaml:3:3: retriever 'live' needs the package 'sentence_transformers'" in told
    assert "fix: pip install 'pytest-relevance[dense]'" in told


@pytest.mark.parametrize(
    ("embed", "told"),
    [
        ("{model: model, fields: [title]}", "'fields' is of documents and of the search among them"),
        ("{model: model, index: hnsw}", "'index' is of documents"),
        ("{model: model, input: x}", "unknown key 'input' in retrievers.live.embed"),
        ("{url: 'http://h/', truncate_dim: 3}", "unknown key 'truncate_dim' in retrievers.live.embed"),
        ("{query_prompt: x}", "retrievers.live.embed has no model"),
        ("model", "retrievers.live.embed needs keys and values"),
        ("{model: model, truncate_dim: 9}", ""),
    ],
)
def test_what_does_not_fit_is_told_at_its_place(model: LetterModel, tmp_path: Path, embed: str, told: str) -> None:
    if told:
        assert told in refused(tmp_path, f"embed: {embed}")
    else:
        with pytest.raises(RetrieverError, match="truncate_dim 9 is more than the 8 numbers of its vectors"):
            run_of(options(CLOSED, truncate_dim=9), context(tmp_path))


def refused(folder: Path, more: str) -> str:
    path = folder / "live.relevance.yaml"
    path.write_text(
        "queries: [{query_id: q1, text: red, relevant: {d1: 1}}]\nretrievers:\n  live: {type: http, url: 'http://h/', "
        f"{more}}}\nchecks: [{{measure: nDCG@10, of: live, at_least: 0.5}}]\n",
        encoding="utf-8",
    )
    with pytest.raises(RelevanceError) as caught:
        build(read_suite(path).retrievers["live"], context(folder))
    return str(caught.value)


def test_what_comes_from_the_environment_is_in_no_error(model: LetterModel, tmp_path: Path) -> None:
    name = Text("/srv/planted/model", references=(Reference("MODEL", "/srv/planted/model"),))

    with pytest.raises(RetrieverError) as caught:
        KIND(Entry(options(CLOSED, model=name)), context(tmp_path))
    assert "planted" not in f"{caught.value}{caught.value.fix}"
    assert "there is no model folder '***'" in str(caught.value)


def test_a_recording_holds_no_vector(model: LetterModel, server: FaultServer, tmp_path: Path) -> None:
    (file,) = record(server.url, tmp_path).glob("*.jsonl")

    assert all("vector" not in json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
