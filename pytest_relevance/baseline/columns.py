"""A large baseline as Parquet: the lines of the text form first, then a row for each document of each ranking."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from pytest_relevance.baseline.record import Baseline
from pytest_relevance.baseline.text import Rows, from_lines, to_lines
from pytest_relevance.records import Ids
from pytest_relevance.trec.parquet import arrow


def to_parquet(baseline: Baseline, shown: str) -> bytes:
    """Columns line, doc_id, score; a row has either a line or a document.

    Raises:
        RelevanceError: pyarrow is not installed.
    """
    pyarrow, parquet = arrow(shown)
    lines = list(to_lines(baseline, rankings=False))
    run, rows = baseline.run, len(baseline.run.codes)
    used, codes = np.unique(run.codes, return_inverse=True)
    documents = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(codes.astype(np.int32)), pyarrow.array(run.doc_ids.texts(used), pyarrow.string())
    )
    table = pyarrow.table(
        {
            "line": pyarrow.concat_arrays([pyarrow.array(lines, pyarrow.string()), pyarrow.nulls(rows, "string")]),
            "doc_id": pyarrow.chunked_array([pyarrow.nulls(len(lines), documents.type), documents]),
            "score": pyarrow.concat_arrays([pyarrow.nulls(len(lines), "double"), pyarrow.array(run.scores)]),
        }
    )
    buffer = BytesIO()
    parquet.write_table(table, buffer, compression="zstd", write_statistics=False)
    return buffer.getvalue()


def from_parquet(data: bytes, shown: str) -> Baseline:
    """The baseline again; raises as `from_lines` does, or what pyarrow raises for a damaged file."""
    pyarrow, parquet = arrow(shown)
    table = parquet.read_table(pyarrow.BufferReader(data), read_dictionary=["doc_id"]).unify_dictionaries()
    lines = table.column("line").drop_null().to_pylist()
    scores = table.column("score").drop_null().to_numpy().astype(np.float64)
    chunks = table.column("doc_id").slice(len(lines)).chunks
    documents = Ids.of(chunks[0].dictionary.to_pylist()) if chunks else Ids.of([])
    codes = np.concatenate([np.zeros(0), *(chunk.indices.to_numpy() for chunk in chunks)]).astype(np.int64)
    return from_lines(lines, Rows(documents, codes, scores), shown=shown)
