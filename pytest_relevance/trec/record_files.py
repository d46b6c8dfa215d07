"""Queries from tables, JSON Lines and JSON, and documents from one JSON value: what is read whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance.errors import DataError, ProblemList, quoted
from pytest_relevance.records import Corpus, Query
from pytest_relevance.trec.columns import ID_NAMES, TEXT_NAMES, first_named, plain
from pytest_relevance.trec.delimited import Cell, delimiter_in, records, refuse_width
from pytest_relevance.trec.documents import Placed, placed_object, repeated
from pytest_relevance.trec.json_rows import line_objects
from pytest_relevance.trec.located_json import Located, LocatedReader, fields_of, id_text, taken
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


def json_corpus(text: Text, repeats: Repeats | None = None) -> Corpus:
    """Documents of one JSON list of objects, or of a JSON object (doc_id → an object).

    Given `repeats`, an id's first document is kept and the others go there.

    Raises:
        DataError: a document has no usable id, or one that another has (both lines named).
    """
    problems = ProblemList()
    documents: dict[str, Placed] = {}
    for key, located in _json_records(text, problems, lines=False):
        try:
            placed = placed_object(text, key, located)
            first = documents.setdefault(placed.doc_id, placed)
            if first is not placed and repeats is None:
                raise repeated(placed, first)
            if first is not placed and repeats is not None:
                repeats.append(Repeat(placed.doc_id, placed.fields == first.fields, placed.place, first.place))
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    if not documents:
        raise text.source.empty("documents")
    return Corpus({doc_id: placed.fields for doc_id, placed in documents.items()})


def _header(text: Text, cells: Sequence[Cell]) -> Sequence[str] | None:
    names = [cell.text.strip() for cell in cells]
    complete = first_named(names, ID_NAMES) is not None and first_named(names, TEXT_NAMES) is not None
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
        if first_named(names, wanted) is None:
            raise text.error(
                f"the header names no column {what}",
                cells[0].at,
                f"call one of the columns {what}; it has {', '.join(names)}",
                cells[-1].at + len(cells[-1].text) - cells[0].at,
            )
    return names


def _row_query(text: Text, header: Sequence[str], cells: Sequence[Cell]) -> PlacedQuery:
    refuse_width(text, header, cells)
    id_column, text_column = first_named(header, ID_NAMES), first_named(header, TEXT_NAMES)
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
    fields = dict(fields_of(text, located))
    where = key or taken(text, located, fields, ID_NAMES, "query_id")
    query_id = id_text(text, where, "query_id")
    words = taken(text, located, fields, TEXT_NAMES, "text")
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
