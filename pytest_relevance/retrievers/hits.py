"""From whatever a user's function returns to hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import iscoroutine
from typing import Any

from pytest_relevance.retrievers.protocol import Hit

_IDS = ("doc_id", "id", "_id")
_SHAPES = "doc_ids, (doc_id, score) pairs, a mapping from doc_id to score, mappings with id, score and fields, or Hits"


class NotHits(Exception):  # noqa: N818 - a state of one answer, told as the failure of its query
    """What came back is no answer, in words for the query's failure."""


def hits_from(answer: object) -> tuple[list[Hit], bool]:
    """The hits of an answer, and whether they have scores; without any, the answer stands best first.

    Taken are an iterable of doc_ids, of (doc_id, score) pairs, of mappings with `doc_id` or `id`, `score` and `fields`
    (what else they hold is kept as fields too), of Hits, or one mapping from doc_id to score.

    Raises:
        NotHits: it is none of these; what it is is told.
    """
    if isinstance(answer, Mapping):
        pairs = [Hit(doc_id, score) for doc_id, score in answer.items()]
        for hit in pairs:
            _refuse_other(hit, answer)
        return pairs, True
    if iscoroutine(answer):
        answer.close()  # or Python warns that nobody awaited it
        raise NotHits(f"the function returned a coroutine: write it without async; it may return {_SHAPES}")
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise NotHits(f"the function returned {_shown(answer)}: it may return {_SHAPES}")
    hits = [_hit(item) for item in answer]
    return hits, not hits or any(hit.score is not None for hit in hits)


def _hit(item: Any) -> Hit:
    if isinstance(item, Hit):
        return item
    if isinstance(item, str):
        return Hit(item)
    if isinstance(item, Mapping):
        return _from_mapping(item)
    if isinstance(item, tuple | list) and len(item) == 2:
        hit = Hit(item[0], item[1])
        _refuse_other(hit, item)
        return hit
    raise NotHits(f"the function returned {_shown(item)} among its documents: it may return {_SHAPES}")


def _from_mapping(item: Mapping[str, Any]) -> Hit:
    name = next((name for name in _IDS if name in item), None)
    if name is None:
        raise NotHits(f"the function returned {_shown(item)} among its documents: it has no doc_id and no id")
    kept = item.get("fields") or {}
    if not isinstance(kept, Mapping):
        raise NotHits(f"the function returned {_shown(item)} among its documents: its fields are no mapping")
    others = {key: value for key, value in item.items() if key not in (name, "score", "fields")}
    return Hit(item[name], item.get("score"), {**others, **kept})


def _refuse_other(hit: Hit, answer: object) -> None:
    doc_id: object = hit.doc_id
    if not isinstance(doc_id, str) or isinstance(hit.score, str | bytes | Mapping | list | tuple):
        raise NotHits(f"the function returned {_shown(answer)}, which is not doc_id (text) and score (a number)")


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 80 else text[:79] + '…'}"
