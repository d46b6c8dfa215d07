"""`query,docid,rating` tables: one row a judgment; a row with a query alone keeps a query that nobody rated."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from pytest_relevance.errors import DataError, Place, ProblemList
from pytest_relevance.formats.converted import Converted, QueryList
from pytest_relevance.formats.texts import read_text, stem_of

QUERY, DOCUMENT, RATING = ("query", "query_text"), ("docid", "doc_id", "doc", "document"), ("rating", "grade", "score")


def read_rating_csv(path: Path) -> Converted:
    """Queries with their ratings; each text gets an id.

    Raises:
        DataError: there is no such header, or a rating is no number, each at its line.
    """
    rows = list(table_rows(path))
    if not rows:
        raise DataError(f"{path.name} holds no rows", fix="begin it with the header query,docid,rating")
    columns = [next((name for name in names if name in rows[0][1]), None) for names in (QUERY, DOCUMENT, RATING)]
    if None in columns:
        header = ", ".join(rows[0][1])
        raise DataError(f"{path.name} has no columns query, docid, rating", fix=f"its header is {header}")
    query, document, rating = (str(name) for name in columns)
    queries, problems, seen = QueryList(), ProblemList(), dict[tuple[str, str], float]()
    for line, row in rows:
        text, doc_id, written = row[query].strip(), row[document].strip(), row[rating].strip()
        try:
            grade = float(written) if written else None
        except ValueError:
            fix = "give it a number, or leave rating and docid empty"
            problems.add(DataError(f"rating {written!r} is not a number", place=Place(str(path), line), fix=fix))
            continue
        if grade is not None and doc_id and seen.setdefault((text, doc_id), grade) != grade:
            what = f"{doc_id!r} has ratings {seen[text, doc_id]:g} and {grade:g} for {text!r}"
            problems.add(DataError(what, place=Place(str(path), line), fix="keep one of them"))
            continue
        queries.id_of(text, grades={doc_id: grade} if grade is not None and doc_id else {})
    problems.raise_any()
    return Converted(stem_of(path), path.name, queries.queries)


def table_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells by header, in small letters, of each row of a CSV or TSV table."""
    text = read_text(path)
    delimiter = "\t" if "\t" in text.split("\n", 1)[0] else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    header: list[str] | None = None
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = [cell.strip().casefold() for cell in cells]
            continue
        filled = [*cells, *[""] * (len(header) - len(cells))]
        yield reader.line_num, dict(zip(header, filled, strict=False))
