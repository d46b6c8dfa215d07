"""Data frames of other libraries as rows, and rows as data frames, without importing any of them first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_relevance.errors import DataError
from pytest_relevance.records.columns import refuse_id

_QUERY = ("query_id", "qid", "query-id", "q_id")
_DOCUMENT = ("doc_id", "docno", "docid", "corpus-id", "document_id")


def frame_rows(frame: Any, numbers: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """(query_id, doc_id, number) of each row of a pandas, polars or Arrow frame; the first named column counts.

    Raises:
        DataError: a column is missing, or ids are not text (they would have lost leading zeros).
    """
    names = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
    columns = [_column(frame, _chosen(names, wanted)) for wanted in (_QUERY, _DOCUMENT, numbers)]
    for query_id, doc_id, number in zip(*columns, strict=True):
        if not isinstance(query_id, str):
            raise refuse_id("query_id", query_id)
        if not isinstance(doc_id, str):
            raise refuse_id("doc_id", doc_id)
        yield query_id, doc_id, float(number)


def _chosen(names: Sequence[str], wanted: Sequence[str]) -> str:
    for name in wanted:
        if name in names:
            return name
    raise DataError(
        f"the frame has no column {wanted[0]!r}",
        fix=f"name one of its columns {' or '.join(wanted)}: {', '.join(names)}",
    )


def _column(frame: Any, name: str) -> list[Any]:
    column = frame[name]
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return list(values)
