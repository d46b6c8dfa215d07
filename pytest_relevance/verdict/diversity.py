"""Diversity: what each of several retrievers adds to the others, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finder:
    """What one retriever found of the relevant documents."""

    retriever: str
    found: int
    unique: int  # of those, what no other retriever found


@dataclass(frozen=True, slots=True)
class Alike:
    """How alike two retrievers' rankings are, on average over the queries: 0.0 to 1.0."""

    one: str
    other: str
    overlap: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """Relevant documents found within a depth by retrievers side by side, over the judged queries."""

    depth: int  # ranks looked at
    queries: int
    relevant: int  # pairs of a query and a document that is relevant to it
    together: int  # of those, what any retriever found
    finders: tuple[Finder, ...]
    pairs: tuple[Alike, ...]  # each pair once

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Diversity:
        """The record again, from what JSON gives."""
        finders = tuple(Finder(**one) for one in plain["finders"])
        return cls(**{**plain, "finders": finders, "pairs": tuple(Alike(**one) for one in plain["pairs"])})
