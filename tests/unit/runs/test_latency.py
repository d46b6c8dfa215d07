"""How long each query took goes with the run, where anybody knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_relevance.records import Query
from pytest_relevance.retrievers import Hit, Ranked
from pytest_relevance.retrievers.protocol import Opened
from pytest_relevance.runs import retrieve_run
from pytest_relevance.runs.store import load_run, save_run

QUERIES = (Query("q1", "red"), Query("q2", "blue"), Query("q3", "green"))


class Timed(Opened):
    """Tells how long it took for all queries but the second, and fails the third."""

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """Canned answers."""
        first, second, third = (query.query_id for query in queries)
        yield Ranked(first, [Hit("A", 1.0)][:depth], seconds=0.25)
        yield Ranked(second, [Hit("B", 1.0)][:depth])
        yield Ranked(third, error="no answer", seconds=9.0)


def test_seconds_are_kept_of_answers_that_tell_them() -> None:
    run = retrieve_run(Timed(), QUERIES, depth=10)

    assert run.seconds == {"q1": 0.25}
    assert run.restricted_to(["q2"]).seconds == {}
    assert run.cut(1).seconds == {"q1": 0.25}


def test_seconds_survive_the_shelf(tmp_path: Path) -> None:
    save_run(retrieve_run(Timed(), QUERIES, depth=10), tmp_path / "one.run")

    assert load_run(tmp_path / "one.run").seconds == {"q1": 0.25}
