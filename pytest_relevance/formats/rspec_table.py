"""Tables in the manner of rspec-solr: a row a query, a column an expectation of its results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_relevance.errors import DataError, Place
from pytest_relevance.formats.converted import Converted, QueryList, Stated
from pytest_relevance.formats.rating_csv import table_rows
from pytest_relevance.formats.texts import stem_of

WORDS = {  # column → the word it is here
    "as_first": "first",
    "first": "first",
    "include": "include",
    "in_first": "in_first",
    "not_include": "exclude",
    "exclude": "exclude",
    "before": "before",
    "have_at_least": "at_least",
    "have_at_most": "at_most",
    "more_results_than": "more_results_than",
    "fewer_results_than": "fewer_results_than",
    "same_results_as": "same_as",
    "pending": "known_failure",
    "known_failure": "known_failure",
}
TOP = 20  # where `include` names no in_first: the page that rspec-solr asks for


def read_rspec_table(path: Path) -> Converted:
    """An assertion for each row.

    `query` and any of: `as_first` (an id), `include` (ids) with `in_first` (a number), `not_include` (ids), `before`
    (each id of `include` stands above each of these), `have_at_least`, `have_at_most` (results), `more_results_than`,
    `fewer_results_than`, `same_results_as` (another query), `pending` (why it does not hold yet). Several ids in a
    cell are parted by blanks or `|`.

    Raises:
        DataError: there is no column `query` or none of the others, or a number is no number, each at its line.
    """
    rows = list(table_rows(path))
    known = [name for name in (rows[0][1] if rows else ()) if name in WORDS]
    if not rows or "query" not in rows[0][1] or not known:
        raise DataError(f"{path.name} has no columns query and one of {', '.join(WORDS)}", fix="add a header")
    queries, stated, left_out = QueryList(), list[Stated](), list[str]()
    left_out += [f"column {name!r} is no expectation" for name in rows[0][1] if name not in WORDS and name != "query"]
    for line, row in rows:
        cells = {WORDS[name]: row[name].strip() for name in known if row[name].strip()}
        expect = tuple(_expectations(cells, Place(str(path), line)))
        query_id = queries.id_of(row["query"].strip())
        if expect:
            stated.append(Stated(query_id, expect, cells.get("known_failure")))
        else:
            left_out.append(f"row {line} expects nothing of {row['query']!r}")
    return Converted(stem_of(path), path.name, queries.queries, tuple(stated), tuple(left_out))


def _expectations(cells: Mapping[str, str], place: Place) -> Iterator[dict[str, Any]]:
    include, before = _ids(cells.get("include", "")), _ids(cells.get("before", ""))
    top = _number(cells["in_first"], place) if "in_first" in cells else TOP
    if "first" in cells:
        yield {"first": cells["first"]}
    if include and before:
        yield {"tiers": [include, before]}
    elif include:
        yield {"top": max(top, len(include)), "contains": include}
    if "exclude" in cells:
        yield {"top": top, "excludes": _ids(cells["exclude"])}
    bounds = {word: _number(cells[word], place) for word in ("at_least", "at_most") if word in cells}
    if bounds:
        yield {"results": bounds}
    for word in ("more_results_than", "fewer_results_than"):
        if word in cells:
            yield {word: cells[word]}
    if "same_as" in cells:
        yield {"same_as": cells["same_as"], "top": top}


def _ids(cell: str) -> list[str]:
    return list(dict.fromkeys(part for part in re.split(r"[\s|]+", cell) if part))


def _number(cell: str, place: Place) -> int:
    if not cell.isdecimal():
        raise DataError(f"{cell!r} is not a whole number", place=place, fix="write for example 10")
    return int(cell)
