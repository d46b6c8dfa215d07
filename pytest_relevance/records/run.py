"""Run: the rankings of one retriever for all queries. Here, and nowhere else, a ranking is put in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.records.columns import Floats, Grouped, Truths, first_repeat, gathered, grouped_rows, rows_kept
from pytest_relevance.records.ids import Ids, Integers
from pytest_relevance.records.qrels import Duplicates

Order = Literal["score", "given"]


@dataclass(frozen=True, eq=False)
class Run(Grouped):
    """Rankings as columns, best first: rank 1 of query i is row offsets[i].

    Shapes: query_ids (q,), offsets (q + 1,), codes and scores (rows,); `doc_ids` holds each document once.
    A query with no rows was answered with nothing. A query in `failures` did not run, and is in no other column.
    """

    query_ids: tuple[str, ...]
    offsets: Integers
    doc_ids: Ids
    codes: Integers
    scores: Floats
    name: str = "run"
    failures: Mapping[str, str] = field(default_factory=dict)  # query_id → why it did not run
    fields: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # doc_id → fields kept from the answer
    seconds: Mapping[str, float] = field(default_factory=dict)  # query_id → from asking to the answer, where known
    notes: tuple[str, ...] = ()  # what a reader should know, such as duplicates that were dropped
    provenance: Mapping[str, object] = field(
        default_factory=dict
    )  # how it was made: model, versions, times; JSON holds it

    @classmethod
    def from_columns(
        cls,
        query_ids: tuple[str, ...],
        offsets: Integers,
        row_documents: Ids,
        scores: Floats,
        *,
        name: str = "run",
        order: Order = "score",
        duplicates: Duplicates = "error",
        notes: tuple[str, ...] = (),
    ) -> Run:
        """From one id and score a row, rows grouped by query.

        `order="score"`: score descending, equal scores by doc_id descending in bytes, as trec_eval has it; scores are
        compared as doubles. `order="given"`: the rows stand best first already, and scores are only carried.
        `duplicates="first"` keeps a document at its best rank and counts the others in a note.

        Raises:
            DataError: a document stands twice in one ranking, or a score is NaN where scores decide.
        """
        vocabulary, codes = row_documents.distinct()
        query_of_row = np.repeat(np.arange(len(query_ids)), np.diff(offsets))
        if order == "score":
            _refuse_nan(scores, query_ids, query_of_row, row_documents)
            best_first = ranked_rows(query_of_row, scores, codes, vocabulary)
            codes, scores = codes[best_first], scores[best_first]
        repeated = first_repeat(query_of_row, codes, len(vocabulary))
        if repeated.any():
            row, count = int(np.flatnonzero(repeated)[0]), int(repeated.sum())
            if duplicates == "error":
                raise DataError(
                    f"duplicate document {vocabulary[int(codes[row])]!r} in the ranking of query "
                    f"{query_ids[query_of_row[row]]!r} ({count} in all)",
                    fix="keep each document once, or read with duplicates: first",
                )
            notes = (*notes, f"{name}: {count} duplicate document{'s' if count > 1 else ''} dropped, best rank kept")
            offsets, codes, scores = rows_kept(offsets, ~repeated), codes[~repeated], scores[~repeated]
        return cls(query_ids, offsets, vocabulary, codes, scores, name, notes=notes)

    @classmethod
    def from_dict(
        cls, scores: Mapping[str, Mapping[str, float]], *, name: str = "run", duplicates: Duplicates = "error"
    ) -> Run:
        """From query_id → doc_id → score, the shape pytrec_eval takes; the order of the keys does not matter."""
        offsets = _bounds(len(ranking) for ranking in scores.values())
        documents = Ids.of(doc_id for ranking in scores.values() for doc_id in ranking)
        column = np.array([score for ranking in scores.values() for score in ranking.values()], dtype=np.float64)
        return cls.from_columns(tuple(scores), offsets, documents, column, name=name, duplicates=duplicates)

    @classmethod
    def from_rankings(
        cls, rankings: Mapping[str, Sequence[str]], *, name: str = "run", duplicates: Duplicates = "error"
    ) -> Run:
        """From query_id → doc_ids, best first. Scores count down to 1.0, so that the order survives any writer."""
        offsets = _bounds(len(ranking) for ranking in rankings.values())
        documents = Ids.of(doc_id for ranking in rankings.values() for doc_id in ranking)
        column = np.array(
            [float(len(ranking) - place) for ranking in rankings.values() for place in range(len(ranking))],
            dtype=np.float64,
        )
        return cls.from_columns(
            tuple(rankings), offsets, documents, column, name=name, order="given", duplicates=duplicates
        )

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[str, str, float]], *, name: str = "run", duplicates: Duplicates = "error"
    ) -> Run:
        """From (query_id, doc_id, score) rows in any order; `ir_measures.ScoredDoc` is such a row."""
        return cls.from_columns(*grouped_rows(rows), name=name, duplicates=duplicates)

    @classmethod
    def from_frame(cls, frame: Any, *, name: str = "run", duplicates: Duplicates = "error") -> Run:
        """From a pandas, polars or Arrow frame with query_id, doc_id, score (or qid, docno) columns."""
        from pytest_relevance.records.frames import frame_rows

        return cls.from_rows(frame_rows(frame, ("score",)), name=name, duplicates=duplicates)

    @property
    def ranks(self) -> Integers:
        """The rank of each row, from 1; shape (rows,)."""
        return np.arange(len(self.codes)) - np.repeat(self.offsets[:-1], self.counts) + 1

    @cached_property
    def tied_share(self) -> float:
        """Share of rows whose score equals that of a neighbour in the same ranking, 0.0 to 1.0."""
        if len(self.scores) < 2:
            return 0.0
        return float(_tied(self.query_of_row, self.scores).mean())

    def ranking(self, query_id: str) -> tuple[str, ...]:
        """doc_ids of one query, best first; empty where nothing came back."""
        return tuple(self.doc_ids.texts(self.codes[self.rows_of(query_id)]))

    def scores_of(self, query_id: str) -> tuple[float, ...]:
        """Scores of one query, beside `ranking`."""
        return tuple(self.scores[self.rows_of(query_id)].tolist())

    def to_dict(self) -> dict[str, dict[str, float]]:
        """query_id → doc_id → score, best first."""
        return self.as_dicts(self.scores)

    def restricted_to(self, query_ids: Iterable[str]) -> Run:
        """Only these queries, in the order of this record; unknown ids are ignored."""
        wanted = set(query_ids)
        chosen, offsets, rows = self.chosen(wanted)
        return replace(
            self,
            query_ids=chosen,
            offsets=offsets,
            codes=self.codes[rows],
            scores=self.scores[rows],
            failures={query_id: why for query_id, why in self.failures.items() if query_id in wanted},
            seconds={query_id: took for query_id, took in self.seconds.items() if query_id in wanted},
        )

    def cut(self, depth: int) -> Run:
        """The first `depth` documents of each ranking."""
        if self.counts.max(initial=0) <= depth:
            return self
        offsets, rows = gathered(self.offsets, np.arange(len(self.query_ids)), most=depth)
        return replace(self, offsets=offsets, codes=self.codes[rows], scores=self.scores[rows])


def ranked_rows(query_of_row: Integers, scores: Floats, codes: Integers, vocabulary: Ids) -> Integers:
    """The row numbers, best first within each query: the tie rule of this package; shape (rows,)."""
    inner = query_of_row[1:] == query_of_row[:-1]
    stands_so = not (inner & (scores[1:] > scores[:-1])).any()  # most files do: sorting costs more than looking
    order = np.arange(len(scores)) if stands_so else np.lexsort((-scores, query_of_row))
    tied = _tied(query_of_row[order], scores[order])
    if tied.any():
        rows = order[tied]
        # Equal scores: the later doc_id first, as trec_eval has it; see docs/decisions/0001-order-of-ties.md.
        later_first = -vocabulary.sort_ranks(codes[rows])
        order[tied] = rows[np.lexsort((later_first, -scores[rows], query_of_row[rows]))]
    return order


def _tied(query_of_row: Integers, scores: Floats) -> Truths:
    """Whether a row's score equals that of a neighbour in the same ranking, rows best first; shape (rows,)."""
    same = (scores[1:] == scores[:-1]) & (query_of_row[1:] == query_of_row[:-1])
    tied = np.zeros(len(scores), dtype=np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    return tied


def _bounds(counts: Iterable[int]) -> Integers:
    return np.concatenate(([0], np.cumsum(list(counts)))).astype(np.int64)


def _refuse_nan(scores: Floats, query_ids: tuple[str, ...], query_of_row: Integers, documents: Ids) -> None:
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"score 'nan' of document {documents[row]!r} for query {query_ids[query_of_row[row]]!r} "
            "is not a number that can be ordered",
            fix="drop the document or give it a score",
        )
