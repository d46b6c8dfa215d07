"""Runs as files: arrays and JSON in one archive, nothing lost and nothing executed when read."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.records import Ids, Run

_VERSION = 2
_DAMAGED = (  # what numpy, zipfile and json raise for a file that was cut, mixed up, or never was one
    OSError,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    AttributeError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
)


def save_run(run: Run, path: Path) -> None:
    """Write a run, whole or not at all: another process sees the old file, or none, until the new one is complete.

    About 12 bytes a row, and the text of each id, field and failure once.
    """
    texts = {
        "version": _VERSION,
        "name": run.name,
        "query_ids": run.query_ids,
        "failures": dict(run.failures),
        "fields": {doc_id: dict(fields) for doc_id, fields in run.fields.items()},
        "seconds": dict(run.seconds),
        "notes": run.notes,
        "provenance": dict(run.provenance),
    }
    codes = run.codes.astype(np.int32) if len(run.doc_ids) < 2**31 else run.codes
    arrays: dict[str, Any] = {
        "texts": np.frombuffer(json.dumps(texts).encode("ascii"), dtype=np.uint8),
        "offsets": run.offsets,
        "codes": codes,
        "scores": run.scores,
        "document_bytes": run.doc_ids.data,
        "document_offsets": run.doc_ids.offsets,
    }
    write_whole(path, lambda file: np.savez(file, **arrays))


def load_run(path: Path) -> Run:
    """Read what `save_run` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        DataError: the file is not a run, is damaged, or was written by a version that writes otherwise.
    """
    try:
        # Opened here: for a damaged archive np.load would leave its own file open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        texts = json.loads(arrays["texts"].tobytes())
        if texts["version"] != _VERSION:
            raise ValueError("another version")
        return _run(arrays, texts)
    except FileNotFoundError:
        raise
    except _DAMAGED as error:
        raise DataError(f"{path} is not a run as this version stores it", fix="delete it; it is made anew") from error


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file beside `path` and then put it in its place, so that nobody ever reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def _run(arrays: dict[str, Any], texts: dict[str, Any]) -> Run:
    offsets = arrays["offsets"].astype(np.int64)
    codes = arrays["codes"].astype(np.int64)
    doc_ids = Ids(arrays["document_bytes"], arrays["document_offsets"].astype(np.int64))
    if len(offsets) != len(texts["query_ids"]) + 1 or not len(codes) == len(arrays["scores"]) == offsets[-1]:
        raise ValueError("parts that do not belong together")
    return Run(
        tuple(texts["query_ids"]),
        offsets,
        doc_ids,
        codes,
        arrays["scores"],
        texts["name"],
        failures=texts["failures"],
        fields=texts["fields"],
        seconds=texts["seconds"],
        notes=tuple(texts["notes"]),
        provenance=texts["provenance"],
    )
