from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retriever_stand_ins import corpus_context, entry, retrieve
from tiny_models import TinyModels, change, loaded

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.records import Run
from pytest_relevance.retrievers import WARNINGS, RetrieverContext, build, fingerprint

DOCS = {"d1": "red shoe", "d2": "green hat very long feather", "d3": "blue kettle", "d4": "", "d5": "red hat"}
QUERIES = {"q1": "red hat", "q2": "kettle", "q3": " "}


NO_OPTIMUM = pytest.mark.skipif(find_spec("optimum") is not None, reason="here other backends are installed")


def run_of(
    model: str, cache: Path | None = None, docs: Mapping[str, str] = DOCS, depth: int = 10, **options: Any
) -> Run:
    return retrieve(entry("dense", {"model": model, **options}), QUERIES, corpus_context(docs, cache), depth=depth)


def test_scores_are_those_of_the_library(tiny: TinyModels) -> None:
    model = loaded(tiny.dense())
    texts = [text for text in DOCS.values() if text]
    expected = model.similarity(model.encode_query(["red hat"]), model.encode_document(texts))[0].tolist()

    run = run_of(tiny.dense())

    assert run.to_dict()["q1"] == pytest.approx(dict(zip(["d1", "d2", "d3", "d5"], expected, strict=True)), abs=1e-6)


def test_a_query_of_blanks_and_a_document_without_text_are_never_answered_and_never_found(tiny: TinyModels) -> None:
    run = run_of(tiny.dense())

    assert run.ranking("q3") == ()
    assert "d4" not in run.ranking("q1")
    assert not run.failures
    assert "tried: 1 documents have no text and are never found" in run.notes


def test_equal_texts_have_equal_scores_and_the_later_doc_id_first(tiny: TinyModels) -> None:
    docs = {f"d{number}": "red hat" for number in (3, 9, 1, 7)} | {"other": "kettle"}

    run = run_of(tiny.dense(), docs=docs, depth=2)

    assert run.ranking("q1") == ("d9", "d7")


@pytest.mark.parametrize("docs", [{}, {"d1": ""}, {"d1": "red"}])
def test_small_corpora_are_no_trouble(docs: Mapping[str, str], tiny: TinyModels, cache: Path) -> None:
    assert len(run_of(tiny.dense(), cache, docs).ranking("q1")) == sum(map(bool, docs.values()))


def test_a_second_run_encodes_nothing_and_one_changed_document_alone(
    tiny: TinyModels, cache: Path, counted: list[str]
) -> None:
    first = run_of(tiny.dense(), cache)
    assert sorted(counted) == sorted(["red shoe", DOCS["d2"], "blue kettle", "red hat", "red hat", "kettle"])
    counted.clear()

    second = run_of(tiny.dense(), cache)
    assert counted == []
    assert second.to_dict() == first.to_dict()
    assert (second.provenance["encoded_documents"], second.provenance["encoded_queries"]) == (0, 0)

    run_of(tiny.dense(), cache, DOCS | {"d3": "green kettle"})
    assert counted == ["green kettle"]


@pytest.mark.parametrize(
    "change", [{"query_prompt": "query : "}, {"max_tokens": 8}, {"truncate_dim": 4}, {"store": "float16"}]
)
def test_what_decides_the_numbers_is_told_apart_in_the_store(
    change: Mapping[str, Any], tiny: TinyModels, cache: Path, counted: list[str]
) -> None:
    run_of(tiny.dense(), cache)
    counted.clear()

    run_of(tiny.dense(), cache, **change)

    assert counted == ["red hat", "kettle"] if "query_prompt" in change else len(counted) == 6


@pytest.mark.parametrize("change", [{"batch_size": 1}, {"device": "cpu"}])
def test_how_fast_it_is_run_is_not(
    change: Mapping[str, Any], tiny: TinyModels, cache: Path, counted: list[str]
) -> None:
    run_of(tiny.dense(), cache)
    counted.clear()

    run_of(tiny.dense(), cache, **change)

    assert counted == []


def test_prompts_are_the_models_own_unless_the_suite_says_otherwise(tiny: TinyModels) -> None:
    with_own = tiny.dense(prompts={"query": "query : ", "passage": "passage : "})
    plain = run_of(tiny.dense()).to_dict()["q1"]
    own = run_of(with_own).to_dict()["q1"]

    assert own != pytest.approx(plain)
    assert run_of(tiny.dense(), query_prompt="query : ", document_prompt="passage : ").to_dict()["q1"] == pytest.approx(
        own, abs=1e-6
    )
    assert run_of(with_own, query_prompt="", document_prompt="").to_dict()["q1"] == pytest.approx(plain, abs=1e-6)


def test_the_token_limit_counts_instructions_and_special_tokens(tiny: TinyModels) -> None:
    docs = {"short": "a b c", "long": "a b c d"}  # 5 and 6 tokens with [CLS] and [SEP]; 2 more with "passage :"

    assert run_of(tiny.dense(), docs=docs, max_tokens=5).provenance["documents_cut_share"] == 0.5
    assert run_of(tiny.dense(), docs=docs, max_tokens=6).provenance["documents_cut_share"] == 0.0
    run = run_of(tiny.dense(), docs=docs, max_tokens=6, document_prompt="passage : ")
    assert run.provenance["documents_cut_share"] == 1.0
    assert "tried: 100.0% of the documents are longer than 6 tokens and cut" in run.notes


def test_the_share_of_cut_documents_is_known_without_encoding_again(tiny: TinyModels, cache: Path) -> None:
    runs = [run_of(tiny.dense(), cache, max_tokens=4) for _ in range(2)]

    assert runs[1].provenance["encoded_documents"] == 0
    assert runs[1].provenance["documents_cut_share"] == runs[0].provenance["documents_cut_share"] == 0.25


def test_the_usual_limit_is_512_tokens_or_the_models_own(tiny: TinyModels) -> None:
    assert run_of(tiny.dense(positions=64)).provenance["max_tokens"] == 64
    assert run_of(tiny.dense(positions=600)).provenance["max_tokens"] == 512
    with pytest.raises(RetrieverError, match="max_tokens 65 is more than the 64"):
        run_of(tiny.dense(positions=64), max_tokens=65)


@pytest.mark.parametrize("text", ["red hat " * 1_250_000, "é" * 10_000_000])
def test_a_text_of_ten_megabytes_has_the_vector_of_its_beginning(text: str, tiny: TinyModels) -> None:
    run = run_of(tiny.dense(), docs={"long": text, "begin": text.strip()[:4000]})

    scores = run.to_dict()["q1"]
    assert scores["long"] == pytest.approx(scores["begin"], abs=1e-6)


def test_float16_halves_the_store_and_keeps_the_scores_within_a_thousandth(tiny: TinyModels) -> None:
    assert run_of(tiny.dense(), store="float16").to_dict()["q1"] == pytest.approx(
        run_of(tiny.dense()).to_dict()["q1"], abs=1e-3
    )


def test_a_batch_that_does_not_fit_in_memory_is_halved_until_it_does(
    tiny: TinyModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = only_so_many_at_once(monkeypatch, 1)

    run = run_of(tiny.dense(), batch_size=4)

    assert sizes[:3] == [4, 2, 1]
    assert len(run.ranking("q1")) == 4
    assert "tried: memory was short; batches of 1 fitted" in run.notes


def test_one_text_that_does_not_fit_is_an_error(tiny: TinyModels, monkeypatch: pytest.MonkeyPatch) -> None:
    only_so_many_at_once(monkeypatch, 0)

    with pytest.raises(RetrieverError, match="one text at a time is too much") as caught:
        run_of(tiny.dense())

    assert caught.value.place is not None


def only_so_many_at_once(monkeypatch: pytest.MonkeyPatch, most: int) -> list[int]:
    """Let the library run out of memory above a batch size; gives the sizes it was asked for."""
    sizes: list[int] = []
    kind = import_module("sentence_transformers").SentenceTransformer
    real = kind.encode_document

    def encode(self: Any, texts: Any, *, batch_size: int, **more: Any) -> Any:
        sizes.append(batch_size)
        if batch_size > most:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
        return real(self, texts, batch_size=batch_size, **more)

    monkeypatch.setattr(kind, "encode_document", encode)
    return sizes


def test_numbers_that_are_not_finite_stop_the_retriever_and_name_the_document(
    tiny: TinyModels, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    spoil(monkeypatch, "encode_document", "blue kettle")

    with pytest.raises(RetrieverError, match="not finite for 1 of 5 documents: 'd3'") as caught:
        run_of(tiny.dense(), cache)

    assert caught.value.place is not None


def test_numbers_that_are_not_finite_fail_a_query_and_the_others_go_on(
    tiny: TinyModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, "encode_query", "kettle")

    run = run_of(tiny.dense())

    assert run.failures == {"q2": "the model gives numbers that are not finite for it"}
    assert len(run.ranking("q1")) == 4


def spoil(monkeypatch: pytest.MonkeyPatch, function: str, text: str) -> None:
    """Let the library give NaN for one text."""
    kind = import_module("sentence_transformers").SentenceTransformer
    real = getattr(kind, function)

    def encode(self: Any, texts: Any, **more: Any) -> Any:
        vectors = real(self, texts, **more)
        vectors[[place for place, one in enumerate(texts) if one == text], 3] = np.nan
        return vectors

    monkeypatch.setattr(kind, function, encode)


def test_a_dimension_that_changed_under_the_store_is_an_error_at_the_retrievers_place(
    tiny: TinyModels, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_of(tiny.dense(width=16), cache)
    same = "pytest_relevance.retrievers.dense.reference.hash_of_files"
    monkeypatch.setattr(same, lambda *_: "the same")
    run_of(tiny.dense(width=16), cache)

    with pytest.raises(RetrieverError, match="have 16 numbers, and the model now gives 8") as caught:
        run_of(tiny.dense(width=8), cache)

    assert caught.value.place is not None


def test_the_fingerprint_follows_model_options_and_text_and_not_speed(tiny: TinyModels) -> None:
    def printed(docs: Mapping[str, str] = DOCS, **options: object) -> str | None:
        config = entry("dense", {"model": tiny.dense(), **options})
        return fingerprint({"tried": config}, "tried", corpus_context(docs))

    assert printed() == printed(batch_size=7) == printed(device="cpu")
    others = {printed(), printed({"d1": "x"}), printed(max_tokens=9), printed(model=tiny.dense(width=8))}
    assert len(others) == 4


def test_provenance_tells_what_a_reader_must_know_to_make_it_again(tiny: TinyModels) -> None:
    provenance = run_of(tiny.dense()).provenance

    assert {"model", "identity", "parameters", "device", "versions", "max_tokens", "similarity", "normalize"} <= set(
        provenance
    )
    assert provenance["parameters"] == sum(one.numel() for one in loaded(tiny.dense()).parameters())


def test_nothing_is_printed_logged_or_warned(
    tiny: TinyModels, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    tiny.dense()
    capfd.readouterr()
    with caplog.at_level(logging.DEBUG, "sentence_transformers"):
        run_of(tiny.dense())

    assert capfd.readouterr() == ("", "")


def test_progress_is_told_after_every_eight_batches_and_begins_with_what_is_stored(
    tiny: TinyModels, cache: Path
) -> None:
    docs = {f"d{number}": f"red {number}" for number in range(20)}
    told: list[tuple[str, int, int, str]] = []
    context = replace(corpus_context(docs, cache), progress=lambda *what: told.append(what))
    asked = entry("dense", {"model": tiny.dense(), "batch_size": 1})

    retrieve(asked, QUERIES, corpus_context(dict(list(docs.items())[:2]), cache))
    retrieve(asked, QUERIES, context)

    assert told == [("tried", done, 20, "texts") for done in (2, 10, 18, 20)]


def test_a_cache_that_cannot_be_written_is_told_and_changes_nothing(tiny: TinyModels, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    run = run_of(tiny.dense(), tmp_path / "file")

    assert len(run.ranking("q1")) == 4
    assert any("nothing is kept, as the cache cannot be used" in note for note in run.notes)


def test_a_full_disk_is_an_error_with_a_fix(tiny: TinyModels, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_relevance.retrievers.dense.store._write_at", full)

    with pytest.raises(RetrieverError, match="No space left on device") as caught:
        run_of(tiny.dense(), cache)

    assert caught.value.fix == "make room there, or name another folder for the cache"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "./nowhere"}, "there is no model folder './nowhere'"),
        ({"model": "package:nowhere"}, "the package 'nowhere', which is not installed"),
        ({"model": "package:json"}, "no model in the package 'json'"),
        ({"model": "nobody/nothing"}, "is not in the local cache, and the hub cannot be reached"),
        ({"model": "nobody/nothing", "revision": "v9"}, "not in the local cache at revision 'v9'"),
        ({"model": "TINY", "revision": "v9"}, "the revision 'v9' of a model that is a folder"),
        ({"model": "TINY", "truncate_dim": 17}, "truncate_dim 17 is more than the 16"),
        pytest.param({"model": "TINY", "backend": "onnx"}, "the backend 'onnx' is not installed", marks=NO_OPTIMUM),
        pytest.param(
            {"model": "TINY", "backend": "openvino"}, "the backend 'openvino' is not installed", marks=NO_OPTIMUM
        ),
    ],
)
def test_a_model_that_cannot_be_had_is_an_error_at_its_place(
    options: Mapping[str, str], said: str, tiny: TinyModels
) -> None:
    named = {key: tiny.dense() if value == "TINY" else value for key, value in options.items()}

    with pytest.raises(RetrieverError, match=said.replace(".", r"\.")) as caught:
        retrieve(entry("dense", named), QUERIES, corpus_context(DOCS))

    assert caught.value.place is not None
    assert caught.value.fix


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": "m", "modle": "m"},
        {"model": "m", "similarity": "manhattan", "index": "ivf"},
        {"model": "m", "lists": 3},
        {"model": "m", "rescore": 2},
        {"model": "m", "batch_size": 0},
        {"model": "m", "dtype": "int8"},
    ],
)
def test_options_that_do_not_fit_are_errors(options: Mapping[str, object]) -> None:
    with pytest.raises(SuiteError):
        build(entry("dense", options), corpus_context(DOCS))


def test_a_field_that_no_document_has_is_named(tiny: TinyModels) -> None:
    with pytest.raises(SuiteError, match="no document has the field 'txet'"):
        build(entry("dense", {"model": tiny.dense(), "fields": ["txet"]}), corpus_context(DOCS))


def test_a_suite_without_a_corpus_is_told_so(tiny: TinyModels) -> None:
    with pytest.raises(RetrieverError, match="this suite names none"):
        build(entry("dense", {"model": tiny.dense()}), RetrieverContext(Path()))


def test_a_missing_library_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_relevance.retrievers.dense.library.find_spec", lambda _: None)

    with pytest.raises(RetrieverError, match="sentence_transformers") as caught:
        build(entry("dense", {"model": "m"}), corpus_context(DOCS))

    assert caught.value.place is not None


def test_a_model_of_the_hub_is_taken_at_the_commit_that_is_cached(
    tiny: TinyModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    commit = "0123456789" * 4
    repository = tmp_path / "hub" / "models--acme--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(commit)
    import_module("shutil").copytree(tiny.dense(), repository / "snapshots" / commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    run = run_of("acme/tiny", cache)

    assert run.provenance["revision"] == commit
    assert run.to_dict() == run_of(tiny.dense()).to_dict()
    assert any(f"acme/tiny@{commit[:12]}" in note for note in run.notes)


def test_python_that_comes_with_a_model_is_not_run_unless_the_suite_says_so(tiny: TinyModels, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    import_module("shutil").copytree(tiny.dense(), folder)
    (folder / "own.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\nclass OwnConfig: pass\nclass OwnModel: pass\n"
    )
    change(str(folder), "config.json", model_type="own", auto_map={"AutoConfig": "own.OwnConfig"})

    with pytest.raises(RetrieverError, match="it runs Python of its own, which is off unless allowed"):
        run_of(str(folder))

    assert not (tmp_path / "ran").exists()


def test_a_suite_that_allows_it_is_warned_at_the_end_of_every_session(tiny: TinyModels) -> None:
    warning = "tried: trust_remote_code is on, so Python that came with the model was run"

    run = run_of(tiny.dense(), trust_remote_code=True)

    assert run.provenance[WARNINGS] == [warning]
    assert warning in run.notes
    assert run_of(tiny.dense()).provenance[WARNINGS] == []


def test_several_devices_encode_in_processes_of_their_own(tiny: TinyModels) -> None:
    assert run_of(tiny.dense(), device=["cpu", "cpu"]).to_dict()["q1"] == pytest.approx(
        run_of(tiny.dense()).to_dict()["q1"], abs=1e-6
    )


def test_an_index_tells_its_recall(tiny: TinyModels, cache: Path) -> None:
    docs = {
        f"d{number}": f"{'red' if number % 2 else 'hat'} {'a b c d e f g h'[: number % 16]}" for number in range(80)
    }

    run = run_of(tiny.dense(), cache, docs, index="int8")

    assert "tried: index int8 finds " in str(run.provenance[WARNINGS])
    assert 0.0 <= float(str(run.provenance["index_recall"])) <= 1.0


def test_importing_the_kind_imports_no_model_library() -> None:
    program = (
        "import sys; sys.path.insert(0, '.'); import pytest_relevance.retrievers.dense.retriever, "
        "pytest_relevance.retrievers.sparse, pytest_relevance.retrievers.late, pytest_relevance.retrievers.rerank; "
        "print([name for name in ('torch', 'faiss', 'sentence_transformers', 'scipy') if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[4]
    done = import_module("subprocess").run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
