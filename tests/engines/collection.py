"""The collection that real servers are loaded with: a shop's products, with queries and judgments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pytest_relevance.records import Qrels, Queries, Query
from pytest_relevance.trec import read_qrels

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Product:
    """One document."""

    doc_id: str
    title: str
    description: str


@dataclass(frozen=True)
class Collection:
    """Products, and queries of which each has judgments."""

    name: str
    products: tuple[Product, ...]
    queries: Queries
    qrels: Qrels

    def few_queries(self, count: int) -> Queries:
        """The first of them: some servers are slow."""
        return Queries(self.queries.items[:count])

    def of_words(self, products: int) -> Collection:
        """Queries of one word each, for engines that want every word, over the first products."""
        first = self.products[:products]
        texts = {one.doc_id: f"{one.title}. {one.description}".lower().replace(".", " ").split() for one in first}
        words = dict.fromkeys(word for text in texts.values() for word in text if word.isalpha() and len(word) > 4)
        judged = {word: {doc_id: 1.0 for doc_id, text in texts.items() if word in text} for word in list(words)[:12]}
        queries = Queries.from_dict({word: word for word in judged})
        return Collection(self.name, first, queries, Qrels.from_dict(judged))

    def suite(self, folder: Path, retriever: str, *, queries: Queries, floor: float) -> Path:
        """A suite over these queries with one retriever, written as YAML under `live:`, in a file of this folder."""
        lines = (json.dumps({"query_id": query.query_id, "text": query.text}) + "\n" for query in queries.items)
        (folder / "queries.jsonl").write_text("".join(lines), encoding="utf-8")
        judged = (
            f"{query.query_id} 0 {doc_id} {grade:g}\n"
            for query in queries.items
            for doc_id, grade in self.qrels.to_dict().get(query.query_id, {}).items()
        )
        (folder / "qrels.txt").write_text("".join(judged), encoding="utf-8")
        path = folder / "live.relevance.yaml"
        path.write_text(
            f"suite: {self.name}\nqueries: queries.jsonl\nqrels: qrels.txt\ngrades: {{max: 3, relevant: 1}}\n"
            f"retrievers:\n  live:\n{retriever}\n"
            f"checks:\n  - {{measure: nDCG-f@10, of: live, at_least: {floor}}}\n",
            encoding="utf-8",
        )
        return path


def load() -> Collection:
    """Electronics rated by three people where the real collections are, and else the demo shop."""
    real = ROOT.parent / "shared" / "data" / "chorus-ecommerce"
    return _chorus(real) if real.is_dir() else _shop(ROOT / "example_suites" / "shop")


def _chorus(folder: Path) -> Collection:
    rows = [line.split("\t") for line in (folder / "queries.tsv").read_text(encoding="utf-8").splitlines()]
    queries = [Query(query_id, text) for query_id, text in rows]
    products = [Product(one["id"], one["title"], one["description"]) for one in _lines(folder / "corpus.jsonl")]
    return Collection("electronics", tuple(products), Queries(tuple(queries)), read_qrels(folder / "qrels.txt"))


def _shop(folder: Path) -> Collection:
    queries = [Query(one["_id"], one["text"]) for one in _lines(folder / "queries.jsonl")]
    products = [Product(one["_id"], one["title"], one["description"]) for one in _lines(folder / "corpus.jsonl")]
    return Collection("shop", tuple(products), Queries(tuple(queries)), read_qrels(folder / "qrels.txt"))


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
