"""Which format a file of judgments, rankings, queries or documents is in: by content, then by its name's ending."""

from __future__ import annotations

from typing import Literal

from pytest_relevance.trec.columns import named_columns
from pytest_relevance.trec.source import Source

Format = Literal["trec", "table", "json", "jsonl", "topics", "parquet"]

_JSON_LINES = (".jsonl", ".ndjson")
_UNWRITTEN = b"\0" * 8  # how a file begins whose room was made and never filled; it may be of any size


def rows_format(source: Source, head: bytes) -> Format:
    """The format of qrels or of a run; what is not recognised is TREC text.

    Raises:
        DataError: it begins with zero bytes.
    """
    common = _binary_or_json(source, head)
    if common:
        return common
    first = first_line(head)
    delimiter = delimiter_of(first)
    if delimiter is None:
        return "trec"
    cells = [cell.strip('"') for cell in first.split(delimiter)]
    names = named_columns(cells)
    if "query" in names and len(names) > 1:
        return "table"
    if source.suffix == ".csv" and delimiter != "\t":
        return "table"
    return "table" if source.suffix in (".tsv", ".csv") and len(cells) == 3 else "trec"


def records_format(source: Source, head: bytes) -> Format:
    """The format of queries or documents; raises as `rows_format` does."""
    common = _binary_or_json(source, head)
    if common:
        return common
    return "topics" if head.lstrip()[:1] == b"<" else "table"


def first_line(head: bytes) -> str:
    """The first line that is neither blank nor a comment."""
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return line.decode("utf-8", "replace")
    return ""


def delimiter_of(line: str) -> str | None:
    """The delimiter of a table by its first line, or None where there is none."""
    return next((delimiter for delimiter in "\t,;" if delimiter in line), None)


def _binary_or_json(source: Source, head: bytes) -> Format | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_UNWRITTEN):
        raise source.error("begins with zero bytes, as a file does that was never written", "copy it or make it again")
    start = head.lstrip()
    if source.suffix in _JSON_LINES and start[:1] in b"{[":
        return "jsonl"
    if start[:1] not in (b"{", b"[") or start[1:].lstrip()[:1] not in (b'"', b"{", b"[", b"}", b"]"):
        return "json" if source.suffix == ".json" else None
    lines = [line for line in start.splitlines()[:2] if line.strip()]
    several = len(lines) == 2 and all(line.lstrip()[:1] == b"{" for line in lines)
    return "jsonl" if several and lines[0].rstrip().endswith(b"}") else "json"
