"""Two files to values: what evaluating the records gives, also from the cache, which is trusted only when it may be."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.measures import RankingMeasure, evaluate
from pytest_relevance.measures.files import evaluate_files, judged_rows
from pytest_relevance.measures.judged_cache import JudgedCache
from pytest_relevance.records import Qrels
from pytest_relevance.trec import read as read_module
from pytest_relevance.trec import read_qrels, read_run

MEASURES = ["nDCG@10", "AP", "RR@10", "Bpref", "R@100"]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1.5\nq3 0 d1 1\n", encoding="utf-8")
    run.write_text("q1 Q0 d2 1 9 t\nq1 Q0 d1 2 8 t\nq2 Q0 d1 1 7 t\nq9 Q0 d1 1 7 t\n", encoding="utf-8")
    settle(qrels, run)
    return qrels, run


def settle(*paths: Path) -> None:
    past = time.time() - 60
    for path in paths:
        os.utime(path, (past, past))


def read_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The qrels files read from now on."""
    seen: list[str] = []

    def reading(path: Path, **options: object) -> Qrels:
        seen.append(path.name)
        return read_qrels(path)

    monkeypatch.setattr(read_module, "read_judged", reading)
    return seen


@pytest.mark.parametrize("complete", [True, False])
def test_files_evaluate_as_their_records_do(pair: tuple[Path, Path], tmp_path: Path, complete: bool) -> None:
    wanted = evaluate(read_run(pair[1]), read_qrels(pair[0]), MEASURES, complete=complete)

    for _ in range(2):  # read, then from the cache
        found = evaluate_files(*pair, MEASURES, complete=complete, cache=tmp_path / "cache")
        assert {name: dict(values.values) for name, values in found.items()} == {
            name: dict(values.values) for name, values in wanted.items()
        }
        assert (found.run, found.qrels, found.absent, found.unjudged, found.notes) == (
            wanted.run,
            wanted.qrels,
            wanted.absent,
            wanted.unjudged,
            wanted.notes,
        )


def test_unchanged_files_are_not_read_again(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = judged_rows(*pair, cache=tmp_path / "cache")
    seen = read_again(monkeypatch)

    again = judged_rows(*pair, cache=tmp_path / "cache")

    assert seen == []
    for column in ("retrieved", "in_run", "offsets", "ranks", "grades", "judged_offsets", "judged_grades"):
        assert np.array_equal(getattr(again.ranked, column), getattr(first.ranked, column))
        assert getattr(again.ranked, column).dtype == getattr(first.ranked, column).dtype


def test_a_changed_file_is_read_again(pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged_rows(*pair, cache=tmp_path / "cache")
    pair[0].write_text("q1 0 d1 1\n", encoding="utf-8")
    settle(pair[0])
    seen = read_again(monkeypatch)

    assert judged_rows(*pair, cache=tmp_path / "cache").ranked.judged_grades.tolist() == [1]
    assert seen == ["qrels.txt"]


def test_files_changed_a_moment_ago_are_not_cached(pair: tuple[Path, Path], tmp_path: Path) -> None:
    os.utime(pair[1])

    judged_rows(*pair, cache=tmp_path / "cache")

    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("spoil", [b"", b"1", b"\x00\x00\x00\x00", b"\x93NUMPY", None])
def test_a_spoiled_cache_is_computed_anew(pair: tuple[Path, Path], tmp_path: Path, spoil: bytes | None) -> None:
    wanted = evaluate_files(*pair, MEASURES, cache=tmp_path / "cache")
    [kept] = (tmp_path / "cache").iterdir()
    content = kept.read_bytes()
    middle = len(content) // 2
    kept.write_bytes(
        content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :] if spoil is None else spoil
    )

    found = evaluate_files(*pair, MEASURES, cache=tmp_path / "cache")

    assert found["AP"].values == wanted["AP"].values


def test_a_cache_of_other_files_is_not_taken_for_these(pair: tuple[Path, Path], tmp_path: Path) -> None:
    judged_rows(*pair, cache=tmp_path / "cache")
    [kept] = (tmp_path / "cache").iterdir()
    shelf = JudgedCache(tmp_path / "cache")
    kept.rename(shelf.path_of("other"))

    assert shelf.find("other") is None


def test_a_folder_that_cannot_be_made_never_fails_the_evaluation(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    assert evaluate_files(*pair, ["RR@10"], cache=tmp_path / "file" / "below")["RR@10"].mean == pytest.approx(0.5)


def test_the_cache_keeps_to_its_size(pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    judged_rows(*pair, cache=folder)
    [old] = folder.iterdir()
    os.utime(old, (1, 1))
    monkeypatch.setattr("pytest_relevance.measures.judged_cache._MOST_BYTES", old.stat().st_size + 10)

    judged_rows(*pair, duplicates="first", cache=folder)

    [left] = folder.iterdir()
    assert left.name != old.name


def test_by_default_the_cache_is_in_the_users_folder(pair: tuple[Path, Path], tmp_path: Path) -> None:
    evaluate_files(*pair, ["AP"])

    assert len(list((tmp_path / "cache" / "pytest-relevance" / "judged").iterdir())) == 1


def test_a_measure_that_looks_at_documents_gets_them(pair: tuple[Path, Path]) -> None:
    def first_is_judged(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
        return float(ranking[0] == "d1" and "d1" in grades)

    measure = RankingMeasure.of("First", first_is_judged)

    assert evaluate_files(*pair, [measure], cache=False)["First"].values == {"q1": 0.0, "q2": 1.0, "q3": 0.0}


def test_files_without_a_common_query_are_refused(pair: tuple[Path, Path]) -> None:
    pair[0].write_text("other 0 d1 1\n", encoding="utf-8")

    with pytest.raises(DataError, match="no query in common"):
        evaluate_files(*pair, ["AP"], cache=False)
