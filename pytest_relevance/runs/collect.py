"""From the answers of a retriever to its run: each query scored, empty, or failed with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from pytest_relevance.errors import RetrieverError, UsageError
from pytest_relevance.records import Duplicates, Ids, Query, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.run import Order, ranked_rows
from pytest_relevance.retrievers import Ranked, Retriever, WholeRuns, WithNotes
from pytest_relevance.runs.answers import Answer, NotUsable, read_answer

Progress = Callable[[int, int], None]  # queries answered, queries in all


def retrieve_run(
    retriever: Retriever,
    queries: Iterable[Query],
    *,
    depth: int,
    name: str = "run",
    duplicates: Duplicates = "error",
    progress: Progress | None = None,
) -> Run:
    """Open a retriever, ask it for all queries, close it, and give its run, cut at `depth`.

    The run has the queries in the order they are asked in. In its failures, with the reason, are those that the
    retriever failed, did not answer, answered more than once, or answered with something that cannot be ordered; with
    `duplicates="error"` also those whose answer holds a document twice ("first": its best rank counts, with a note).

    Raises:
        UsageError: depth is below 1.
        RetrieverError: the retriever cannot retrieve at all, or answers a query it was not asked.
    """
    if depth < 1:
        raise UsageError(f"depth {depth} is below 1", fix="retrieve at least one document per query")
    asked = tuple(queries)
    with retriever:
        if isinstance(retriever, WholeRuns):
            run = replace(retriever.whole_run(asked, depth=depth), name=name)
            if progress:
                progress(len(asked), len(asked))
            return run
        answers = _Answers(asked, name, duplicates)
        for ranked in retriever.retrieve(asked, depth=depth):
            answers.add(ranked)
            if progress:
                progress(answers.count, len(asked))
    run = answers.run().cut(depth)
    notes = tuple(retriever.notes()) if isinstance(retriever, WithNotes) else ()
    return replace(run, notes=(*run.notes, *notes)) if notes else run


class _Answers:
    """The answers of one retriever as they come."""

    def __init__(self, asked: tuple[Query, ...], name: str, duplicates: Duplicates) -> None:
        self.count = 0
        self._name = name
        self._duplicates = duplicates
        self._asked = [query.query_id for query in asked]
        self._waiting = set(self._asked)
        self._answered: dict[str, Answer] = {}
        self._failures: dict[str, str] = {}
        self._fields: dict[str, dict[str, object]] = {}
        self._seconds: dict[str, float] = {}

    def add(self, ranked: Ranked) -> None:
        query_id = ranked.query_id
        if query_id in self._waiting:
            self._waiting.remove(query_id)
            self.count += 1
            self._keep(ranked)
        elif query_id in self._answered or query_id in self._failures:
            self._answered.pop(query_id, None)
            self._failures[query_id] = "the retriever answered it more than once"
        else:
            raise RetrieverError(
                f"{self._name} answered query {query_id!r}, which it was not asked",
                fix="answer with the query_id of the query that was given",
            )

    def _keep(self, ranked: Ranked) -> None:
        if ranked.error is not None:
            self._failures[ranked.query_id] = ranked.error
            return
        try:
            answer = read_answer(ranked, self._duplicates)
        except NotUsable as problem:
            self._failures[ranked.query_id] = str(problem)
            return
        self._answered[ranked.query_id] = answer
        if ranked.seconds is not None:
            self._seconds[ranked.query_id] = ranked.seconds
        for doc_id, fields in answer.fields.items():
            self._fields.setdefault(doc_id, fields)

    def run(self) -> Run:
        """All that came, as a run; what is still waited for has failed."""
        failures = self._failures | dict.fromkeys(self._waiting, "the retriever gave no answer to it")
        query_ids = tuple(query_id for query_id in self._asked if query_id in self._answered)
        answers = [self._answered[query_id] for query_id in query_ids]
        ordered = _ordered(query_ids, answers, self._name, self._duplicates)
        mixed = sum(answer.mixed for answer in answers)
        if mixed:
            answers_told = f"{mixed} answer{'s' if mixed > 1 else ''}"
            note = f"{self._name}: some documents of {answers_told} have no score; there, scores count down by rank"
            ordered = replace(ordered, notes=(*ordered.notes, note))
        in_order = {query_id: failures[query_id] for query_id in self._asked if query_id in failures}
        seconds = {query_id: self._seconds[query_id] for query_id in query_ids if query_id in self._seconds}
        return replace(ordered, failures=in_order, fields=self._fields, seconds=seconds)


def _ordered(query_ids: tuple[str, ...], answers: list[Answer], name: str, duplicates: Duplicates) -> Run:
    offsets = np.zeros(len(answers) + 1, dtype=np.int64)
    np.cumsum([len(answer.scores) for answer in answers], out=offsets[1:])
    documents = Ids.joined([answer.documents for answer in answers])
    scores: Floats = np.concatenate([np.zeros(0), *(answer.scores for answer in answers)])
    given = np.array([answer.order == "given" for answer in answers], dtype=np.bool_)
    if given.any() and not given.all():
        # Only some answers stand in their service's order: those keep it, the others are ordered by score first.
        query_of_row = np.repeat(np.arange(len(answers)), np.diff(offsets))
        keys = np.where(given[query_of_row], -np.arange(len(scores), dtype=np.float64), scores)
        vocabulary, codes = documents.distinct()
        rows = ranked_rows(query_of_row, keys, codes, vocabulary)
        documents, scores = documents.take(rows), scores[rows]
    order: Order = "given" if given.any() else "score"
    return Run.from_columns(query_ids, offsets, documents, scores, name=name, order=order, duplicates=duplicates)
