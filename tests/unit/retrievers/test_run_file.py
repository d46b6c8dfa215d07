from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from retriever_stand_ins import PLACE, entry, retrieve

from pytest_relevance.errors import DataError, RetrieverError
from pytest_relevance.records import Queries
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.runfile import RunFileKind

LINES = "q2 Q0 d1 2 2.0 tag\nq2 Q0 d2 1 3.0 tag\nq1 Q0 d1 2 1.0 tag\nq1 Q0 d9 1 1.0 tag\nq7 Q0 d1 1 1.0 tag\n"
QUERIES = {"q1": "one", "q2": "two"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "released.run").write_text(LINES)
    (tmp_path / "released.run.gz").write_bytes(gzip.compress(LINES.encode()))
    return tmp_path


@pytest.mark.parametrize("file", ["released.run", "released.run.gz"])
def test_a_file_gives_its_rankings_for_the_queries_of_the_suite_in_their_order(file: str, folder: Path) -> None:
    run = retrieve(entry("run", {"file": file}, name="released"), QUERIES, RetrieverContext(folder))

    assert run.query_ids == ("q1", "q2")
    assert run.ranking("q1") == ("d9", "d1")  # equal scores: as everywhere
    assert run.ranking("q2") == ("d2", "d1")
    assert run.name == "released"
    assert run.notes == ()


def test_a_query_that_is_not_in_the_file_returned_nothing_and_is_named(folder: Path) -> None:
    queries = QUERIES | {f"new{number}": "" for number in range(7)}

    run = retrieve(entry("run", {"file": "released.run"}, name="released"), queries, RetrieverContext(folder))

    assert run.ranking("new0") == ()
    assert "new0" in run
    assert not run.failures
    assert run.notes == ("released: 7 of 9 queries are not in released.run: new0, new1, new2, new3, new4, …",)


def test_what_is_beyond_the_depth_is_cut(folder: Path) -> None:
    run = retrieve(entry("run", {"file": "released.run"}), QUERIES, RetrieverContext(folder), depth=1)

    assert run.ranking("q2") == ("d2",)


def test_query_by_query_the_answers_are_those_of_the_whole_run(folder: Path) -> None:
    retriever = build(entry("run", {"file": "released.run"}), RetrieverContext(folder))
    with retriever:
        answers = list(retriever.retrieve(tuple(Queries.from_dict(QUERIES)), depth=1))

    assert [(one.query_id, one.order, [(hit.doc_id, hit.score) for hit in one.hits]) for one in answers] == [
        ("q1", "given", [("d9", 1.0)]),
        ("q2", "given", [("d2", 3.0)]),
    ]


def test_a_missing_file_is_told_at_the_retriever(folder: Path) -> None:
    with pytest.raises(RetrieverError, match=r"reads 'relased.run', and there is no such file") as caught:
        build(entry("run", {"file": "relased.run"}), RetrieverContext(folder))

    assert caught.value.place == PLACE


def test_a_bad_line_is_told_at_its_place(folder: Path) -> None:
    (folder / "bad.run").write_text("q1 Q0 d1 1 high tag\n")

    with pytest.raises(DataError) as caught:
        retrieve(entry("run", {"file": "bad.run"}), QUERIES, RetrieverContext(folder))

    assert caught.value.place is not None
    assert caught.value.place.line == 1


def test_duplicates_are_kept_at_their_best_rank_on_request(folder: Path) -> None:
    (folder / "twice.run").write_text("q1 Q0 d1 1 2.0 tag\nq1 Q0 d1 2 1.0 tag\n")
    context = RetrieverContext(folder, duplicates="first")

    run = retrieve(entry("run", {"file": "twice.run"}, name="released"), {"q1": ""}, context)

    assert run.ranking("q1") == ("d1",)
    assert len(run.notes) == 1
    assert "duplicate" in run.notes[0]
    with pytest.raises(DataError, match="duplicate"):
        retrieve(entry("run", {"file": "twice.run"}), {"q1": ""}, RetrieverContext(folder))


def test_the_fingerprint_is_of_the_content_and_not_of_the_place(folder: Path) -> None:
    kind, context = RunFileKind(), RetrieverContext(folder)
    (folder / "copy.run").write_text(LINES)
    first = kind.fingerprint(entry("run", {"file": "released.run"}), context)

    assert kind.fingerprint(entry("run", {"file": "copy.run"}), context) == first
    (folder / "copy.run").write_text(LINES + "q9 Q0 d1 1 1.0 tag\n")
    assert kind.fingerprint(entry("run", {"file": "copy.run"}), context) != first
