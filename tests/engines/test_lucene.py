"""`type: anserini` against Lucene, and our `bm25` with Lucene's settings against Lucene's own ranking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from engines.agreement import DEPTH, Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.recipes import call, lucene_index
from engines.serving import Server
from pytest_relevance import overlap
from pytest_relevance.records import Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import load_data, read_suite
from pytest_relevance.trec import read_corpus

RETRIEVER = """
type: anserini
url: {url}
index: {index}
fields: [doc]
"""
# Anserini's defaults: k1 and b, Porter's stemmer, and Lucene's list of English stop words.
STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
BM25 = f"""
type: bm25
fields: [title, description]
language: porter
stop_words: [{", ".join(f'"{word}"' for word in STOP_WORDS.split())}]
k1: 0.9
b: 0.4
"""


@pytest.fixture(scope="session")
def index(anserini: Server) -> Path:
    (folder,) = anserini.folder.glob("data-*")
    return lucene_index(folder)


def retriever(server: Server, index: Path) -> str:
    return RETRIEVER.format(url=server.url, index=index)


def test_rankings_scores_and_fields_are_lucenes_own(
    anserini: Server, index: Path, collection: Collection, tmp_path: Path
) -> None:
    address = f"{anserini.url}/v1/{quote(str(index), safe='')}/search"

    def own(text: str) -> list[Found]:
        hits = call("GET", address, params={"query": text, "hits": DEPTH})["candidates"]
        return [Found(hit["docid"], hit["score"], {"doc": hit["doc"]}) for hit in hits]

    queries = collection.few_queries(40)
    agrees(live_run(written(collection, tmp_path, retriever(anserini, index), queries=queries)), queries, own)


def test_a_suite_is_measured_through_it(anserini: Server, index: Path, collection: Collection, tmp_path: Path) -> None:
    text = retriever(anserini, index)
    suite = written(collection, tmp_path, text, queries=collection.few_queries(40), floor=0.3)
    assert value_of_suite(suite) <= 1.0


def test_our_bm25_ranks_as_lucene_does(
    anserini: Server,
    index: Path,
    collection: Collection,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Among scores that are equal to two decimals, which many products have, both are ordered in the same way.

    What is left over: Lucene splits words by other rules (`2.7` is one of them), and keeps long lengths in one byte.
    """
    path = _with_our_bm25(collection, tmp_path)
    lucene = _ties_by_id(
        live_run(written(collection, tmp_path, retriever(anserini, index), queries=collection.queries), 60)
    )
    ours = _ties_by_id(_our_run(path))
    figures = {name: round(overlap(ours, lucene, name).mean, 4) for name in ("RBO(p=0.9)", "Jaccard@10")}
    record_property("agreement with Lucene", figures)
    assert min(figures.values()) >= 0.95, figures


def _ties_by_id(run: Run) -> Run:
    rounded = {
        query_id: {doc_id: round(score, 2) for doc_id, score in scores.items()}
        for query_id, scores in run.to_dict().items()
    }
    return Run.from_dict(rounded).cut(DEPTH)


def _with_our_bm25(collection: Collection, folder: Path) -> Path:
    folder = folder / "ours"
    folder.mkdir()
    rows = ({"id": one.doc_id, "title": one.title, "description": one.description} for one in collection.products)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = written(collection, folder, BM25, queries=collection.queries)
    path.write_text("corpus: corpus.jsonl\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    return path


def _our_run(path: Path) -> Run:
    suite = read_suite(path)
    data = load_data(suite)
    context = RetrieverContext(path.parent, load_corpus=lambda: read_corpus(path.parent / "corpus.jsonl"))
    return retrieve_run(build(suite.retrievers["live"], context), data.queries, depth=60, name="ours")
