"""Judgments and rankings in JSON and JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pytest_relevance.errors import DataError, ProblemList
from pytest_relevance.trec.columns import named_columns
from pytest_relevance.trec.located_json import Located, LocatedReader, id_text, number_of
from pytest_relevance.trec.rows import Row
from pytest_relevance.trec.text import Text


class JsonRows(NamedTuple):
    """Rows, and the queries that have none."""

    rows: list[Row]
    empty: list[str]


def json_rows(text: Text, role: str) -> JsonRows:
    """Rows of `{query_id: {doc_id: number}}` or `{query_id: [{id, score}, …]}`; a list may hold bare ids.

    A list without scores is in the order it has: its scores count down to 1.

    Raises:
        DataError: not this shape, or an id or a number cannot be used; up to ten with their places.
    """
    whole = LocatedReader(text).document(3)
    if not whole.is_object or whole.items is None:
        return _listed(text, whole, role)
    found = JsonRows([], [])
    problems = ProblemList()
    for key, child in whole.items:
        assert key is not None  # an object's children have keys
        before = len(found.rows)
        try:
            query_id = id_text(text, key, "query_id")
            _query_rows(text, query_id, child, role, found.rows)
        except DataError as problem:
            problems.add(problem)
            continue
        if len(found.rows) == before:
            found.empty.append(query_id)
    problems.raise_any()
    return found


def json_line_rows(text: Text, role: str) -> list[Row]:
    """Rows of JSON Lines: an object a row, with a query_id, a doc_id and a number under their usual names."""
    problems = ProblemList()
    rows: list[Row] = []
    for located in line_objects(text, 1, problems):
        try:
            rows.append(_object_row(text, located, role))
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    return rows


def line_objects(text: Text, levels: int, problems: ProblemList) -> Iterator[Located]:
    """The objects of JSON Lines, with their places; lines that hold none go to `problems`."""
    reader = LocatedReader(text)
    at = 0
    for line in text.text.split("\n"):
        start, stop = at, at + len(line)
        at = stop + 1
        if not line.strip():
            continue
        try:
            located = reader.document(levels, start, stop)
            if not located.is_object:
                raise text.error("expected an object in braces", start, "write one JSON object a line", len(line))
            yield located
        except DataError as problem:
            problems.add(problem)


def _listed(text: Text, whole: Located, role: str) -> JsonRows:
    problems = ProblemList()
    rows: list[Row] = []
    for _, child in whole.items or []:
        try:
            rows.append(_object_row(text, child, role))
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    return JsonRows(rows, [])


def _query_rows(text: Text, query_id: str, child: Located, role: str, rows: list[Row]) -> None:
    if child.items is None:
        raise text.error(
            f"expected documents of query {query_id!r}: an object or a list",
            child.at,
            f'write {{"{query_id}": {{"doc_id": {role}}}}}',
            child.end - child.at,
        )
    found: list[Row] = []
    unscored = 0
    for key, value in child.items:
        if key is not None:
            document, number = key, number_of(text, value, role)
        else:
            document, scored = _listed_document(text, value, role)
            unscored += scored is None
            number = 0.0 if scored is None else number_of(text, scored, role)
        found.append(Row(query_id, id_text(text, document, "doc_id"), number, *text.position(document.at)))
    if unscored and (role == "grade" or unscored < len(found)):
        raise text.error(f"some documents of query {query_id!r} have no {role}", child.at, f"give each a {role}")
    rows += [row._replace(number=float(len(found) - place)) for place, row in enumerate(found)] if unscored else found


def _listed_document(text: Text, located: Located, role: str) -> tuple[Located, Located | None]:
    if not located.is_object or located.items is None:
        return located, None
    fields = _fields(located)
    names = named_columns([str(key.value) for key, _ in fields])
    if "document" not in names:
        raise text.error("the document has no id", located.at, 'give it one under "id"', located.end - located.at)
    return fields[names["document"]][1], fields[names[role]][1] if role in names else None


def _object_row(text: Text, located: Located, role: str) -> Row:
    fields = _fields(located) if located.is_object and located.items is not None else []
    names = named_columns([str(key.value) for key, _ in fields])
    missing = next((name for name in ("query", "document", role) if name not in names), None)
    if missing:
        what = {"query": "query_id", "document": "doc_id"}.get(missing, missing)
        raise text.error(f"expected an object with a {what}", located.at, f"add {what}", located.end - located.at)
    query, document, number = (fields[names[name]][1] for name in ("query", "document", role))
    return Row(
        id_text(text, query, "query_id"),
        id_text(text, document, "doc_id"),
        number_of(text, number, role),
        *text.position(document.at),
    )


def _fields(located: Located) -> list[tuple[Located, Located]]:
    return [(key, value) for key, value in located.items or [] if key is not None]
