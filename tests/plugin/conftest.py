"""A small suite that pytest inside pytest can run, and a retriever that counts how often it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pydantic
import pytest
import yaml

# pytest inside pytest forgets what it imported; compiled modules do not survive being imported a second time.
COMPILED = (np, pydantic, yaml)

CORPUS = [
    {"id": "A1", "title": "red running shoes", "category": "footwear"},
    {"id": "A2", "title": "blue running shoes", "category": "footwear"},
    {"id": "B1", "title": "red shoe laces", "category": "accessories"},
    {"id": "C1", "title": "garden hose", "category": "garden"},
]
QUERIES = [{"id": "q1", "text": "red shoes"}, {"id": "q2", "text": "garden hose"}, {"id": "q3", "text": "blue shoes"}]
QRELS = "q1 0 A1 3\nq1 0 B1 1\nq2 0 C1 2\nq3 0 A2 3\nq3 0 A1 1\n"
COUNTING = '''
from pathlib import Path

ANSWERS = {"q1": ["A1", "B1", "A2"], "q2": ["C1"], "q3": ["A1", "A2"]}


def search(query, depth):
    """Answer from a table, and leave a line for each question."""
    with (Path(__file__).parent / "asked.txt").open("a") as asked:
        asked.write(query.query_id + "\\n")
    return ANSWERS.get(query.query_id, [])[:depth]
'''

Suite = Callable[..., None]


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever these tests run: in CI a baseline is not stored, and a test that is about that says so itself."""
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """Writes shoes.relevance.yaml and its data; the body is what is asked of retriever `live`."""

    def write(body: str, *, name: str = "shoes", head: str = "", qrels: str = QRELS) -> None:
        (pytester.path / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in CORPUS), encoding="utf-8")
        (pytester.path / "queries.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in QUERIES), encoding="utf-8"
        )
        (pytester.path / "qrels.txt").write_text(qrels, encoding="utf-8")
        (pytester.path / "counting.py").write_text(COUNTING, encoding="utf-8")
        text = (
            "corpus: corpus.jsonl\nqueries: queries.jsonl\nqrels: qrels.txt\n"
            f"retrievers:\n  live: {{type: function, function: 'counting:search'}}\n{head}{body}"
        )
        (pytester.path / f"{name}.relevance.yaml").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def asked(pytester: pytest.Pytester) -> Callable[[], list[str]]:
    """The queries that the retriever was asked, in order."""
    return lambda: (pytester.path / "asked.txt").read_text(encoding="utf-8").split()
