"""CSV and TSV: fields with their places. In CSV quotes count, also around line breaks; in TSV they are letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_relevance.errors import DataError, ProblemList, quoted
from pytest_relevance.trec.columns import named_columns
from pytest_relevance.trec.numbers import grade_problem, score_problem
from pytest_relevance.trec.rows import Row
from pytest_relevance.trec.sniff import delimiter_of, first_line
from pytest_relevance.trec.text import Text


class Cell(NamedTuple):
    """One field: its text and where it begins."""

    text: str
    at: int


def records(text: Text, delimiter: str) -> Iterator[list[Cell]]:
    """The rows of a table; blank lines are skipped.

    Raises:
        DataError: a quoted field is not closed.
    """
    whole, at, row = text.text, 0, list[Cell]()
    plain = re.compile(rf"[^{delimiter}\r\n]*")
    closed = re.compile(rf'"([^"]*(?:""[^"]*)*)"(?=[{delimiter}\r\n]|\Z)')
    while at < len(whole) or row:
        if delimiter != "\t" and whole.startswith('"', at):
            match = closed.match(whole, at)
            if match is None:
                raise text.error(
                    "a quoted field is not closed, or goes on after its quote",
                    at,
                    "close it with one quote, and write a quote inside it twice",
                )
            row.append(Cell(match[1].replace('""', '"'), at + 1))
        else:
            match = plain.match(whole, at)
            assert match is not None  # the pattern matches the empty text too
            row.append(Cell(match[0], at))
        at = match.end()
        if whole.startswith(delimiter, at):
            at += 1
            if at < len(whole):
                continue
            row.append(Cell("", at))
        at += 2 if whole.startswith("\r\n", at) else 1
        if len(row) > 1 or row[0].text.strip():
            yield row
        row = []


def delimiter_in(text: Text) -> str:
    """The delimiter by the first line; a file of one column counts as comma-separated."""
    return delimiter_of(first_line(text.text[: 1 << 16].encode())) or ","


def refuse_width(text: Text, header: Sequence[str], cells: Sequence[Cell]) -> None:
    """Refuse a row that has more or fewer columns than the header.

    Raises:
        DataError: it does.
    """
    if len(cells) != len(header):
        raise text.error(
            f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}",
            cells[0].at,
            "give the row as many columns as the header, and put text that holds the delimiter in quotes",
            _width(cells),
        )


def number_rows(text: Text, role: str) -> list[Row]:
    """(query, document, number) rows of a table of judgments (`role` "grade") or rankings ("score" or "rank").

    Raises:
        DataError: rows that cannot be read, up to ten with their places.
    """
    table = records(text, delimiter_in(text))
    rows: list[Row] = []
    problems = ProblemList()
    columns: Columns | None = None
    for cells in table:
        if cells[0].text.startswith("#") and (columns is None or len(cells) == 1):
            continue  # a comment; below the header "#" may begin a query's text
        if columns is None:
            columns, is_header = _columns(text, cells, role)
            if is_header:
                continue
        row = _row(text, cells, columns, problems)
        if row:
            rows.append(row)
    problems.raise_any()
    return rows


class Columns(NamedTuple):
    """Which column holds what; `sign` is -1 where the number is a rank."""

    query: int
    document: int
    number: int
    title: str
    sign: int


def _columns(text: Text, cells: Sequence[Cell], role: str) -> tuple[Columns, bool]:
    names = named_columns([cell.text.strip() for cell in cells])
    if "query" in names and ("document" in names or len(names) > 2):
        number = names.get(role, names.get("rank") if role == "score" else None)
        missing = "doc_id" if "document" not in names else role if number is None else None
        if missing or number is None:
            raise text.error(
                f"the header names no column {missing}",
                cells[0].at,
                f"name one of the columns {missing}",
                _width(cells),
            )
        ranked = role == "score" and role not in names
        return Columns(names["query"], names["document"], number, "rank" if ranked else role, -1 if ranked else 1), True
    if len(cells) != 3 or role == "score":
        also = "" if role == "score" else f" or 3 columns (query_id doc_id {role})"
        raise text.error(
            f"expected a header{also}, found {len(cells)} columns without a header",
            cells[0].at,
            f"begin the file with a header that names query_id, doc_id and {role}",
            _width(cells),
        )
    return Columns(0, 1, 2, role, 1), False


def _row(text: Text, cells: Sequence[Cell], columns: Columns, problems: ProblemList) -> Row | None:
    needed = max(columns[:3]) + 1
    present = [cells[place].text for place in columns[1:3] if place < len(cells)]
    if not any(value.strip() for value in present) and cells[min(columns.query, len(cells) - 1)].text:
        return None  # a query that nobody rated: Quepid exports it as a row of its own
    if len(cells) < needed:
        what = f"expected {needed} columns (query_id, doc_id, {columns.title} among them), found {len(cells)}"
        problems.add(text.error(what, cells[0].at, "add what is missing", _width(cells)))
        return None
    query, document, number = (cells[place] for place in columns[:3])
    problem = _id_problem(text, "query_id", query) or _id_problem(text, "doc_id", document)
    token = number.text.strip().encode()
    wrong = (grade_problem if columns.title == "grade" else score_problem)(token)
    if wrong and not problem:
        what = f"{columns.title} {quoted(number.text)} {wrong}"
        problem = text.error(what, number.at, f"give the document a {columns.title}, or drop it", len(number.text))
    if problem:
        problems.add(problem)
        return None
    line, column = text.position(document.at)
    return Row(query.text, document.text, columns.sign * float(token), line, column)


def _id_problem(text: Text, kind: str, cell: Cell) -> DataError | None:
    if cell.text:
        return None
    return text.error(f"the {kind} is empty", cell.at, f"give the row a {kind}, or drop it")


def _width(cells: Sequence[Cell]) -> int:
    return cells[-1].at + len(cells[-1].text) - cells[0].at
