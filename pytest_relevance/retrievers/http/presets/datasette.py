"""`type: datasette`: a query in SQL over a database that Datasette serves, such as SQLite's full text search."""

from __future__ import annotations

from typing import Self

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Template
from pytest_relevance.retrievers.http.presets.parts import address, one_part

_ANY_WORD = """{{ '"' ~ query.text.replace('"', ' ').split() | join('" OR "') ~ '"' }}"""


class DatasetteOptions(HttpOptions):
    """What is special about Datasette: the search is a query in SQL, with :match and :depth; long answers are cut."""

    database: str
    sql: str  # gives columns `id` and `score` (more is better: SQLite's bm25() wants a minus), and those of `fields`
    match: Template = _ANY_WORD  # in the language of FTS5: each word taken literally, any of them
    hits: str = "rows"
    score: str | None = "score"
    error: str | None = "ok == `false` && error"
    partial: str | None = "truncated"

    def completed(self) -> Self:
        """The address and the parameters of the query; `params` of the suite come on top."""
        asked = {"sql": self.sql, "match": self.match, "depth": "{{ depth }}", "_shape": "objects"}
        url = address(self.url, f"{one_part(self.database)}.json")
        return self.model_copy(update={"url": url, "params": asked | self.params})


datasette = HttpKind("datasette", DatasetteOptions)
