from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import numpy as np
import pytest

from pytest_relevance.errors import RetrieverError, UsageError
from pytest_relevance.records import Ids, Queries, Query, Run
from pytest_relevance.retrievers import Hit, HitColumns, Opened, Ranked
from pytest_relevance.runs import retrieve_run

QUERIES = Queries.from_dict({"q1": "one", "q2": "two", "q3": "three"})


class Told(Opened):
    """Answers what it is told to, and notes whether it is open."""

    def __init__(self, *answers: Ranked) -> None:
        self.answers = answers
        self.events: list[str] = []

    def __enter__(self) -> Self:
        self.events.append("opened")
        return self

    def __exit__(self, *_: object) -> None:
        self.events.append("closed")

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:  # noqa: ARG002 - the protocol's
        for answer in self.answers:
            self.events.append(answer.query_id)
            yield answer


def run_of(*answers: Ranked, depth: int = 10, queries: Iterable[Query] = QUERIES) -> Run:
    return retrieve_run(Told(*answers), queries, depth=depth, name="told")


def empty(*query_ids: str) -> list[Ranked]:
    return [Ranked(query_id) for query_id in query_ids]


def test_scored_empty_and_failed_queries_are_kept_apart() -> None:
    run = run_of(Ranked("q1", [Hit("d1", 1.0)]), Ranked("q2"), Ranked("q3", error="HTTP 503"))

    assert run.query_ids == ("q1", "q2")
    assert run.ranking("q2") == ()
    assert dict(run.failures) == {"q3": "HTTP 503"}


def test_answers_in_any_order_make_a_run_in_the_order_of_the_queries() -> None:
    run = run_of(Ranked("q3", [Hit("d3", 1)]), Ranked("q1", [Hit("d1", 1)]), Ranked("q2", [Hit("d2", 1)]))

    assert run.query_ids == ("q1", "q2", "q3")
    assert [run.ranking(query_id) for query_id in run.query_ids] == [("d1",), ("d2",), ("d3",)]


def test_hits_are_ordered_by_score_with_the_tie_rule_and_then_cut() -> None:
    hits = [Hit("a", 1), Hit("b", 3), Hit("c", 2), Hit("d", 2)]

    assert run_of(Ranked("q1", hits), *empty("q2", "q3"), depth=2).ranking("q1") == ("b", "d")


def test_a_given_order_is_kept_and_scores_are_only_carried() -> None:
    run = run_of(Ranked("q1", [Hit("far", 0.9), Hit("near", 0.1), Hit("mid", 0.5)], order="given"), *empty("q2", "q3"))

    assert run.ranking("q1") == ("far", "near", "mid")
    assert run.scores_of("q1") == (0.9, 0.1, 0.5)


def test_documents_without_scores_count_down() -> None:
    run = run_of(Ranked("q1", [Hit("b"), Hit("a")], order="given"), *empty("q2", "q3"))

    assert run.ranking("q1") == ("b", "a")
    assert run.scores_of("q1") == (2.0, 1.0)
    assert run.notes == ()


def test_scores_that_some_documents_lack_are_replaced_with_a_note() -> None:
    run = run_of(Ranked("q1", [Hit("pinned"), Hit("a", 7.5)], order="given"), *empty("q2", "q3"))

    assert run.scores_of("q1") == (2.0, 1.0)
    assert run.notes == ("told: some documents of 1 answer have no score; there, scores count down by rank",)


def test_each_answer_of_one_run_may_have_its_own_kind_of_order() -> None:
    run = run_of(
        Ranked("q1", [Hit("a", 1), Hit("b", 2), Hit("c", 2)]),
        Ranked("q2", [Hit("a", 1), Hit("b", 2), Hit("c", 2)], order="given"),
        Ranked("q3", [Hit("a", 3), Hit("b", 9)]),
    )

    assert run.ranking("q1") == ("c", "b", "a")
    assert run.ranking("q2") == ("a", "b", "c")
    assert run.ranking("q3") == ("b", "a")
    assert run.scores_of("q3") == (9.0, 3.0)


def test_a_query_that_is_not_answered_has_failed() -> None:
    assert dict(run_of(*empty("q1", "q3")).failures) == {"q2": "the retriever gave no answer to it"}


@pytest.mark.parametrize("again", [Ranked("q1", [Hit("d2", 1.0)]), Ranked("q1", error="down")])
def test_a_query_that_is_answered_twice_has_failed(again: Ranked) -> None:
    run = run_of(Ranked("q1", [Hit("d1", 1.0)]), again, again, *empty("q2", "q3"))

    assert dict(run.failures) == {"q1": "the retriever answered it more than once"}
    assert run.query_ids == ("q2", "q3")


def test_an_answer_to_a_query_that_was_not_asked_is_refused() -> None:
    with pytest.raises(RetrieverError, match="told answered query 'q9', which it was not asked"):
        run_of(*empty("q1", "q9"))


@pytest.mark.parametrize(
    ("hits", "reason"),
    [
        ([Hit("d1", float("nan"))], "score nan of document 'd1' is not a number"),
        ([Hit("d1", None)], "score None of document 'd1' is not a number"),
        ([Hit("d1", "high")], "score 'high' of document 'd1' is not a number"),  # type: ignore[arg-type]  # as it comes
        ([Hit(12, 1.0)], "doc_id 12 of an answer is not text"),  # type: ignore[arg-type]  # as it comes
        ([Hit("d1", 2.0), Hit("d1", 1.0)], "duplicate document 'd1': 2 times in one answer"),
        ([Hit("d1", 1.0, {"x": object()})], "field 'x' of document 'd1' is a object"),
        (HitColumns(Ids.of(["d1"]), np.array([0, 0]), np.array([2.0, 1.0])), "duplicate document 'd1': 2 times"),
        (HitColumns(Ids.of(["d1"]), np.array([0]), np.array([np.nan])), "score 'nan' of document 'd1'"),
    ],
)
def test_an_answer_that_cannot_be_used_fails_its_query_alone(hits: Sequence[Hit], reason: str) -> None:
    run = run_of(Ranked("q1", hits), *empty("q2", "q3"))

    assert reason in run.failures["q1"]
    assert run.query_ids == ("q2", "q3")
    assert not run.fields


def test_infinite_scores_can_be_ordered() -> None:
    run = run_of(Ranked("q1", [Hit("a", float("-inf")), Hit("b", float("inf")), Hit("c", 0)]), *empty("q2", "q3"))

    assert run.ranking("q1") == ("b", "c", "a")


def test_duplicates_are_dropped_on_request_and_counted() -> None:
    answers = [Ranked("q1", [Hit("d1", 1.0), Hit("d2", 2.0), Hit("d1", 3.0)]), *empty("q2", "q3")]

    run = retrieve_run(Told(*answers), QUERIES, depth=2, name="told", duplicates="first")

    assert run.to_dict()["q1"] == {"d1": 3.0, "d2": 2.0}
    assert run.notes == ("told: 1 duplicate document dropped, best rank kept",)


def test_fields_are_kept_for_each_document_as_json_has_them() -> None:
    fields = {"title": "A", "price": np.float64(3.5), "tags": ("x", "y"), "sold": None, "more": {"in": True}}
    run = run_of(Ranked("q1", [Hit("d1", 1.0, fields)]), Ranked("q2", [Hit("d1", 1.0, {"title": "B"})]), *empty("q3"))

    assert run.fields == {"d1": {"title": "A", "price": 3.5, "tags": ["x", "y"], "sold": None, "more": {"in": True}}}


def test_columns_and_hits_make_the_same_run() -> None:
    columns = HitColumns(Ids.of(["a", "b", "c"]), np.array([2, 0]), np.array([1.0, 5.0]))

    assert list(columns) == [Hit("c", 1.0), Hit("a", 5.0)]
    assert columns[1] == Hit("a", 5.0)
    assert list(columns[:1]) == [Hit("c", 1.0)]
    assert (
        run_of(Ranked("q1", columns), *empty("q2", "q3")).to_dict()
        == run_of(Ranked("q1", list(columns)), *empty("q2", "q3")).to_dict()
    )


def test_a_retriever_is_opened_before_it_is_asked_and_closed_after() -> None:
    retriever = Told(*empty("q1", "q2", "q3"))
    retrieve_run(retriever, QUERIES, depth=1)

    assert retriever.events == ["opened", "q1", "q2", "q3", "closed"]


def test_a_retriever_is_closed_when_it_breaks_off() -> None:
    retriever = Told(*empty("q9"))
    with pytest.raises(RetrieverError):
        retrieve_run(retriever, QUERIES, depth=1)

    assert retriever.events == ["opened", "q9", "closed"]


def test_progress_is_told_answer_by_answer() -> None:
    told: list[tuple[int, int]] = []
    retrieve_run(
        Told(*empty("q2", "q1", "q3")), QUERIES, depth=1, progress=lambda done, total: told.append((done, total))
    )

    assert told == [(1, 3), (2, 3), (3, 3)]


def test_no_queries_make_an_empty_run() -> None:
    assert run_of(queries=()).to_dict() == {}


@pytest.mark.parametrize("depth", [0, -3])
def test_a_depth_below_one_is_refused(depth: int) -> None:
    with pytest.raises(UsageError, match="is below 1"):
        run_of(depth=depth)
