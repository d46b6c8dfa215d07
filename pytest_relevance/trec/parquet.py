"""Parquet, by pyarrow, which is imported here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from pytest_relevance.errors import RelevanceError, quoted
from pytest_relevance.records import Duplicates, Qrels, Queries, Query, Run
from pytest_relevance.records.ids import Integers
from pytest_relevance.trec.columns import ID_NAMES, TEXT_NAMES, first_named, named_columns
from pytest_relevance.trec.rows import Row, Rows, qrels_of, run_of
from pytest_relevance.trec.source import Source

KEPT = b"pytest_relevance"  # the key of what columns cannot hold: name, empty queries, failures, fields, notes


def arrow(shown: str) -> tuple[Any, Any]:
    """pyarrow and its Parquet module.

    Raises:
        RelevanceError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RelevanceError(
            f"{shown}: Parquet needs a package that is not installed",
            fix="install the extra 'parquet' of pytest-relevance, for example: pip install 'pytest-relevance[parquet]'",
        ) from None
    return pyarrow, pyarrow.parquet


def opened(data: bytes, shown: str) -> Any:
    """The Parquet file that these bytes are.

    Whatever reads one reads it so: `read_table` and `to_numpy` import pandas where it is installed, a third of a second
    for nothing.

    Raises:
        RelevanceError: pyarrow is not installed. What pyarrow raises: they are no such file.
    """
    pyarrow, parquet = arrow(shown)
    return parquet.ParquetFile(pyarrow.BufferReader(data))


@contextmanager
def readable(source: Source) -> Iterator[None]:
    """Where a file is read inside `with`, what it is not.

    Raises:
        DataError: it cannot be read.
    """
    pyarrow, _ = arrow(source.shown)
    try:
        yield
    except (pyarrow.ArrowException, ValueError, OSError) as problem:
        reason = str(problem).partition("\n")[0]
        raise source.error(f"is not a readable Parquet file ({reason})", "write or copy the file again") from None


def parquet_qrels(source: Source, name: str | None, duplicates: Duplicates) -> Qrels:
    """Judgments from the columns query_id, doc_id, grade (or their usual other names)."""
    table, kept = _table(source)
    qrels = qrels_of(Rows.of(_rows(source, table, "grade")), source, name or kept.get("name"), duplicates)
    if not kept:
        return qrels
    query_ids, offsets = _with_empty(qrels, kept["query_ids"])
    return replace(qrels, query_ids=query_ids, offsets=offsets, notes=tuple(kept["notes"]))


def parquet_run(source: Source, name: str | None, duplicates: Duplicates) -> Run:
    """Rankings from the columns query_id, doc_id, score; a file of ours keeps its order and its failures too."""
    table, kept = _table(source)
    run = run_of(
        Rows.of(_rows(source, table, "score")),
        source,
        name or kept.get("name"),
        duplicates,
        order="given" if kept else "score",
        empty=kept.get("query_ids", ()),
    )
    if not kept:
        return run
    query_ids, offsets = _with_empty(run, kept["query_ids"])
    return replace(
        run,
        query_ids=query_ids,
        offsets=offsets,
        failures=kept["failures"],
        fields=kept["fields"],
        notes=tuple(kept["notes"]),
    )


def parquet_queries(source: Source) -> Queries:
    """Queries from a table with an id and a text column; the other columns are attributes."""
    table, _ = _table(source)
    names = table.column_names
    id_name, text_name = named(source, names, ID_NAMES, "query_id"), named(source, names, TEXT_NAMES, "text")
    queries: list[Query] = []
    for row, values in enumerate(table.to_pylist(), 1):
        query_id = id_of(source, values.pop(id_name), "query_id", row)
        text = values.pop(text_name)
        if not isinstance(text, str) or not text.strip():
            raise source.error(f"row {row}: query {quoted(query_id)} has no text", "give it a text, or drop it")
        queries.append(Query(query_id, text, values))
    if not queries:
        raise source.empty("queries")
    return Queries(tuple(queries))


def _table(source: Source) -> tuple[Any, dict[str, Any]]:
    data = source.read()
    with readable(source):
        table = opened(data, source.shown).read()
        return table, json.loads((table.schema.metadata or {}).get(KEPT, b"{}"))


def _with_empty(record: Qrels | Run, query_ids: list[str]) -> tuple[tuple[str, ...], Integers]:
    """The queries as they were written, with those that have no rows; the rows themselves stand in that order."""
    counts = [record.rows_of(query_id).stop - record.rows_of(query_id).start for query_id in query_ids]
    return tuple(query_ids), np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def _rows(source: Source, table: Any, role: str) -> Iterator[Row]:
    names = table.column_names
    found = named_columns(names)
    missing = next((name for name in ("query", "document", role) if name not in found), None)
    if missing:
        what = {"query": "query_id", "document": "doc_id"}.get(missing, missing)
        raise source.error(f"the table has no column {what}", f"call one of its columns {what}: {', '.join(names)}")
    columns = [table.column(found[name]).to_pylist() for name in ("query", "document", role)]
    for row, (query_id, doc_id, number) in enumerate(zip(*columns, strict=True), 1):
        yield Row(
            id_of(source, query_id, "query_id", row),
            id_of(source, doc_id, "doc_id", row),
            _number(source, number, role, row),
            row,
            1,
        )


def id_of(source: Source, value: object, kind: str, row: int) -> str:
    """An id as text.

    Raises:
        DataError: it is neither text nor a whole number.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise source.error(f"row {row}: {kind} {quoted(value)} is not text", "store ids as text")


def _number(source: Source, value: object, kind: str, row: int) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return float(value)
    raise source.error(f"row {row}: {kind} {quoted(value)} is not a number that can be used", f"give it a {kind}")


def named(source: Source, names: Sequence[str], wanted: Sequence[str], what: str) -> str:
    """The column under the first of the wanted names.

    Raises:
        DataError: there is none.
    """
    column = first_named(names, wanted)
    if column is None:
        raise source.error(f"the table has no column {what}", f"call one of its columns {what}: {', '.join(names)}")
    return names[column]
