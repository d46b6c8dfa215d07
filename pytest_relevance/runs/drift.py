"""Drift: how what a service answers now differs from what was recorded of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pytest_relevance.records import Run
from pytest_relevance.retrievers import Hit, RecordedAnswer

SHOWN = 10  # queries a report names
DOCUMENTS = 5  # documents named for each


@dataclass(frozen=True)
class QueryDrift:
    """One query whose answers differ."""

    query_id: str
    first_rank: int  # the best rank, from 1, that holds another document now
    new: tuple[str, ...]  # documents that were not there
    gone: tuple[str, ...]  # documents that are not there any more

    def __str__(self) -> str:
        if not self.new and not self.gone:
            return f"{self.query_id}: another order from rank {self.first_rank}"
        parts = [f"new {_some(self.new)}" if self.new else "", f"gone {_some(self.gone)}" if self.gone else ""]
        return f"{self.query_id}: from rank {self.first_rank}: {', '.join(part for part in parts if part)}"


@dataclass(frozen=True)
class Drift:
    """The comparison of a retriever's recordings with a live run."""

    retriever: str
    same: int  # queries with the same documents in the same order
    moved: tuple[QueryDrift, ...]
    failed: tuple[str, ...]  # query ids that did not run now
    unrecorded: tuple[str, ...]  # query ids without a recording
    unasked: tuple[str, ...]  # query ids with a recording only

    @property
    def is_none(self) -> bool:
        """Whether a replay says what the service says."""
        return not (self.moved or self.failed or self.unrecorded or self.unasked)

    def lines(self) -> list[str]:
        """The report, its worst queries first."""
        compared = self.same + len(self.moved)
        lines = [f"{self.retriever}: {len(self.moved)} of {compared} recorded rankings differ from what it answers now"]
        worst = sorted(self.moved, key=lambda one: (one.first_rank, -len(one.new) - len(one.gone), one.query_id))
        lines += [f"  {one}" for one in worst[:SHOWN]]
        if len(worst) > SHOWN:
            lines.append(f"  and {len(worst) - SHOWN} more")
        rest = (
            ("did not run now", self.failed),
            ("have no recording", self.unrecorded),
            ("were not asked", self.unasked),
        )
        lines += [f"  {len(query_ids)} {what}: {_some(query_ids)}" for what, query_ids in rest if query_ids]
        return lines


def drift(retriever: str, recorded: Iterable[RecordedAnswer], live: Run, *, depth: int) -> Drift:
    """Compare recordings with a live run of the same retriever, both to `depth`.

    Scores are not compared: a service may change all of them and rank as before.
    """
    before = {answer.query_id: _distinct(answer.hits)[:depth] for answer in recorded}
    both = [query_id for query_id in live.query_ids if query_id in before]
    compared = [_moved(query_id, before[query_id], live.ranking(query_id)[:depth]) for query_id in both]
    moved = tuple(one for one in compared if one is not None)
    asked = (*live.query_ids, *live.failures)
    return Drift(
        retriever,
        len(both) - len(moved),
        moved,
        tuple(query_id for query_id in live.failures if query_id in before),
        tuple(query_id for query_id in asked if query_id not in before),
        tuple(query_id for query_id in before if query_id not in set(asked)),
    )


def _distinct(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.doc_id for hit in hits))


def _moved(query_id: str, before: Sequence[str], now: Sequence[str]) -> QueryDrift | None:
    if tuple(before) == tuple(now):
        return None
    pairs = enumerate(zip_longest(before, now), start=1)
    first = next(rank for rank, (one, other) in pairs if one != other)
    return QueryDrift(
        query_id,
        first,
        tuple(doc_id for doc_id in now if doc_id not in before),
        tuple(doc_id for doc_id in before if doc_id not in now),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:DOCUMENTS]) + (", …" if len(names) > DOCUMENTS else "")
