"""What is written is read again as it was, or refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import DataError, RelevanceError
from pytest_relevance.records import Qrels, Run
from pytest_relevance.trec import read_qrels, read_run, write_qrels, write_run
from pytest_relevance.trec.write import write_whole

IDS = st.text(min_size=1, max_size=8)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, st.floats(allow_nan=False), max_size=6), max_size=4)
GRADES = st.floats(allow_nan=False, allow_infinity=False)
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, GRADES, min_size=1, max_size=6), min_size=1, max_size=4)
ENDINGS = st.sampled_from([".txt", ".run.gz", ".parquet"])
FILES = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FILES
@given(scores=RUNS, ending=ENDINGS)
def test_a_run_comes_back_or_is_refused(tmp_path: Path, scores: dict[str, dict[str, float]], ending: str) -> None:
    run, path = Run.from_dict(scores), tmp_path / f"run{ending}"
    try:
        write_run(run, path)
        back = read_run(path)
    except RelevanceError:
        return

    assert back.query_ids == run.query_ids
    assert [back.ranking(query_id) for query_id in back.query_ids] == [
        run.ranking(query_id) for query_id in run.query_ids
    ]
    assert back.to_dict() == run.to_dict()


@FILES
@given(judgments=QRELS, ending=ENDINGS)
def test_qrels_come_back_or_are_refused(tmp_path: Path, judgments: dict[str, dict[str, float]], ending: str) -> None:
    path = tmp_path / f"qrels{ending}"
    try:
        write_qrels(Qrels.from_dict(judgments), path)
    except DataError:
        return

    assert read_qrels(path).to_dict() == judgments


def test_whole_grades_are_written_as_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    write_qrels(Qrels.from_dict({"q": {"a": 2.0, "b": 1.33, "c": -1.0}}), path)

    assert path.read_text("utf-8") == "q 0 a 2\nq 0 b 1.33\nq 0 c -1\n"


def test_parquet_keeps_order_names_empty_queries_failures_and_fields(tmp_path: Path) -> None:
    run = Run(
        **{**vars(Run.from_rankings({"none": [], "a b": ["#x", "y z"]}, name="mine")), "failures": {"f": "HTTP 503"}}
        | {"fields": {"#x": {"title": "t"}}, "notes": ("note",)}
    )
    path = tmp_path / "run.parquet"

    write_run(run, path)
    back = read_run(path)

    assert back.query_ids == ("none", "a b")
    assert back.ranking("a b") == ("#x", "y z")
    assert (back.name, dict(back.failures), dict(back.fields), back.notes) == (
        "mine",
        {"f": "HTTP 503"},
        {"#x": {"title": "t"}},
        ("note",),
    )


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (Run.from_dict({"a b": {"d": 1}}), "cannot hold the blanks"),
        (Run.from_dict({"q": {"": 1}}), "cannot hold an empty doc_id"),
        (Run.from_dict({"#q": {"d": 1}}), "as a comment"),
        (Run.from_rankings({"q": []}), "which has no documents"),
        (Run.from_dict({'{"q"': {"d": 1}}), "another format"),
    ],
)
def test_trec_text_refuses_what_it_cannot_hold(tmp_path: Path, run: Run, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        write_run(run, tmp_path / "x.run")
    assert list(tmp_path.iterdir()) == []


def test_a_run_whose_scores_do_not_give_its_order_is_refused(tmp_path: Path) -> None:
    ranked = Run.from_rankings({"q": ["a", "b"]})
    run = Run(**{**vars(ranked), "scores": ranked.scores[::-1].copy()})

    with pytest.raises(DataError, match="do not give the run's order"):
        write_run(run, tmp_path / "x.run")


def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_run(Run.from_dict({"q": {"d": 1}}), tmp_path / "no" / "x.run")


def test_a_failed_write_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("old", encoding="utf-8")

    def no_replace(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", no_replace)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")

    assert path.read_text("utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.txt"]


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(RelevanceError, match="needs a package that is not installed") as caught:
        write_qrels(Qrels.from_dict({"q": {"d": 1}}), tmp_path / "q.parquet")
    assert "extra 'parquet'" in str(caught.value)


def test_foreign_parquet_is_read_by_its_usual_column_names(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "run.parquet"
    table = pyarrow.table({"qid": [7, 7], "docno": ["a", "b"], "score": [1.0, 2.0]})
    pyarrow.parquet.write_table(table, path)

    assert read_run(path).to_dict() == {"7": {"b": 2.0, "a": 1.0}}
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="is not a readable Parquet file"):
        read_run(tmp_path / "broken.parquet")
