"""Ranking: one query's answer with all that is known of each document, as assertions and reports read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pytest_relevance.records.queries import Query


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One place of a ranking."""

    rank: int  # from 1
    doc_id: str
    score: float
    grade: float | None = None  # None: unjudged
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranking:
    """The documents of one query, best first."""

    query: Query
    retriever: str
    documents: tuple[RankedDocument, ...]
    asked: int | None = None  # how many documents were asked for; None: nobody knows
    seconds: float | None = None  # from asking to the answer; None: nobody knows

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[RankedDocument]:
        return iter(self.documents)

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """doc_id → rank."""
        return {document.doc_id: document.rank for document in self.documents}

    def top(self, depth: int) -> tuple[RankedDocument, ...]:
        """The first `depth` documents, or all there are."""
        return self.documents[:depth]
