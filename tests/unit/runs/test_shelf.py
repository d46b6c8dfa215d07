from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from pytest_relevance.errors import CombinedError, Place, RelevanceError, RetrieverError, SuiteError
from pytest_relevance.records import Query, Run
from pytest_relevance.runs import Shelf, run_key
from pytest_relevance.runs.stored_errors import error_from_json, error_to_json

RUN = Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {}})


class Maker:
    """Makes a run, or raises, and counts how often it was asked."""

    def __init__(self, outcome: Run | Exception = RUN) -> None:
        self.outcome = outcome
        self.asked = 0

    def __call__(self) -> Run:
        self.asked += 1
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture(params=["in memory", "in a folder"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "shelf" if request.param == "in a folder" else None)


def test_a_run_is_made_once(shelf: Shelf) -> None:
    make = Maker()

    assert shelf.run("a", make) is shelf.run("a", make)
    assert make.asked == 1


def test_another_key_is_another_run(shelf: Shelf) -> None:
    make = Maker()
    for key in ("a", "b", "../c"):
        shelf.run(key, make)

    assert make.asked == 3


@pytest.mark.parametrize("error", [RetrieverError("down", fix="start it"), KeyError("a bug")])
def test_a_failure_is_remembered_and_raised_again(error: Exception, shelf: Shelf) -> None:
    make = Maker(error)
    for _ in range(3):
        with pytest.raises(type(error)) as caught:
            shelf.run("a", make)
        assert caught.value is error

    assert make.asked == 1


def test_a_failure_raised_often_has_no_longer_traceback(shelf: Shelf) -> None:
    lengths = []
    for _ in range(3):
        with pytest.raises(ValueError, match="a bug") as caught:
            shelf.run("a", Maker(ValueError("a bug")))
        lengths.append(len(caught.traceback))

    assert len(set(lengths)) == 1


def test_an_interruption_is_not_remembered(shelf: Shelf) -> None:
    def interrupted() -> Run:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.run("a", interrupted)

    assert shelf.run("a", Maker()) is RUN


def test_what_one_shelf_made_another_on_the_same_folder_reads(tmp_path: Path) -> None:
    make = Maker()
    Shelf(tmp_path).run("a", make)

    assert Shelf(tmp_path).run("a", make).to_dict() == RUN.to_dict()
    assert make.asked == 1


def test_what_failed_for_one_shelf_fails_for_another_on_the_same_folder(tmp_path: Path) -> None:
    make = Maker(SuiteError("wrong", place=Place("shoes.relevance.yaml", 6, 3, "  live:"), fix="right"))
    texts = []
    for shelf in (Shelf(tmp_path), Shelf(tmp_path)):
        with pytest.raises(SuiteError) as caught:
            shelf.run("a", make)
        texts.append(str(caught.value))

    assert texts[0] == texts[1]
    assert make.asked == 1


def test_a_bug_met_by_one_process_is_told_to_the_others(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        Shelf(tmp_path).run("a", Maker(KeyError("a bug")))

    with pytest.raises(RetrieverError, match="retrieval failed with KeyError: 'a bug'"):
        Shelf(tmp_path).run("a", Maker())


@pytest.mark.parametrize("damage", [b"", b"half a fi"])
def test_a_damaged_run_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    Shelf(tmp_path).run("a", Maker())
    (file,) = tmp_path.glob("*.run")
    file.write_bytes(damage)
    make = Maker()

    assert Shelf(tmp_path).run("a", make).to_dict() == RUN.to_dict()
    assert make.asked == 1
    assert Shelf(tmp_path).run("a", Maker(KeyError("not asked"))).to_dict() == RUN.to_dict()


def _in_process(folder: Path, together: Callable[[], object], marks: Path, name: int) -> None:
    def make() -> Run:
        (marks / str(name)).touch()
        return RUN

    together()
    assert Shelf(folder).run("a", make).to_dict() == RUN.to_dict()


def test_processes_that_ask_at_once_make_a_run_once(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    processes = [
        context.Process(target=_in_process, args=(tmp_path / "shelf", barrier.wait, marks, name)) for name in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(list(marks.iterdir())) == 1


def _dies_while_making(folder: Path) -> None:
    import os
    import signal

    def make() -> Run:
        os.kill(os.getpid(), signal.SIGKILL)
        return RUN

    Shelf(folder).run("a", make)


def test_a_process_killed_while_making_leaves_the_work_to_the_next(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_dies_while_making, args=(tmp_path,))
    process.start()
    process.join(60)
    make = Maker()

    Shelf(tmp_path).run("a", make)

    assert process.exitcode == -9
    assert make.asked == 1


@pytest.mark.parametrize(
    "error",
    [
        RelevanceError("plain"),
        RetrieverError("no answer", place=Place("a.yaml", 3, 5, "  live: {}", 4), fix="wait"),
        CombinedError([SuiteError("one", fix="so"), SuiteError("two")], total=14),
    ],
)
@pytest.mark.parametrize(
    "carry", [lambda e: error_from_json(error_to_json(e)), lambda e: pickle.loads(pickle.dumps(e))]
)
def test_an_error_crosses_to_another_process_whole(
    error: RelevanceError, carry: Callable[[RelevanceError], RelevanceError]
) -> None:
    carried = carry(error)

    assert type(carried) is type(error)
    assert str(carried) == str(error)


QUERY = Query("q1", "red shoes", {"language": "en"})
KEY = run_key("bm25", [QUERY], 10)


def test_the_key_of_a_run_is_the_same_in_every_process() -> None:
    assert run_key("bm25", [QUERY], 10) == KEY
    assert run_key("bm25", [Query("q1", "red shoes", dict(QUERY.attributes))], 10) == KEY


@pytest.mark.parametrize(
    "other",
    [
        run_key("bm26", [QUERY], 10),
        run_key("bm25", [QUERY], 11),
        run_key("bm25", [], 10),
        run_key("bm25", [QUERY, Query("q2", "")], 10),
        run_key("bm25", [Query("q2", "red shoes", QUERY.attributes)], 10),
        run_key("bm25", [Query("q1", "red shoe", QUERY.attributes)], 10),
        run_key("bm25", [Query("q1", "red shoes", {"language": "de"})], 10),
        run_key("bm25", [Query("q1", "red shoes", {"day": date(2026, 1, 2)})], 10),
        run_key("bm25", [QUERY], 10, name="other"),
    ],
)
def test_whatever_decides_a_run_changes_its_key(other: str) -> None:
    assert other != KEY
