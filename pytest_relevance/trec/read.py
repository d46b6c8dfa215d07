"""Read judgments, rankings, queries and documents; the format is chosen by a file's content and its name's ending."""

from __future__ import annotations

import os
from collections.abc import Iterable

from pytest_relevance.records import Corpus, Duplicates, Qrels, Queries, Run
from pytest_relevance.trec.delimited import number_rows
from pytest_relevance.trec.json_rows import json_line_rows, json_rows
from pytest_relevance.trec.query_list import PlacedQuery, checked_queries
from pytest_relevance.trec.record_files import json_corpus, json_queries, table_corpus, table_queries
from pytest_relevance.trec.rows import Rows, qrels_of, run_of
from pytest_relevance.trec.sniff import records_format, rows_format
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.text import Text
from pytest_relevance.trec.topics import topic_queries
from pytest_relevance.trec.trec_text import trec_qrels, trec_run

PathLike = str | os.PathLike[str]


def read_qrels(path: PathLike, *, duplicates: Duplicates = "error", name: str | None = None) -> Qrels:
    """Judgments from TREC text, CSV or TSV, JSON, JSON Lines or Parquet, plain or `.gz`.

    A row that repeats another counts once, with a note. Two grades for one pair are an error, or with
    `duplicates="first"` the first is kept. `name` is by default the file's name without endings.

    Raises:
        DataError: the file cannot be read, holds no judgments, or has wrong lines (up to ten named).
    """
    source = Source.of(path)
    match rows_format(source, source.head()):
        case "parquet":
            from pytest_relevance.trec.parquet import parquet_qrels

            return parquet_qrels(source, name, duplicates)
        case "table":
            return qrels_of(Rows.of(number_rows(Text(source, source.read()), "grade")), source, name, duplicates)
        case "jsonl":
            return qrels_of(Rows.of(json_line_rows(Text(source, source.read()), "grade")), source, name, duplicates)
        case "json":
            return qrels_of(Rows.of(json_rows(Text(source, source.read()), "grade").rows), source, name, duplicates)
        case _:
            return trec_qrels(source, name, duplicates)


def read_run(path: PathLike, *, duplicates: Duplicates = "error", name: str | None = None) -> Run:
    """Rankings from TREC text, CSV or TSV, JSON, JSON Lines or Parquet, plain or `.gz`.

    Scores decide the order, equal ones by doc_id descending; a rank column is ignored; a note tells if it disagrees.
    With `duplicates="first"` a document that stands twice keeps its best rank, and a note counts the others.

    Raises:
        DataError: the file cannot be read, holds no rankings, or has wrong lines (up to ten named).
    """
    source = Source.of(path)
    match rows_format(source, source.head()):
        case "parquet":
            from pytest_relevance.trec.parquet import parquet_run

            return parquet_run(source, name, duplicates)
        case "table":
            return run_of(Rows.of(number_rows(Text(source, source.read()), "score")), source, name, duplicates)
        case "jsonl":
            return run_of(Rows.of(json_line_rows(Text(source, source.read()), "score")), source, name, duplicates)
        case "json":
            found = json_rows(Text(source, source.read()), "score")
            return run_of(Rows.of(found.rows), source, name, duplicates, empty=found.empty)
        case _:
            return trec_run(source, name, duplicates)


def read_queries(path: PathLike) -> Queries:
    """Queries from JSON Lines, JSON, TSV or CSV, TREC topics or Parquet, plain or `.gz`; extra fields are attributes.

    Raises:
        DataError: the file cannot be read, holds no queries, or has wrong or repeated ones (up to ten named).
    """
    source = Source.of(path)
    kind = records_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet import parquet_queries

        return parquet_queries(source)
    text = Text(source, source.read())
    listed: Iterable[PlacedQuery]
    if kind == "topics":
        listed = topic_queries(text)
    elif kind == "table":
        listed = table_queries(text)
    else:
        listed = json_queries(text, lines=kind == "jsonl")
    return checked_queries(text, listed)


def read_corpus(path: PathLike) -> Corpus:
    """Documents from JSON Lines, JSON, TSV or CSV with a header, or Parquet, plain or `.gz`.

    Raises:
        DataError: the file cannot be read, holds no documents, or has wrong or repeated ones (up to ten named).
    """
    source = Source.of(path)
    kind = records_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet import parquet_corpus

        return parquet_corpus(source)
    text = Text(source, source.read())
    return json_corpus(text, lines=kind == "jsonl") if kind in ("json", "jsonl") else table_corpus(text)
