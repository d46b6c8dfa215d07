"""Queries and documents from tables, JSON Lines and JSON: an id, a text or fields, and whatever else a file has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance.errors import DataError, ProblemList, quoted
from pytest_relevance.records import Corpus, Query
from pytest_relevance.trec.columns import DOCUMENT_NAMES, ID_NAMES, TEXT_NAMES, plain
from pytest_relevance.trec.delimited import Cell, delimiter_in, records
from pytest_relevance.trec.json_rows import line_objects
from pytest_relevance.trec.located_json import Located, LocatedReader, id_text
from pytest_relevance.trec.query_list import PlacedQuery
from pytest_relevance.trec.repeats import Repeat, Repeats
from pytest_relevance.trec.text import Text

_QUERY_HEADER = frozenset(plain(name) for name in (*ID_NAMES, *TEXT_NAMES))


def table_queries(text: Text) -> list[PlacedQuery]:
    """Queries of a table: with a header, or two columns (query_id, text) without one; other columns are attributes."""
    problems = ProblemList()
    queries: list[PlacedQuery] = []
    header: Sequence[str] | None = None
    for cells in records(text, delimiter_in(text)):
        if header is None:
            header = _header(text, cells)
            if header:
                continue
            header = ("query_id", "text")
        try:
            queries.append(_row_query(text, header, cells))
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    return queries


def json_queries(text: Text, *, lines: bool) -> list[PlacedQuery]:
    """Queries of JSON Lines, a JSON list of objects, or a JSON object (query_id → text, or → an object)."""
    problems = ProblemList()
    queries: list[PlacedQuery] = []
    for key, located in _json_records(text, problems, lines=lines):
        try:
            queries.append(_object_query(text, key, located))
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    return queries


def json_corpus(text: Text, *, lines: bool, repeats: Repeats | None = None) -> Corpus:
    """Documents of JSON Lines or JSON: `_id`, `id` or `doc_id`, and fields.

    Given `repeats`, an id's first document is kept and the others go there.

    Raises:
        DataError: a document has no usable id, or one that another has (both lines named).
    """
    problems = ProblemList()
    documents: dict[str, Mapping[str, object]] = {}
    places: dict[str, int] = {}
    for key, located in _json_records(text, problems, lines=lines):
        try:
            fields = dict(_fields(text, located))
            where = key or _taken(text, located, fields, DOCUMENT_NAMES, "doc_id")
            doc_id = id_text(text, where, "doc_id")
            first = places.setdefault(doc_id, where.at)
            document = {name: value.value for name, value in fields.items()}
            if first != where.at and repeats is not None:
                repeats.append(_repeat(text, doc_id, where.at, first, same=document == documents[doc_id]))
                continue
            if first != where.at:
                what = f"duplicate document {quoted(doc_id)}: first at {text.place(first)}"
                raise text.error(what, where.at, "give each document an id of its own", where.end - where.at)
            documents[doc_id] = document
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    if not documents:
        raise text.source.empty("documents")
    return Corpus(documents)


def table_corpus(text: Text, repeats: Repeats | None = None) -> Corpus:
    """Documents of a table with a header that names their id; every other column is a field.

    Given `repeats`, an id's first document is kept and the others go there.
    """
    problems = ProblemList()
    documents: dict[str, Mapping[str, object]] = {}
    places: dict[str, int] = {}
    header: Sequence[str] | None = None
    for cells in records(text, delimiter_in(text)):
        if header is None:
            header = [cell.text.strip() for cell in cells]
            column = _document_column(text, header, cells)
            continue
        try:
            _refuse_width(text, header, cells)
            doc_id, at = cells[column]
            first = places.setdefault(doc_id, at)
            document = {
                name: cell.text for place, (name, cell) in enumerate(zip(header, cells, strict=True)) if place != column
            }
            if doc_id and first != at and repeats is not None:
                repeats.append(_repeat(text, doc_id, at, first, same=document == documents[doc_id]))
                continue
            if not doc_id or first != at:
                what = f"duplicate document {quoted(doc_id)}: first at {text.place(first)}" if doc_id else "no doc_id"
                raise text.error(what, at, "give each document an id of its own", max(1, len(doc_id)))
            documents[doc_id] = {
                name: cell.text for place, (name, cell) in enumerate(zip(header, cells, strict=True)) if place != column
            }
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    if not documents:
        raise text.source.empty("documents")
    return Corpus(documents)


def _repeat(text: Text, doc_id: str, at: int, first: int, *, same: bool) -> Repeat:
    return Repeat(doc_id, same, text.place(at, len(doc_id)), text.place(first))


def _header(text: Text, cells: Sequence[Cell]) -> Sequence[str] | None:
    names = [cell.text.strip() for cell in cells]
    complete = _first_named(names, ID_NAMES) is not None and _first_named(names, TEXT_NAMES) is not None
    if plain(names[0]) not in _QUERY_HEADER and not complete:
        if len(cells) == 2:
            return None
        found = f"{len(cells)} column{'' if len(cells) == 1 else 's'} without a header"
        raise text.error(
            f"expected 2 columns (query_id, text), found {found}",
            cells[0].at,
            "separate id and text by a tab, or begin the file with a header that names query_id and text",
            cells[-1].at + len(cells[-1].text) - cells[0].at,
        )
    for what, wanted in (("query_id", ID_NAMES), ("text", TEXT_NAMES)):
        if _first_named(names, wanted) is None:
            raise text.error(
                f"the header names no column {what}",
                cells[0].at,
                f"call one of the columns {what}; it has {', '.join(names)}",
                cells[-1].at + len(cells[-1].text) - cells[0].at,
            )
    return names


def _row_query(text: Text, header: Sequence[str], cells: Sequence[Cell]) -> PlacedQuery:
    _refuse_width(text, header, cells)
    id_column, text_column = _first_named(header, ID_NAMES), _first_named(header, TEXT_NAMES)
    assert id_column is not None  # _header saw to it
    assert text_column is not None
    query_id, at = cells[id_column]
    if not query_id:
        raise text.error("the query_id is empty", at, "give each query an id")
    attributes: dict[str, object] = {
        name: cell.text
        for place, (name, cell) in enumerate(zip(header, cells, strict=True))
        if place not in (id_column, text_column)
    }
    return PlacedQuery(Query(query_id, cells[text_column].text, attributes), at)


def _object_query(text: Text, key: Located | None, located: Located) -> PlacedQuery:
    if key is not None and isinstance(located.value, str):
        return PlacedQuery(Query(id_text(text, key, "query_id"), located.value), key.at)
    fields = dict(_fields(text, located))
    where = key or _taken(text, located, fields, ID_NAMES, "query_id")
    query_id = id_text(text, where, "query_id")
    words = _taken(text, located, fields, TEXT_NAMES, "text")
    if not isinstance(words.value, str):
        raise text.error(f"the text of query {quoted(query_id)} is not text", words.at, "write it in quotes")
    return PlacedQuery(Query(query_id, words.value, {name: value.value for name, value in fields.items()}), where.at)


def _json_records(text: Text, problems: ProblemList, *, lines: bool) -> Iterator[tuple[Located | None, Located]]:
    if lines:
        for located in line_objects(text, 1, problems):
            yield None, located
        return
    whole = LocatedReader(text).document(2)
    if whole.items is None:
        raise text.error("expected a JSON object or a list of objects", whole.at, "see the formats page")
    keys = {key.value for key, _ in whole.items if key is not None}
    single = not keys.isdisjoint(("_id", "id", "query_id"))
    yield from [(None, whole)] if single else whole.items


def _fields(text: Text, located: Located) -> Iterator[tuple[str, Located]]:
    if not located.is_object or located.items is None:
        raise text.error("expected an object in braces", located.at, "write an object", located.end - located.at)
    for key, value in located.items:
        if key is not None:
            yield str(key.value), value


def _taken(text: Text, located: Located, fields: dict[str, Located], wanted: Sequence[str], what: str) -> Located:
    name = _first_named(list(fields), wanted)
    if name is None:
        raise text.error(f"expected a {what}", located.at, f"give the object a {what}", located.end - located.at)
    return fields.pop(list(fields)[name])


def _first_named(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    places = {plain(name): place for place, name in reversed(list(enumerate(names)))}
    return next((places[plain(name)] for name in wanted if plain(name) in places), None)


def _document_column(text: Text, header: Sequence[str], cells: Sequence[Cell]) -> int:
    column = _first_named(header, DOCUMENT_NAMES)
    if column is None:
        raise text.error("the header names no column doc_id", cells[0].at, "call the column of the ids doc_id")
    return column


def _refuse_width(text: Text, header: Sequence[str], cells: Sequence[Cell]) -> None:
    if len(cells) != len(header):
        raise text.error(
            f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}",
            cells[0].at,
            "give the row as many columns as the header, and put text that holds the delimiter in quotes",
            cells[-1].at + len(cells[-1].text) - cells[0].at,
        )
