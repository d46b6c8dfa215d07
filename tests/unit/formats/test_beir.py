"""The BEIR layout."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.formats.beir import read_beir


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "Shoe", "text": "red"}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "red shoes", "metadata": {"a": 1}}\n', encoding="utf-8"
    )
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\n", encoding="utf-8")
    return tmp_path


def test_a_folder_gives_corpus_queries_and_each_split(folder: Path) -> None:
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t007\t1\n", encoding="utf-8")

    beir = read_beir(folder)

    assert beir.corpus["d1"] == {"title": "Shoe", "text": "red"}
    assert beir.queries["q1"].text == "red shoes"
    assert beir.queries["q1"].attributes == {"metadata": {"a": 1}}
    assert {name: qrels.to_dict() for name, qrels in beir.qrels.items()} == {
        "dev": {"q1": {"007": 1.0}},
        "test": {"q1": {"d1": 2.0}},
    }
    assert beir.split("test").name == "test"


def test_packed_files_are_read_too(folder: Path) -> None:
    plain = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()

    assert len(read_beir(folder).corpus) == 1


def test_what_is_missing_is_named(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").unlink()
    with pytest.raises(DataError, match="no judgments there"):
        read_beir(folder)

    (folder / "queries.jsonl").unlink()
    with pytest.raises(DataError, match=r"holds queries\.jsonl, and this one does not"):
        read_beir(folder)


def test_an_unknown_split_suggests_the_known_ones(folder: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_beir(folder).split("tset")

    assert "did you mean 'test'?" in str(caught.value)
