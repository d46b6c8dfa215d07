"""One answer of a retriever as columns, or the reason it cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pytest_relevance.records import Duplicates, Ids
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.run import Order
from pytest_relevance.retrievers import Hit, HitColumns, Ranked


class NotUsable(Exception):  # noqa: N818 - a state of one answer that never leaves this room
    """Why an answer cannot be used, in words for the query's failure."""


@dataclass(frozen=True)
class Answer:
    """Documents and scores of one query, in the order they came; shapes: documents (n), scores (n,)."""

    documents: Ids
    scores: Floats
    order: Order
    mixed: bool = False  # some documents came without a score, so all scores were replaced by a count-down
    fields: Mapping[str, dict[str, object]] = field(default_factory=dict)  # doc_id → kept fields


def read_answer(ranked: Ranked, duplicates: Duplicates) -> Answer:
    """The columns of an answer.

    Raises:
        NotUsable: a doc_id is not text, a score is no number where scores decide, a document stands twice
            (and `duplicates="error"`), or a field is not what JSON can hold.
    """
    if isinstance(ranked.hits, HitColumns):
        return _from_columns(ranked.hits, ranked.order, duplicates)
    hits = list(ranked.hits)
    doc_ids = [_doc_id(hit) for hit in hits]
    if duplicates == "error" and len(set(doc_ids)) < len(doc_ids):
        raise _twice(doc_ids)
    scores, mixed = _scores(hits, ranked.order)
    fields = {hit.doc_id: _plain_fields(hit) for hit in hits if hit.fields}
    return Answer(Ids.of(doc_ids), scores, ranked.order, mixed, fields)


def _from_columns(hits: HitColumns, order: Order, duplicates: Duplicates) -> Answer:
    documents = hits.doc_ids.take(hits.codes)
    if duplicates == "error" and len(np.unique(hits.codes)) < len(hits.codes):
        raise _twice(list(documents))
    if np.isnan(hits.scores).any():
        raise _no_number(documents[int(np.flatnonzero(np.isnan(hits.scores))[0])], "nan")
    return Answer(documents, hits.scores, order)


def _doc_id(hit: Hit) -> str:
    doc_id: object = hit.doc_id  # what a third party put there
    if not isinstance(doc_id, str):
        raise NotUsable(f"doc_id {doc_id!r} of an answer is not text")
    return doc_id


def _scores(hits: Sequence[Hit], order: Order) -> tuple[Floats, bool]:
    scores = np.array([_score(hit) for hit in hits], dtype=np.float64)
    missing = np.isnan(scores)
    if not missing.any():
        return scores, False
    if order == "score":
        hit = hits[int(np.flatnonzero(missing)[0])]
        raise _no_number(hit.doc_id, hit.score)
    return np.arange(len(hits), 0, -1, dtype=np.float64), not missing.all()


def _score(hit: Hit) -> float:
    score: object = hit.score  # what a third party put there
    if score is None:
        return float("nan")
    if not isinstance(score, int | float | np.number):
        raise _no_number(hit.doc_id, score)
    return float(score)


def _no_number(doc_id: str, score: object) -> NotUsable:
    return NotUsable(f"score {score!r} of document {doc_id!r} is not a number that can be ordered")


def _twice(doc_ids: Sequence[str]) -> NotUsable:
    doc_id, count = Counter(doc_ids).most_common(1)[0]
    return NotUsable(f"duplicate document {doc_id!r}: {count} times in one answer (`duplicates: first` keeps the best)")


def _plain_fields(hit: Hit) -> dict[str, object]:
    return {
        str(name): _plain(value, f"field {name!r} of document {hit.doc_id!r}") for name, value in hit.fields.items()
    }


def _plain(value: object, where: str) -> object:
    """The value as JSON holds it, so that it is the same for whoever reads the run from a file."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(part, where) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [_plain(part, where) for part in value]
    raise NotUsable(f"{where} is a {type(value).__name__}: give text, a number, true or false, or a list of them")
