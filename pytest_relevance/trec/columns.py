"""The names other tools give the columns of judgments, rankings and queries."""

from __future__ import annotations

from collections.abc import Sequence

# The first name that occurs counts, so `query_id` wins over `query` where a file has both.
_NAMES = {
    "query": ("queryid", "qid", "topicid", "topic", "query", "querytext"),
    "document": ("docid", "docno", "corpusid", "documentid", "doc", "document", "pid", "id"),
    "grade": ("grade", "rating", "relevance", "rel", "label", "judgment", "judgement", "score"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank", "position"),
}
ID_NAMES = ("_id", "id", "query_id", "query-id", "qid", "topic_id", "topic")
DOCUMENT_NAMES = ("_id", "id", "doc_id", "docid", "docno", "corpus-id", "document_id", "doc-id")
TEXT_NAMES = ("text", "query", "query_text", "title")


def plain(name: str) -> str:
    """A column's name without case, hyphens, underscores and blanks."""
    return "".join(letter for letter in name.casefold() if letter not in "-_ ")


def named_columns(cells: Sequence[str]) -> dict[str, int]:
    """role → column, for the roles that a header row names."""
    places = {plain(cell): place for place, cell in reversed(list(enumerate(cells)))}
    found: dict[str, int] = {}
    for role, names in _NAMES.items():
        place = next((places[name] for name in names if name in places), None)
        if place is not None:
            found[role] = place
    return found


def first_named(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The place in `names` of the first of the wanted ones that is there, whatever its case and signs."""
    places = {plain(name): place for place, name in reversed(list(enumerate(names)))}
    return next((places[plain(name)] for name in wanted if plain(name) in places), None)
