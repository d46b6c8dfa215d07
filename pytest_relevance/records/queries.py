"""Queries: the needs of a suite, with their text and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from pytest_relevance.errors import DataError


@dataclass(frozen=True, slots=True)
class Query:
    """One need: what is searched for, and what is known of it."""

    query_id: str
    text: str
    attributes: Mapping[str, object] = field(default_factory=dict)  # the file's extra fields


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries of a suite in file order; each query_id once."""

    items: tuple[Query, ...]

    def __post_init__(self) -> None:
        if len(self.by_id) != len(self.items):
            seen: set[str] = set()
            for query in self.items:
                if query.query_id in seen:
                    raise DataError(f"query {query.query_id!r} is there twice", fix="give each query an id of its own")
                seen.add(query.query_id)

    @classmethod
    def from_dict(cls, texts: Mapping[str, str]) -> Queries:
        """From query_id → text."""
        return cls(tuple(Query(query_id, text) for query_id, text in texts.items()))

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.items)

    def __getitem__(self, query_id: str) -> Query:
        return self.by_id[query_id]

    def __contains__(self, query_id: object) -> bool:
        return query_id in self.by_id

    @cached_property
    def by_id(self) -> Mapping[str, Query]:
        return MappingProxyType({query.query_id: query for query in self.items})

    @cached_property
    def by_text(self) -> Mapping[str, tuple[Query, ...]]:
        """text → the queries that have it."""
        found: dict[str, tuple[Query, ...]] = {}
        for query in self.items:
            found[query.text] = (*found.get(query.text, ()), query)
        return MappingProxyType(found)

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        return tuple(query.query_id for query in self.items)

    def to_dict(self) -> dict[str, str]:
        """query_id → text."""
        return {query.query_id: query.text for query in self.items}

    def restricted_to(self, query_ids: Iterable[str]) -> Queries:
        """Only these queries, in the order of this record; unknown ids are ignored."""
        wanted = set(query_ids)
        return Queries(tuple(query for query in self.items if query.query_id in wanted))

    def where(self, holds: Callable[[Query], bool]) -> Queries:
        """Only the queries for which `holds` is true."""
        return Queries(tuple(query for query in self.items if holds(query)))
