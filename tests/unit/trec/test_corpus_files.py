"""A corpus that is larger than what is kept in memory: the same documents, the same errors, read when looked at."""

from __future__ import annotations

import gc
import gzip
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import DataError, RelevanceError
from pytest_relevance.records import Corpus, StoredDocuments
from pytest_relevance.trec import corpus_files, parquet_corpus, pieces, read_corpus
from pytest_relevance.trec.delimited import records
from pytest_relevance.trec.repeats import Repeats
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.text import Text

JSONL = (
    '{"_id": "012", "title": "rouge é", "tags": ["x"], "price": 3}\n\n{"doc_id": 12, "text": "b\\nc"}\r\n{"id": "ü"}'
)
DOCUMENTS = {"012": {"title": "rouge é", "tags": ["x"], "price": 3}, "12": {"text": "b\nc"}, "ü": {}}
CSV = 'id,title,text\n012,"a, b","two\r\nlines ""quoted"""\n\n12,,"x"\nü,7" pipe,\n'
TSV = 'title\tdoc_id\n"a\t012\n\rtwo\t12\r\n\tü\n'
FILES = {
    "corpus.jsonl": (JSONL, DOCUMENTS),
    "corpus.csv": (
        CSV,
        {
            "012": {"title": "a, b", "text": 'two\r\nlines "quoted"'},
            "12": {"title": "", "text": "x"},
            "ü": {"title": '7" pipe', "text": ""},
        },
    ),
    "corpus.tsv": (TSV, {"012": {"title": '"a'}, "12": {"title": "two"}, "ü": {"title": ""}}),
}
Large = Callable[[Path], Corpus]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Large:
    """Reads a file as if it were too large to keep."""

    def read(path: Path) -> Corpus:
        with monkeypatch.context() as patched:
            patched.setattr(corpus_files, "IN_MEMORY", 0)
            patched.setattr(parquet_corpus, "IN_MEMORY", 0)
            return read_corpus(path)

    return read


def written(folder: Path, name: str, content: str | bytes, packed: bool = False) -> Path:
    data = content if isinstance(content, bytes) else content.encode()
    path = folder / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "byte order mark"])
@pytest.mark.parametrize("name", FILES)
def test_documents_in_a_file_are_those_in_memory(
    name: str, mark: bytes, packed: bool, large: Large, tmp_path: Path
) -> None:
    content, documents = FILES[name]
    path = written(tmp_path, name, mark + content.encode(), packed)

    kept, stored_ = read_corpus(path), large(path)

    assert isinstance(kept.documents, dict)
    assert isinstance(stored_.documents, StoredDocuments)
    for corpus in (kept, stored_):
        assert dict(corpus.items()) == documents
        assert list(corpus.values()) == list(documents.values())
        assert list(corpus) == list(corpus.doc_ids) == list(documents)
        assert [corpus[doc_id] for doc_id in reversed(documents)] == list(reversed(documents.values()))
        assert "12" in corpus
        assert "none" not in corpus
        assert [dict(one) for one in corpus.fields_of(["ü", "none", "012"])] == [documents["ü"], {}, documents["012"]]
        with pytest.raises(KeyError):
            corpus["none"]
    assert stored_.field_names == kept.field_names
    assert list(stored_.texts(kept.field_names[:1])) == list(kept.texts(kept.field_names[:1]))


@pytest.mark.parametrize("rows", [1, 2, 10], ids=lambda rows: f"{rows} rows a group")
def test_parquet_is_read_by_row_groups(rows: int, large: Large, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    ids = [f"d{number}" for number in range(5)]
    table = pyarrow.table({"title": [f"title {one}" for one in ids], "doc_id": ids, "tags": [["x"]] * 5})
    pyarrow.parquet.write_table(table, tmp_path / "corpus.parquet", row_group_size=rows)

    kept, corpus = read_corpus(tmp_path / "corpus.parquet"), large(tmp_path / "corpus.parquet")

    assert isinstance(corpus.documents, StoredDocuments)
    assert dict(corpus.items()) == dict(kept.items())
    assert corpus["d3"] == {"title": "title d3", "tags": ["x"]}
    assert corpus.field_names == kept.field_names == ("title", "tags")
    assert corpus.fields_of(["d4", "d0"])[0]["title"] == "title d4"


def test_a_parquet_document_twice_names_its_row(large: Large, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"id": ["d", "e", "d"]}), tmp_path / "corpus.parquet")

    for read in (read_corpus, large):
        with pytest.raises(DataError, match="row 3: duplicate document 'd'"):
            read(tmp_path / "corpus.parquet")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "c.jsonl",
            '{"_id": "d"}\n{"_id": "e"}\n{"_id": "d", "t": 2}\n',
            r":3:9: duplicate .*:1:9",
        ),
        ("c.jsonl", '{"_id": "d"}\n{"t": 2}\n', r":2:1: expected a doc_id"),
        (
            "c.jsonl",
            '{"_id": "d"}\n{"_id": "e",\n "t": 2}\n',
            r":2:13: not valid JSON: .* found nothing more",
        ),
        ("c.jsonl", b'{"_id": "d"}\n{"_id": "e", "t": "\xff"}\n', r":2:20: byte 0xff is not valid UTF-8"),
        ("c.jsonl", '{"_id": "d"}\n{"_id": "e", "t": 1, "t": 2}\n', r":2:22: duplicate key 't'"),
        ("c.jsonl", '{"_id": "d"}\n{"_id": "\\ud800"}\n', r":2:9: doc_id .* half a character"),
        ("c.jsonl", '{"_id": "d"}\n{"_id": 1.5}\n', r":2:9: doc_id '1.5' is not text"),
        ("c.csv", 'id,t\n"d","two\nlines"\ne\n', r":4:1: expected 2 columns \(id, t\), found 1"),
        ("c.csv", 'id,t\nd,1\n"e,1\nf,2\n', r":3:1: a quoted field is not closed"),
        ("c.csv", 'id,t\n"d" x,1\nf,2\n', r":2:1: a quoted field is not closed, or goes on"),
        ("c.csv", "id,t\nd,1\n,2\n", r":3:1: no doc_id"),
        ("c.tsv", "id\tt\rd\t1\rd\t2\r", r":3:1: duplicate document 'd': first at .*:2:1"),
        ("c.tsv", "name\tt\nd\t1\n", r":1:1: the header names no column doc_id"),
        ("c.jsonl", "{}\n", "expected a doc_id"),
        ("c.csv", "\n\n", "no documents"),
        ("c.csv", "id,t\n", "no documents"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_however_large_the_file(
    name: str, content: str | bytes, said: str, large: Large, tmp_path: Path
) -> None:
    for read in (read_corpus, large):
        for packed in (False, True):
            with pytest.raises(RelevanceError, match=said):
                read(written(tmp_path, name, content, packed))


def test_of_many_repeats_ten_are_shown_and_all_are_counted(large: Large, tmp_path: Path) -> None:
    path = written(tmp_path, "c.jsonl", '{"_id": "d"}\n' * 26)

    with pytest.raises(RelevanceError) as caught:
        large(path)

    assert "and 15 more problems" in str(caught.value)
    assert str(caught.value).count("duplicate document 'd'") == 10


def test_repeats_that_are_asked_for_leave_the_first_of_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = written(
        tmp_path, "c.jsonl", '{"_id": "d", "t": 1}\n{"_id": "d", "t": 2}\n{"_id": "e"}\n{"_id": "d", "t": 1}\n'
    )
    monkeypatch.setattr(corpus_files, "IN_MEMORY", 0)
    repeats: Repeats = []

    corpus = read_corpus(path, repeats=repeats)

    assert dict(corpus.items()) == {"d": {"t": 1}, "e": {}}
    assert [(one.record_id, one.same, one.place.line, one.first.line) for one in repeats] == [
        ("d", False, 2, 1),
        ("d", True, 4, 1),
    ]


@pytest.mark.parametrize("change", ["longer", "another in its place", "gone"])
def test_a_file_that_changes_under_the_corpus_is_an_error_and_never_another_text(
    change: str, large: Large, tmp_path: Path
) -> None:
    path = written(tmp_path, "corpus.jsonl", '{"_id": "a", "t": "one"}\n{"_id": "b", "t": "two"}\n')
    corpus = large(path)
    if change == "another in its place":
        other = written(tmp_path, "other", '{"_id": "a", "t": "uno"}\n{"_id": "b", "t": "due"}\n')
        os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
        other.replace(path)
    elif change == "longer":
        path.write_text('{"_id": "x"}\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    else:
        path.unlink()

    for look in (lambda: corpus["b"], lambda: list(corpus.values())):
        with pytest.raises(DataError, match=r"corpus\.jsonl: changed while it was in use"):
            look()


def test_a_packed_file_is_unpacked_once_for_single_documents_and_not_at_all_for_going_through(
    large: Large, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corpus = large(written(tmp_path, "corpus.jsonl", JSONL, packed=True))
    unpacked: list[IO[bytes]] = []
    make = tempfile.TemporaryFile

    def counted() -> IO[bytes]:
        unpacked.append(make())
        return unpacked[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", counted)

    assert list(corpus.texts(["title"])) == ["rouge é", "", ""]
    assert unpacked == []
    assert [corpus["012"], corpus["ü"], corpus["012"]] == [DOCUMENTS["012"], {}, DOCUMENTS["012"]]
    assert len(unpacked) == 1

    del corpus
    gc.collect()
    assert unpacked[0].closed


def test_a_packed_file_that_does_not_fit_on_the_disk_is_an_error_with_a_fix(
    large: Large, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corpus = large(written(tmp_path, "corpus.jsonl", JSONL, packed=True))

    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)

    with pytest.raises(DataError, match=r"cannot be unpacked into .* \(No space left on device\)") as caught:
        corpus["012"]
    assert "TMPDIR" in str(caught.value)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.text(alphabet='iabd,"\n\r;\té', max_size=60),
    name=st.sampled_from(["c.csv", "c.tsv", "c.jsonl"]),
    block=st.integers(1, 7),
)
def test_how_a_file_is_cut_while_it_is_read_changes_nothing(
    content: str, name: str, block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows that are cut one by one, however many bytes come at a time, are those of the whole text."""
    path = written(tmp_path, name, f"\n{content}")
    source = Source.of(path)
    with monkeypatch.context() as patched:
        parts = source.parts
        patched.setattr(Source, "parts", lambda _: parts(block))
        delimiter = {"c.csv": ",", "c.tsv": "\t", "c.jsonl": ";"}[name]
        cut = list(pieces.row_pieces(source, delimiter))

    assert b"".join(piece.data for piece in cut) == path.read_bytes()
    assert [piece.start for piece in cut] == [sum(len(one.data) for one in cut[:at]) for at in range(len(cut))]

    def rows_of(*texts: Text) -> list[list[str]] | DataError:
        try:
            return [[cell.text for cell in cells] for text in texts for cells in records(text, delimiter)]
        except DataError as error:
            return error

    whole = rows_of(Text(source, path.read_bytes()))
    each = rows_of(*(Text(source, piece.data, piece.line) for piece in cut))
    assert str(each) == str(whole)  # of an error: its place and its words
