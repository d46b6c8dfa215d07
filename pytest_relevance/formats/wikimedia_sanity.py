"""Wikimedia sanity checks: per wiki, queries and the titles that must be found for each."""

from __future__ import annotations

from pathlib import Path

from pytest_relevance.errors import DataError
from pytest_relevance.formats.converted import Converted, QueryList, Stated
from pytest_relevance.formats.texts import read_json, stem_of

TOP = 10  # a page of results


def read_wikimedia_sanity(path: Path) -> Converted:
    """An expectation for each query that the top holds these titles.

    Raises:
        DataError: it is no JSON, or no object with queries.
    """
    found = read_json(path)
    wikis = found if isinstance(found, list) else [found]
    if not all(isinstance(wiki, dict) and isinstance(wiki.get("queries"), dict) for wiki in wikis):
        raise DataError(f"{path.name} is no object with queries", fix="name a sanity check: {queries: {TEXT: [TITLE]}}")
    queries, stated, left_out = QueryList(), list[Stated](), list[str]()
    for wiki in wikis:
        for text, titles in wiki["queries"].items():
            wanted = [str(title) for title in (titles if isinstance(titles, list) else [titles])]
            if not wanted:
                left_out.append(f"{text!r} expects nothing")
                continue
            query_id = queries.id_of(str(text))
            stated.append(Stated(query_id, ({"top": max(TOP, len(wanted)), "contains": wanted},)))
    return Converted(stem_of(path), path.name, queries.queries, tuple(stated), tuple(left_out))
