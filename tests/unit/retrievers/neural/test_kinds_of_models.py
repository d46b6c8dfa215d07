from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retriever_stand_ins import corpus_context, entry, retrieve
from tiny_models import TinyModels, loaded

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.records import Query, Run
from pytest_relevance.retrievers import build, depends_on, depths
from pytest_relevance.retrievers.dense.encoder import Role
from pytest_relevance.retrievers.dense.library import quiet
from pytest_relevance.retrievers.rerank import PairScorer, pair_of, parts_of

DOCS = {"d1": "red shoe", "d2": "green hat very long feather", "d3": "blue kettle", "d4": "", "d5": "red hat"}
TEXTS = {doc_id: text for doc_id, text in DOCS.items() if text}
QUERIES = {"q1": "red hat", "q2": "kettle", "q3": " "}


@pytest.mark.parametrize("kind", ["sparse", "late"])
def test_scores_are_those_of_the_library(kind: str, tiny: TinyModels, cache: Path) -> None:
    name = {"sparse": tiny.sparse, "late": tiny.late}[kind]()
    model = loaded(name, {"sparse": "SparseEncoder", "late": "MultiVectorEncoder"}[kind])
    with quiet():
        asked, given = model.encode_query(list(QUERIES.values())[:2]), model.encode_document([*TEXTS.values()])
        scores = model.similarity(asked, given)
    context = corpus_context(DOCS, cache)

    runs = [retrieve(entry(kind, {"model": name}), QUERIES, context) for _ in range(2)]

    for row, query_id in enumerate(("q1", "q2")):
        expected = dict(zip(TEXTS, scores.to_dense()[row].tolist(), strict=True))
        assert runs[0].to_dict()[query_id] == pytest.approx(expected, rel=1e-5)
    assert runs[1].to_dict() == runs[0].to_dict()
    assert [run.provenance["encoded_documents"] for run in runs] == [4, 0]


def test_tiles_and_blocks_change_nothing(tiny: TinyModels, monkeypatch: pytest.MonkeyPatch) -> None:
    context = corpus_context(DOCS)
    kinds = {"late": tiny.late(), "sparse": tiny.sparse()}
    whole = {kind: retrieve(entry(kind, {"model": name}), QUERIES, context) for kind, name in kinds.items()}
    for place, number in (("late._TILE_BYTES", 1), ("late._BLOCK", 1), ("sparse._TILE", 2), ("sparse._BLOCK", 1)):
        monkeypatch.setattr(f"pytest_relevance.retrievers.{place}", number)

    for kind, name in kinds.items():
        tiled = retrieve(entry(kind, {"model": name}), QUERIES, context).to_dict()
        for query_id, expected in whole[kind].to_dict().items():
            assert tiled[query_id] == pytest.approx(expected, rel=1e-5)


def test_sparse_keeps_the_heaviest_words_only_and_its_cosine_is_at_most_one(tiny: TinyModels, cache: Path) -> None:
    context = corpus_context(DOCS, cache)

    run = retrieve(entry("sparse", {"model": tiny.sparse(), "max_words": 2, "similarity": "cosine"}), QUERIES, context)

    assert 0 < max(run.scores) <= 1 + 1e-6


@pytest.mark.parametrize("kind", ["late", "sparse", "rerank"])
def test_a_model_without_trained_parts_for_the_kind_is_refused(kind: str, tiny: TinyModels) -> None:
    context = corpus_context(DOCS)
    context.run_of = lambda *_: Run.from_dict({})
    more = {"of": "other"} if kind == "rerank" else {}

    with pytest.raises(RetrieverError, match="would be made up at random") as caught:
        retrieve(entry(kind, {"model": tiny.dense(), **more}), QUERIES, context)

    assert caught.value.place is not None


def test_static_vectors_are_those_of_model2vec(libraries: None, tmp_path: Path, cache: Path) -> None:
    model2vec = pytest.importorskip("model2vec", reason="needs the package 'model2vec': install the extra 'static'")
    tokenizers = import_module("tokenizers")
    words = {"[UNK]": 0, "red": 1, "hat": 2, "shoe": 3, "kettle": 4}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [-1, 1]], dtype=np.float32)
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(tmp_path / "model")
    context = corpus_context({"d1": "red", "d2": "hat", "d3": "shoe"}, cache)

    run = retrieve(entry("static", {"model": str(tmp_path / "model")}), {"q1": "red red"}, context)

    assert run.to_dict()["q1"] == pytest.approx({"d1": 1.0, "d3": 0.5**0.5, "d2": 0.0}, abs=1e-6)


def test_what_only_a_network_has_is_refused_for_static_vectors() -> None:
    with pytest.raises(SuiteError, match="'max_tokens' means nothing to a static model"):
        build(entry("static", {"model": "m", "max_tokens": 5}), corpus_context(DOCS))


class First:
    """Offers one run as that of any retriever, and remembers how deep it was asked for."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.depths: list[int] = []

    def __call__(self, name: str, queries: Sequence[Query], depth: int) -> Run:  # noqa: ARG002 - the protocol's
        self.depths.append(depth)
        return self.run


FOUND = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d5": 1.0}, "q2": {"d3": 1.0}, "q3": {}})


def reranked(tiny: TinyModels, cache: Path | None = None, run: Run = FOUND, **options: object) -> Run:
    context = corpus_context(DOCS, cache)
    context.run_of = First(run)
    return retrieve(entry("rerank", {"model": tiny.reranker(), "of": "first", **options}), QUERIES, context)


def test_a_reranked_score_is_that_of_the_cross_encoder(tiny: TinyModels) -> None:
    model = loaded(tiny.reranker(), "CrossEncoder")
    scores = model.predict([("red hat", DOCS[doc_id]) for doc_id in ("d1", "d2", "d5")]).tolist()

    run = reranked(tiny)

    assert run.to_dict()["q1"] == pytest.approx(dict(zip(("d1", "d2", "d5"), scores, strict=True)), abs=1e-6)
    assert (len(run.ranking("q2")), run.ranking("q3")) == (1, ())


def test_only_the_first_documents_are_scored_and_the_others_left_out(tiny: TinyModels) -> None:
    assert set(reranked(tiny, top=2).ranking("q1")) == {"d1", "d2"}


def test_documents_below_the_least_score_are_left_out(tiny: TinyModels) -> None:
    scores = sorted(reranked(tiny).to_dict()["q1"].values())

    run = reranked(tiny, min_score=(scores[0] + scores[1]) / 2)

    assert len(run.ranking("q1")) == 2


def test_a_pair_that_was_scored_once_is_not_scored_again(
    tiny: TinyModels, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[str] = []
    real = PairScorer.encode

    def counting(self: PairScorer, texts: Sequence[str], role: Role) -> Any:
        scored.extend(texts)
        return real(self, texts, role)

    monkeypatch.setattr(PairScorer, "encode", counting)
    first = reranked(tiny, cache)
    scored.clear()

    again = reranked(tiny, cache, run=Run.from_dict({"q1": {"d1": 1.0, "d3": 1.0}, "q2": {"d3": 1.0}}))

    assert list(map(parts_of, scored)) == [("red hat", "blue kettle")]
    assert again.to_dict()["q1"]["d1"] == first.to_dict()["q1"]["d1"]


def test_a_query_that_failed_before_has_failed_after(tiny: TinyModels) -> None:
    run = reranked(tiny, run=Run.from_dict({"q1": {"d1": 1.0}}))

    assert run.ranking("q2") == ()
    part = replace(FOUND.restricted_to(["q1"]), failures={"q2": "HTTP 503"})
    assert reranked(tiny, run=part).failures == {"q2": "HTTP 503"}


def test_a_score_that_is_not_finite_fails_its_query(tiny: TinyModels, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = import_module("sentence_transformers").CrossEncoder
    real = kind.predict

    def spoiled(self: Any, pairs: Any, **more: Any) -> Any:
        return real(self, pairs, **more) * [np.nan if document == DOCS["d2"] else 1 for _, document in pairs]

    monkeypatch.setattr(kind, "predict", spoiled)

    run = reranked(tiny)

    assert set(run.failures) == {"q1"}
    assert run.ranking("q2") == ("d3",)


def test_a_document_that_the_corpus_does_not_have_is_an_error(tiny: TinyModels) -> None:
    with pytest.raises(RetrieverError, match="1 documents of 'first' that the corpus does not have, such as 'd9'"):
        reranked(tiny, run=Run.from_dict({"q1": {"d9": 1.0}}))


def test_a_model_with_several_numbers_a_pair_is_refused(tiny: TinyModels) -> None:
    with pytest.raises(RetrieverError, match="gives 3 numbers for a pair"):
        reranked(tiny, model=tiny.reranker(labels=3))


def test_the_first_run_is_as_deep_as_what_is_scored_also_through_a_fusion() -> None:
    configs = {
        "words": entry("bm25", name="words"),
        "again": entry("rerank", {"model": "m", "of": "words", "top": 50}, name="again"),
        "both": entry("fuse", {"of": ["again", "words"]}, name="both"),
    }

    assert depends_on(configs["again"]) == ("words",)
    assert depths(configs, {"words": 5, "again": 5, "both": 20}) == {"words": 50, "again": 20, "both": 20}


@pytest.mark.parametrize("pair", [("", ""), ("3:a", "b:"), ("hat", "5:"), ("é🎁", "\n")])
def test_a_pair_is_told_apart_again(pair: tuple[str, str]) -> None:
    assert parts_of(pair_of(*pair)) == pair


def test_a_model_inside_a_package_is_found_without_importing_it(
    tiny: TinyModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packed_model"
    import_module("shutil").copytree(tiny.dense(), package / "inside")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))

    def run_of(model: str) -> Mapping[str, object]:
        return retrieve(entry("dense", {"model": model}), QUERIES, corpus_context(DOCS)).to_dict()

    assert run_of("package:packed_model") == run_of("package:packed-model/inside") == run_of(tiny.dense())
    assert "packed_model" not in sys.modules
    import_module("shutil").copytree(package / "inside", package / "other")
    with pytest.raises(RetrieverError, match="2 models in the package 'packed_model': inside, other"):
        run_of("package:packed_model")
