"""`type: datasette` against Datasette over SQLite's full text search."""

from __future__ import annotations

from pathlib import Path

from engines.agreement import DEPTH, Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.recipes import call
from engines.serving import Server

QUERIES = 40
SQL = (
    "select p.id, -bm25(products_fts, 3.0, 1.0) as score, p.title from products_fts "
    "join products p on p.rowid = products_fts.rowid where products_fts match :match "
    "order by score desc, p.id desc limit :depth"
)
RETRIEVER = """
type: datasette
url: {url}
database: shop
sql: "{sql}"
fields: [title]
"""


def own_answers(server: Server, text: str) -> list[Found]:
    words = " OR ".join('"' + word + '"' for word in text.replace('"', " ").split())
    params = {"sql": SQL, "match": words, "depth": DEPTH, "_shape": "array"}
    rows = call("GET", f"{server.url}/shop.json", params=params)
    return [Found(row["id"], row["score"], {"title": row["title"]}) for row in rows]


def test_rankings_scores_and_fields_are_the_servers_own(
    datasette: Server, collection: Collection, tmp_path: Path
) -> None:
    queries = collection.few_queries(QUERIES)
    suite = written(collection, tmp_path, RETRIEVER.format(url=datasette.url, sql=SQL), queries=queries)
    agrees(live_run(suite), queries, lambda text: own_answers(datasette, text))


def test_a_suite_is_measured_through_it(datasette: Server, collection: Collection, tmp_path: Path) -> None:
    text = RETRIEVER.format(url=datasette.url, sql=SQL)
    suite = written(collection, tmp_path, text, queries=collection.few_queries(QUERIES), floor=0.3)
    assert value_of_suite(suite) <= 1.0
