"""Read judgments, rankings, queries and documents; the format is chosen by a file's content and its name's ending."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_relevance.records import Corpus, Duplicates, Qrels, Queries, Run
from pytest_relevance.trec.judged import Judged
from pytest_relevance.trec.rows import Rows, qrels_of, run_of
from pytest_relevance.trec.sniff import Format, records_format, rows_format
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.trec_text import trec_judged, trec_qrels, trec_run

if TYPE_CHECKING:
    from pytest_relevance.trec.json_rows import JsonRows
    from pytest_relevance.trec.repeats import Repeats

# The readers of the other formats are imported by those who need them: a small run file is read in less time than that.

PathLike = str | os.PathLike[str]


def read_qrels(path: PathLike, *, duplicates: Duplicates = "error", name: str | None = None) -> Qrels:
    """Judgments from TREC text, CSV or TSV, JSON, JSON Lines or Parquet, plain or `.gz`.

    A row that repeats another counts once, with a note. Two grades for one pair are an error, or with
    `duplicates="first"` the first is kept. `name` is by default the file's name without endings.

    Raises:
        DataError: the file cannot be read, holds no judgments, or has wrong lines (up to ten named).
    """
    source = Source.of(path)
    kind = rows_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet import parquet_qrels

        return parquet_qrels(source, name, duplicates)
    if kind == "trec":
        return trec_qrels(source, name, duplicates)
    return qrels_of(Rows.of(_other_rows(source, kind, "grade").rows), source, name, duplicates)


def read_judged(path: PathLike, *, duplicates: Duplicates = "error") -> Judged:
    """Judgments as `read_qrels` reads them, for those who join them with runs and need no record.

    Raises:
        DataError: as `read_qrels` does.
    """
    source = Source.of(path)
    if rows_format(source, source.head()) == "trec":
        return trec_judged(source, duplicates)
    return Judged.of(read_qrels(path, duplicates=duplicates))


def read_run(path: PathLike, *, duplicates: Duplicates = "error", name: str | None = None) -> Run:
    """Rankings from TREC text, CSV or TSV, JSON, JSON Lines or Parquet, plain or `.gz`.

    Scores decide the order, equal ones by doc_id descending; a rank column is ignored; a note tells if it disagrees.
    With `duplicates="first"` a document that stands twice keeps its best rank, and a note counts the others.

    Raises:
        DataError: the file cannot be read, holds no rankings, or has wrong lines (up to ten named).
    """
    source = Source.of(path)
    kind = rows_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet import parquet_run

        return parquet_run(source, name, duplicates)
    if kind == "trec":
        return trec_run(source, name, duplicates)
    found = _other_rows(source, kind, "score")
    return run_of(Rows.of(found.rows), source, name, duplicates, empty=found.empty)


def read_queries(path: PathLike, *, repeats: Repeats | None = None) -> Queries:
    """Queries from JSON Lines, JSON, TSV or CSV, TREC topics or Parquet, plain or `.gz`; extra fields are attributes.

    Given a list of `repeats`, an id's first query is kept and the others go there (Parquet refuses them).

    Raises:
        DataError: the file cannot be read, holds no queries, or has wrong or repeated ones (up to ten named).
    """
    source = Source.of(path)
    kind = records_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet import parquet_queries

        return parquet_queries(source)
    from pytest_relevance.trec.plain_queries import plain_queries
    from pytest_relevance.trec.query_list import checked_queries
    from pytest_relevance.trec.record_files import json_queries, table_queries
    from pytest_relevance.trec.text import Text
    from pytest_relevance.trec.topics import topic_queries

    text = Text(source, source.read())
    plain = plain_queries(text) if kind == "jsonl" else None
    if plain is not None:
        return plain
    if kind == "topics":
        listed = topic_queries(text)
    elif kind == "table":
        listed = table_queries(text)
    else:
        listed = json_queries(text, lines=kind == "jsonl")
    return checked_queries(text, listed, repeats)


def read_corpus(path: PathLike, *, repeats: Repeats | None = None) -> Corpus:
    """Documents from JSON Lines, JSON, TSV or CSV with a header, or Parquet, plain or `.gz`.

    Every document is looked at here. Those of a large file stay in it, and are read when they are looked at again; a
    file that is one JSON value is read whole. Given a list of `repeats`, an id's first document is kept and the others
    go there (Parquet refuses them).

    Raises:
        DataError: the file cannot be read, holds no documents, or has wrong or repeated ones (up to ten named).
    """
    source = Source.of(path)
    kind = records_format(source, source.head())
    if kind == "parquet":
        from pytest_relevance.trec.parquet_corpus import parquet_corpus

        return parquet_corpus(source)
    from pytest_relevance.trec.corpus_files import text_corpus
    from pytest_relevance.trec.documents import JsonLines, TableRows

    if kind == "json":
        from pytest_relevance.trec.record_files import json_corpus
        from pytest_relevance.trec.text import Text

        return json_corpus(Text(source, source.read()), repeats)
    return text_corpus(JsonLines(source) if kind == "jsonl" else TableRows.of(source), repeats)


def _other_rows(source: Source, kind: Format, role: str) -> JsonRows:
    from pytest_relevance.trec.delimited import number_rows
    from pytest_relevance.trec.json_rows import JsonRows, json_line_rows, json_rows
    from pytest_relevance.trec.text import Text

    text = Text(source, source.read())
    if kind == "json":
        return json_rows(text, role)
    return JsonRows(json_line_rows(text, role) if kind == "jsonl" else number_rows(text, role), [])
