"""A search that breaks on one query."""

from pytest_relevance import Query


def search(query: Query, depth: int) -> list[tuple[str, float]]:
    """The best documents with their scores."""
    if query.text == "running":
        raise ConnectionError("index 'shoes' answered 503")
    return [("0101", 2.0), ("0102", 1.0)][:depth]
