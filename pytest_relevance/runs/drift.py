"""Drift: how what a service answers now differs from what was recorded of it, request by request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from pytest_relevance.measures import overlap
from pytest_relevance.records import Run
from pytest_relevance.retrievers import Hit, RecordedAnswer

LIKENESS = "RBO(p=0.9)"


@dataclass(frozen=True)
class Moved:
    """One query whose answers differ in their documents or in the order of them."""

    query_id: str
    likeness: float  # RBO(p=0.9) of the two rankings, 0.0 (nothing shared) to 1.0
    first_rank: int  # the best rank, from 1, that holds another document now
    entered: tuple[str, ...]  # documents that were not there, best first
    left: tuple[str, ...]  # documents that are not there any more, best first
    documents: tuple[int, int]  # how many were answered then and now
    totals: tuple[int | None, int | None]  # how many the service said it has, where it tells


@dataclass(frozen=True)
class Drift:
    """The recordings of one retriever against its service."""

    retriever: str
    same: int  # requests with the same documents in the same order
    moved: tuple[Moved, ...]  # those least alike first
    likeness: float  # mean RBO(p=0.9) of the requests that were answered both times; 1.0 where there are none
    failed: Mapping[str, str]  # query_id → why a recorded query did not run now
    other_requests: tuple[str, ...]  # query ids with a recording, but of another request than is made now
    unrecorded: tuple[str, ...]  # query ids without a recording
    unasked: tuple[str, ...]  # query ids with a recording that nothing asks for any more
    engines: tuple[tuple[str, ...], tuple[str, ...]]  # names and versions the service told, then and now
    recorded: tuple[str, str]  # the first and last time of recording, in UTC

    @property
    def compared(self) -> int:
        """How many requests were answered both times."""
        return self.same + len(self.moved)

    @property
    def is_none(self) -> bool:
        """Whether a replay says what the service says."""
        return not (self.moved or self.failed or self.other_requests or self.unrecorded or self.unasked)


def drift(
    retriever: str,
    recorded: Iterable[RecordedAnswer],
    now: Iterable[RecordedAnswer],
    failed: Mapping[str, str] | None = None,
) -> Drift:
    """Compare what was recorded of a retriever with what was recorded of it just now; `failed` did not run now.

    Two answers are of one request where their keys are equal. Scores are not compared: a service may change all of them
    and rank as before.
    """
    before, after = _by_key(recorded), _by_key(now)
    both = [key for key in before if key in after]
    likeness = _likeness(before, after, both)
    moved = [_moved(before[key], after[key], likeness[key]) for key in both]
    changed = sorted((one for one in moved if one is not None), key=lambda one: (one.likeness, one.query_id))
    lost = {before[key].query_id for key in before if key not in after}
    new = {after[key].query_id for key in after if key not in before}
    reasons = {query_id: why for query_id, why in (failed or {}).items() if query_id in lost}
    times = sorted(answer.time for answer in before.values())
    return Drift(
        retriever,
        len(both) - len(changed),
        tuple(changed),
        float(np.mean(list(likeness.values()))) if likeness else 1.0,
        reasons,
        tuple(sorted(lost & new)),
        tuple(sorted(new - lost)),
        tuple(sorted(lost - new - reasons.keys())),
        (_engines(before), _engines(after)),
        (times[0], times[-1]) if times else ("", ""),
    )


def _by_key(answers: Iterable[RecordedAnswer]) -> dict[str, RecordedAnswer]:
    return {answer.key: answer for answer in answers}


def _likeness(
    before: Mapping[str, RecordedAnswer], after: Mapping[str, RecordedAnswer], keys: Sequence[str]
) -> dict[str, float]:
    if not keys:
        return {}
    then, now = (Run.from_rankings({key: _distinct(side[key].hits) for key in keys}) for side in (before, after))
    values = overlap(then, now, LIKENESS)
    return dict(zip(values.query_ids, values.column.tolist(), strict=True))


def _moved(before: RecordedAnswer, after: RecordedAnswer, likeness: float) -> Moved | None:
    then, now = _distinct(before.hits), _distinct(after.hits)
    if then == now:
        return None
    pairs = zip_longest(then, now)
    return Moved(
        before.query_id,
        likeness,
        next(rank for rank, (one, other) in enumerate(pairs, start=1) if one != other),
        tuple(doc_id for doc_id in now if doc_id not in set(then)),
        tuple(doc_id for doc_id in then if doc_id not in set(now)),
        (len(then), len(now)),
        (before.total, after.total),
    )


def _distinct(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.doc_id for hit in hits))


def _engines(answers: Mapping[str, RecordedAnswer]) -> tuple[str, ...]:
    return tuple(sorted({answer.engine for answer in answers.values() if answer.engine}))
