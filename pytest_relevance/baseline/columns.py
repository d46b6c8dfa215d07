"""A large baseline as Parquet: the lines of the text form, then each document once, then the rows of all rankings."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np

from pytest_relevance.baseline.record import Baseline
from pytest_relevance.baseline.text import Rows, from_lines, to_lines
from pytest_relevance.records import Ids
from pytest_relevance.trec.parquet import arrow, opened

COLUMNS = ["line", "doc_id", "document", "score"]  # a row has a line, or a doc_id, or a document's place and its score


def to_parquet(baseline: Baseline, shown: str) -> bytes:
    """Three blocks of rows: lines, documents, and a row for each document of each ranking.

    Raises:
        RelevanceError: pyarrow is not installed.
    """
    pyarrow, parquet = arrow(shown)
    lines = list(to_lines(baseline, rankings=False))
    run = baseline.run
    used, codes = np.unique(run.codes, return_inverse=True)
    blocks = (len(lines), len(used), len(codes))
    contents = (
        pyarrow.array(lines, pyarrow.large_string()),
        _binary(pyarrow, run.doc_ids.take(used)),
        pyarrow.array(codes.astype(np.int32)),
        pyarrow.array(run.scores),
    )
    columns = [_column(pyarrow, one, blocks, min(place, 2)) for place, one in enumerate(contents)]
    buffer = BytesIO()
    table = pyarrow.table(dict(zip(COLUMNS, columns, strict=True)))
    parquet.write_table(table, buffer, compression="lz4", write_statistics=False, use_dictionary=False)
    return buffer.getvalue()


def from_parquet(data: bytes, shown: str) -> Baseline:
    """The baseline again; raises as `from_lines` does, or what pyarrow raises for a damaged file."""
    pyarrow, _ = arrow(shown)
    table = opened(data, shown).read()
    if table.column_names != COLUMNS:
        raise ValueError("other columns")
    lines, documents = (len(table) - table.column(name).null_count for name in COLUMNS[:2])
    told = table.column("line").slice(0, lines).to_pylist()
    doc_ids = [_ids(chunk) for chunk in table.column("doc_id").slice(lines, documents).chunks]
    codes, scores = (table.column(name).slice(lines + documents) for name in COLUMNS[2:])
    rows = Rows(
        Ids.joined(doc_ids),
        _numbers(codes, pyarrow.int32(), np.int32).astype(np.int64),
        _numbers(scores, pyarrow.float64(), np.float64),
    )
    return from_lines(told, rows, shown=shown)


def _column(pyarrow: Any, content: Any, blocks: tuple[int, ...], place: int) -> Any:
    """A column that is null but in its own block."""
    parts = [content if block == place else pyarrow.nulls(size, content.type) for block, size in enumerate(blocks)]
    return pyarrow.chunked_array(parts)


def _binary(pyarrow: Any, ids: Ids) -> Any:
    """Ids as Arrow's bytes: the same two buffers, nothing decoded, so that any id survives."""
    buffers = [pyarrow.py_buffer(ids.offsets.astype(np.int64)), pyarrow.py_buffer(np.ascontiguousarray(ids.data))]
    return pyarrow.Array.from_buffers(pyarrow.large_binary(), len(ids), [None, *buffers])


def _numbers(column: Any, stored: Any, wanted: type[np.number[Any]]) -> Any:
    """A column of numbers as they lie in Arrow's buffers: `to_numpy` would import pandas.

    Raises:
        ValueError: they are of another type, or some are missing.
    """
    if column.null_count or column.type != stored:
        raise ValueError("other numbers")
    parts = [
        np.frombuffer(chunk.buffers()[1] or b"", dtype=wanted)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in column.chunks
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, dtype=wanted), *parts])


def _ids(values: Any) -> Ids:
    """The way back."""
    _, offsets, data = values.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)[values.offset : values.offset + len(values) + 1]
    return Ids(np.frombuffer(data or b"", dtype=np.uint8)[bounds[0] : bounds[-1]], bounds - bounds[0])
