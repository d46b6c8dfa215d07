"""Queries as their files list them, checked for repeats and empty texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pytest_relevance.errors import DataError, ProblemList, quoted
from pytest_relevance.records import Queries, Query
from pytest_relevance.trec.repeats import Repeat, Repeats
from pytest_relevance.trec.text import Text


class PlacedQuery(NamedTuple):
    """A query and the position of its id in the text."""

    query: Query
    at: int


def checked_queries(text: Text, listed: Iterable[PlacedQuery], repeats: Repeats | None = None) -> Queries:
    """The queries, each with an id of its own and a text; given `repeats`, those go there and the first is kept.

    Raises:
        DataError: an id stands twice (both lines named), or a query has no text.
    """
    seen: dict[str, PlacedQuery] = {}
    problems = ProblemList()
    queries: list[Query] = []
    for query, at in listed:
        first = seen.setdefault(query.query_id, PlacedQuery(query, at))
        if first.at != at and repeats is not None:
            places = text.place(at, len(query.query_id)), text.place(first.at)
            repeats.append(Repeat(query.query_id, query.text == first.query.text, *places))
            continue
        if first.at != at:
            problems.add(_repeat(text, query.query_id, first.at, at))
        elif not query.text.strip():
            what = f"query {quoted(query.query_id)} has no text"
            problems.add(text.error(what, at, "give it a text, or drop it", len(query.query_id)))
        queries.append(query)
    problems.raise_any()
    if not queries:
        raise text.source.empty("queries")
    return Queries(tuple(queries))


def _repeat(text: Text, query_id: str, first: int, at: int) -> DataError:
    what = f"duplicate query {quoted(query_id)}: first at {text.place(first)}"
    return text.error(what, at, "give each query an id of its own", len(query_id))
