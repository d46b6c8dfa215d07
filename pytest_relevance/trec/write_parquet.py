"""Qrels and Run as Parquet: columns, and what they cannot hold in the table's metadata."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np

from pytest_relevance.records import Qrels, Run
from pytest_relevance.trec.parquet import KEPT, arrow


def qrels_bytes(qrels: Qrels, shown: str) -> bytes:
    """Columns query_id, doc_id, grade."""
    kept = {"name": qrels.name, "query_ids": qrels.query_ids, "notes": qrels.notes}
    return _table_bytes(qrels, {"grade": qrels.grades}, kept, shown)


def run_bytes(run: Run, shown: str) -> bytes:
    """Columns query_id, doc_id, score, rank, rows in the run's order."""
    kept = {
        "name": run.name,
        "query_ids": run.query_ids,
        "failures": dict(run.failures),
        "fields": {doc_id: dict(fields) for doc_id, fields in run.fields.items()},
        "notes": run.notes,
    }
    return _table_bytes(run, {"score": run.scores, "rank": run.ranks}, kept, shown)


def _table_bytes(record: Qrels | Run, numbers: dict[str, Any], kept: dict[str, Any], shown: str) -> bytes:
    pyarrow, parquet = arrow(shown)
    columns = {
        "query_id": _coded(pyarrow, record.query_of_row, list(record.query_ids)),
        "doc_id": _coded(pyarrow, record.codes, list(record.doc_ids)),
        **{name: pyarrow.array(column) for name, column in numbers.items()},
    }
    table = pyarrow.table(columns).replace_schema_metadata({KEPT: json.dumps(kept).encode()})
    buffer = BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def _coded(pyarrow: Any, codes: Any, texts: list[str]) -> Any:
    width = np.int32 if len(texts) < 2**31 else np.int64
    return pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(codes.astype(width)), pyarrow.array(texts, pyarrow.string())
    )
