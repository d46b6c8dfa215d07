"""Peak memory of retrieval by vectors while the corpus grows: of store and search alone, and of a whole session.

    python benchmarks/dense_memory.py store [DOCUMENTS …]    vectors of 384 numbers, of an encoder that costs nothing
    python benchmarks/dense_memory.py suite [DOCUMENTS …]    `pytest --relevance` over a JSONL file, a static model

By default of 20,000, 80,000 and 320,000 documents. Needs the extras `dense` and `static`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pytest_relevance.records import Corpus
from pytest_relevance.retrievers.dense.encoder import Role, Spent
from pytest_relevance.retrievers.dense.filling import Filling
from pytest_relevance.retrievers.dense.library import library
from pytest_relevance.retrievers.dense.search import Space, exact
from pytest_relevance.retrievers.dense.store import VectorStore, key_of

ROOT = Path(__file__).resolve().parents[1]
SIZES = (20_000, 80_000, 320_000)
WIDTH = 64  # numbers of the static model: so few that vectors do not hide what else grows
WORDS = [f"{'long' * 6}{number}" for number in range(1000)]
SUITE = """
corpus: corpus.jsonl
queries: queries.tsv
qrels: qrels.txt
retrievers:
  lookup: {type: static, model: model}
report: [nDCG@10, R@100]
checks:
  - {measure: nDCG@10, of: lookup, at_least: 0}
assertions:
  - {query: q1, expect: [{top: 10, all: {title: /title/}}]}
preflight: {judgments-of-other-queries: off}   # they are made up
"""


class Documents(Mapping[str, Mapping[str, object]]):
    """So many documents of 2 kB, each written when it is looked at: a corpus that is not in memory."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return (f"d{number}" for number in range(self._count))

    def __getitem__(self, doc_id: str) -> Mapping[str, object]:
        return {"text": f"{doc_id} {'many words ' * 180}"}


class Letters:
    """An encoder that costs nothing, so that what is measured is the store and the search."""

    def prompt(self, role: Role) -> str:  # noqa: ARG002 - the protocol's
        """None."""
        return ""

    def encode(self, texts: Any, role: Role) -> list[Any]:  # noqa: ARG002 - the protocol's
        """384 numbers a text."""
        seed = int.from_bytes(key_of(*texts)[:8], "little")
        return list(np.random.default_rng(seed).normal(size=(len(texts), 384)).astype(np.float32))

    def cut(self, texts: Any, role: Role) -> Any:  # noqa: ARG002 - the protocol's
        """None is."""
        return np.zeros(len(texts), dtype=np.bool_)


def of_store(counts: Sequence[int]) -> None:
    """The peak of a process that fills the store with so many documents and searches them, beside an empty one."""
    for count in (0, *counts):
        done = subprocess.run(
            [sys.executable, __file__, "measured", str(count)], capture_output=True, text=True, check=True
        )
        print(f"{count:7,} documents, {count * 1536 / 1e6:4.0f} MB of vectors: {done.stdout.strip()}")


def measured(count: int) -> None:
    """One process of `of_store`."""
    library("torch").set_num_threads(1)
    library("faiss").omp_set_num_threads(1)
    with tempfile.TemporaryDirectory() as room:
        store = VectorStore(Path(room), {}, "float32")
        rows = Filling(store, Letters(), 64, Spent()).rows(Corpus(Documents(count)).texts(), "document")
        filled_at = peak()
        space = Space(store, np.unique(rows), 384, "cosine", tile_bytes=1 << 26)
        exact(space, np.ones((100, 384), dtype=np.float32), 100)
        store.close()
    print(f"peak {filled_at:.0f} MB when stored, {peak():.0f} MB when searched in tiles of 64 MB")


def peak() -> float:
    """The most memory this process has had, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e3


def of_suite(counts: Sequence[int]) -> None:
    """The peak of a first and a second session over a file of so many documents, beside one of a hundred."""
    for count in (100, *counts):
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room)
            write_suite(folder, count)
            size = (folder / "corpus.jsonl").stat().st_size
            first, again = session(folder), session(folder)
        vectors = count * WIDTH * 4
        print(
            f"{count:7,} documents, {size / 1e6:4.0f} MB of text, {vectors / 1e6:3.0f} MB of vectors: {first}; {again}"
        )


def write_suite(folder: Path, count: int) -> None:
    """A suite of 100 queries over so many documents of 2 kB, and a static model of a thousand words."""
    draw = random.Random(1)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            fields = {"_id": f"d{number}", "title": f"title {number}", "text": " ".join(draw.choices(WORDS, k=72))}
            file.write(f"{json.dumps(fields)}\n")
    queries = [f"q{number}\t{' '.join(draw.choices(WORDS, k=3))}\n" for number in range(100)]
    (folder / "queries.tsv").write_text("query_id\ttext\n" + "".join(queries), encoding="utf-8")
    (folder / "qrels.txt").write_text("".join(f"q{number} 0 d{number} 1\n" for number in range(100)), encoding="utf-8")
    (folder / "large.relevance.yaml").write_text(SUITE, encoding="utf-8")
    tokenizers = import_module("tokenizers")
    known = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.random.default_rng(1).normal(size=(len(known), WIDTH)).astype(np.float32)
    import_module("model2vec").StaticModel(vectors, tokenizer).save_pretrained(folder / "model")


def session(folder: Path) -> str:
    """The seconds and the peak of one session in a folder: of all memory, and of what is no file's."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "pytest_relevance.plugin",
            "-p",
            "no:cacheprovider",
            "-q",
            "--relevance",
        ],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_RELEVANCE_CACHE": str(folder / "cache"),
            "OMP_NUM_THREADS": "1",
        },
        stdout=subprocess.DEVNULL,
    )
    most = {"VmHWM": 0, "RssAnon": 0}
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        told = status.read_text()
        for name in most:
            _, _, rest = told.partition(f"{name}:")
            most[name] = max(most[name], int(rest.split()[0]) if rest else 0)
        time.sleep(0.02)
    assert process.returncode == 0
    whole, own = (most[name] / 1e3 for name in ("VmHWM", "RssAnon"))
    return f"peak {whole:.0f} MB, {own:.0f} MB of them no file's, in {time.perf_counter() - began:.0f} s"


def main(arguments: list[str]) -> None:
    """Run the part that is named."""
    match arguments:
        case ["store", *counts]:
            of_store([int(count) for count in counts] or SIZES)
        case ["suite", *counts]:
            of_suite([int(count) for count in counts] or SIZES)
        case ["measured", count]:
            measured(int(count))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
