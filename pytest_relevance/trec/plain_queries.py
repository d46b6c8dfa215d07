"""Queries of JSON Lines read quickly: all of a file in which nothing is wrong, and else none of it."""

from __future__ import annotations

import json
from functools import lru_cache

from pytest_relevance.records import Queries, Query
from pytest_relevance.trec.columns import ID_NAMES, TEXT_NAMES, first_named
from pytest_relevance.trec.located_json import once
from pytest_relevance.trec.text import Text

_DECODER = json.JSONDecoder(object_pairs_hook=once)


def plain_queries(text: Text) -> Queries | None:
    """The queries of the lines; None where one is not as it should be: `json_queries` then tells which, and where."""
    try:
        queries = [_query(line) for line in text.text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
    if not queries or len({query.query_id for query in queries}) < len(queries):
        return None
    return Queries(tuple(queries))


def _query(line: str) -> Query:
    """The query of one line.

    Raises:
        ValueError: it is no object, or has no id or no text that can be taken as they are.
    """
    found = _DECODER.decode(line)
    id_name, text_name = _names(tuple(found)) if isinstance(found, dict) else (None, None)
    if id_name is None or text_name is None:
        raise ValueError
    query_id, words = found.pop(id_name), found.pop(text_name)
    if type(query_id) is int and query_id > 0:  # which is written in one way only
        query_id = str(query_id)
    # Half a character is not printable; what else is not is no fault, and only takes longer.
    if not (isinstance(query_id, str) and query_id.isprintable() and query_id):
        raise ValueError
    if not (isinstance(words, str) and words.strip()):
        raise ValueError
    return Query(query_id, words, found)


@lru_cache(maxsize=1024)
def _names(names: tuple[str, ...]) -> tuple[str | None, str | None]:
    """The names of the id and of the text among an object's."""
    id_name = _first(names, ID_NAMES)
    return id_name, _first(tuple(name for name in names if name != id_name), TEXT_NAMES)


def _first(names: tuple[str, ...], wanted: tuple[str, ...]) -> str | None:
    place = first_named(names, wanted)
    return None if place is None else names[place]
