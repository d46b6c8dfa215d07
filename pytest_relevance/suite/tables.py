"""The queries of a table: listed in the suite, in a file, or a slice of the suite's queries."""

from __future__ import annotations

from pytest_relevance.errors import SuiteError, nearest, suggestion
from pytest_relevance.records import Queries, Query
from pytest_relevance.suite.asserted import QueryTable
from pytest_relevance.suite.data import SuiteData, resolve_query
from pytest_relevance.suite.source import is_there
from pytest_relevance.trec import read_queries


def queries_of_table(table: QueryTable, data: SuiteData) -> tuple[Query, ...]:
    """The queries, in the table's order; each is the suite's own where the suite has it.

    Raises:
        SuiteError: the file is not there, the table holds no query, or one of its file is another one in the suite.
        DataError: the file has wrong lines.
    """
    place = table.spot.place if table.spot else None
    if table.slice is not None:
        members = data.members.get(table.slice, ())
        if not members:
            known = [name for name, query_ids in data.members.items() if query_ids]
            fix = suggestion(table.slice, known, label="slices with queries")
            raise SuiteError(f"slice {table.slice} holds no query", place=place, fix=fix)
        return tuple(data.queries[query_id] for query_id in members)
    if table.file is None:
        return tuple(resolve_query(data.queries, text, place=place) or Query(text, text) for text in table.listed)
    found = _read(table)
    if not len(found):
        raise SuiteError(f"{table.written} holds no query", place=place, fix="add queries, or remove the assertion")
    return tuple(_own(query, table, data) for query in found)


def _read(table: QueryTable) -> Queries:
    assert table.file is not None
    if not is_there(table.file):
        siblings = sorted(one.name for one in table.file.parent.glob("*")) if table.file.parent.is_dir() else []
        near = nearest(table.file.name, siblings)
        raise SuiteError(
            f"file {table.written!r} does not exist",
            place=table.spot.place if table.spot else None,
            fix=f"did you mean {near!r}?" if near else "paths begin at the suite's folder; a list needs brackets",
        )
    return read_queries(table.file)


def _own(query: Query, table: QueryTable, data: SuiteData) -> Query:
    """The suite's query of that id."""
    if query.query_id not in data.queries:
        return query
    own = data.queries[query.query_id]
    if own.text != query.text:
        raise SuiteError(
            f"query {query.query_id!r} of {table.written} is {query.text!r}, and {own.text!r} in the suite's queries",
            place=table.spot.place if table.spot else None,
            fix="give different queries different ids",
        )
    return own
