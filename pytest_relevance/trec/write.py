"""Write judgments and rankings so that reading gives the same back, or refuse; a file appears whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from pytest_relevance.errors import quoted
from pytest_relevance.records import Qrels, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.trec.sniff import rows_format
from pytest_relevance.trec.source import Source

PathLike = str | os.PathLike[str]

_BLANK = re.compile(r"[ \t\n\v\f\r]")
_OTHER_FORMATS = (".json", ".jsonl", ".ndjson", ".csv")


def write_qrels(qrels: Qrels, path: PathLike) -> None:
    """Judgments as TREC text (also `.gz`), or as Parquet where `path` ends so. Reading gives the same back.

    Raises:
        DataError: TREC text cannot hold an id or a query, or the file cannot be written.
    """
    source = Source.of(path)
    if source.suffix == ".parquet":
        from pytest_relevance.trec.write_parquet import qrels_bytes

        _put(source, qrels_bytes(qrels, source.shown))
        return
    _refuse_empty(qrels, source, "judgments")
    lines = (
        f"{query_id} 0 {doc_id} {_grade(grade)}" for query_id, doc_id, grade, _ in _rows(qrels, qrels.grades, source)
    )
    _put(source, _checked(source, lines))


def write_run(run: Run, path: PathLike) -> None:
    """Rankings as TREC text (also `.gz`), or as Parquet where `path` ends so. Reading gives the same back.

    TREC text holds neither the fields kept with documents nor the notes; Parquet does.

    Raises:
        DataError: TREC text cannot hold an id or a query, the scores do not give the run's order, or the file cannot
            be written.
    """
    source = Source.of(path)
    if source.suffix == ".parquet":
        from pytest_relevance.trec.write_parquet import run_bytes

        _put(source, run_bytes(run, source.shown))
        return
    _refuse_empty(run, source, "documents")
    if run.failures:
        failed = next(iter(run.failures))
        raise source.error(f"TREC text cannot say that query {quoted(failed)} did not run", _PARQUET)
    _refuse_order(run, source)
    tag = _BLANK.sub("_", run.name) or "run"
    lines = (
        f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}"
        for query_id, doc_id, score, rank in _rows(run, run.scores, source)
    )
    _put(source, _checked(source, lines))


_PARQUET = "give the file a name that ends in .parquet (extra 'parquet'), which holds it"


def _rows(record: Qrels | Run, numbers: Floats, source: Source) -> Iterator[tuple[str, str, float, int]]:
    documents = [_plain_id("doc_id", doc_id, source) for doc_id in record.doc_ids]
    codes, values = record.codes.tolist(), numbers.tolist()
    for query_id, (start, stop) in zip(record.query_ids, pairwise(record.offsets.tolist()), strict=True):
        _plain_id("query_id", query_id, source)
        for rank, row in enumerate(range(start, stop), 1):
            yield query_id, documents[codes[row]], values[row], rank


def _plain_id(kind: str, value: str, source: Source) -> str:
    if not value or _BLANK.search(value) or any("\ud800" <= letter <= "\udfff" for letter in value):
        what = "an empty" if not value else f"the blanks or half characters of {quoted(value)} as a"
        raise source.error(f"TREC text cannot hold {what} {kind}", _PARQUET)
    if kind == "query_id" and value.startswith(("#", "\ufeff")):
        raise source.error(f"TREC text would read query_id {quoted(value)} as a comment", _PARQUET)
    return value


def _grade(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) and str(grade) != "-0.0" else repr(grade)


def _refuse_empty(record: Qrels | Run, source: Source, what: str) -> None:
    empty = np.flatnonzero(record.counts == 0)
    if len(empty):
        query_id = record.query_ids[int(empty[0])]
        raise source.error(f"TREC text cannot hold query {quoted(query_id)}, which has no {what}", _PARQUET)
    if not len(record.codes):
        raise source.error(f"TREC text of no {what} would not be read again", _PARQUET)


def _refuse_order(run: Run, source: Source) -> None:
    """Reading orders by score, equal ones by doc_id descending: refuse a run that would come back in another order."""
    inner = np.diff(run.query_of_row) == 0
    above, below = run.scores[:-1], run.scores[1:]
    wrong = inner & ~(above > below)
    tied = np.flatnonzero(inner & (above == below))
    ranks = run.doc_ids.sort_ranks(run.codes)
    wrong[tied] = ranks[tied] <= ranks[tied + 1]
    if wrong.any() or np.isnan(run.scores).any():
        row = int(np.flatnonzero(wrong)[0]) if wrong.any() else int(np.flatnonzero(np.isnan(run.scores))[0])
        query_id = run.query_ids[int(run.query_of_row[row])]
        raise source.error(
            f"the scores of query {quoted(query_id)} do not give the run's order, and TREC text is ordered by score",
            "number the ranks with Run.from_rankings, or give the file a name that ends in .parquet",
        )


def _checked(source: Source, lines: Iterator[str]) -> bytes:
    data = "".join(f"{line}\n" for line in lines).encode()
    if source.suffix in _OTHER_FORMATS or rows_format(source, data[: 1 << 16]) != "trec":
        raise source.error("would be read as another format than TREC text", "let its name end in .txt")
    return data


def _put(source: Source, data: bytes) -> None:
    packed = source.path.name.lower().endswith(".gz")
    # mtime=0: the same record gives the same bytes.
    content = gzip.compress(data, mtime=0) if packed else data
    try:
        write_whole(source.path, content)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise source.error(f"cannot be written ({reason})", "check the folder and its permissions") from None


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step, so that no reader ever sees half of it.

    Raises:
        OSError: the folder is not there or not writable.
    """
    temporary = path.parent / f".{path.name[:40]}.{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}.part"
    try:
        with temporary.open("xb") as file:
            file.write(content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
