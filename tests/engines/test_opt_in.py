"""Servers that RELEVANCE_ENGINES names: osmem, arcadedb, groonga, kiwix, chroma, milvus. Most by `type: http` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from engines import opt_in
from engines.agreement import DEPTH, Found, agrees, failures, live_run, written
from engines.collection import Collection
from engines.recipes import INDEX, call, vector_of_query, vectors_of
from engines.serving import Server, serving

QUERIES = 10
PRODUCTS = 40


def test_osmem(shelf: Path, collection: Collection, tmp_path: Path) -> None:
    opt_in.chosen("osmem")
    text = """
type: opensearch
url: {url}
index: {index}
body: {{query: {{multi_match: {{query: "{{{{ query.text }}}}", fields: [title^2, description]}}}}}}
fields: [title]
multi: 4
"""
    queries = collection.few_queries(QUERIES)
    with serving(opt_in.osmem(collection.products), shelf) as server:

        def own(asked: str) -> list[Found]:
            match = {"query": asked, "fields": ["title^2", "description"]}
            answer = call(
                "POST", f"{server.url}/{INDEX}/_search", json={"size": DEPTH, "query": {"multi_match": match}}
            )
            hits = answer["hits"]["hits"]
            return [Found(hit["_id"], hit["_score"], {"title": hit["_source"]["title"]}) for hit in hits]

        suite = written(collection, tmp_path, text.format(url=server.url, index=INDEX), queries=queries)
        agrees(live_run(suite), queries, own)


def test_arcadedb_wants_a_password_and_sql(shelf: Path, collection: Collection, tmp_path: Path) -> None:
    opt_in.chosen("arcadedb")
    found = "search_index('Product[title]', :words) = true order by $score desc, id desc"
    sql = f"select id, title, $score as score from Product where {found} limit {DEPTH}"
    text = f"""
type: http
url: {{url}}/api/v1/query/shop
auth: {{{{user: root, password: "${{{{ARCADEDB_PASSWORD}}}}"}}}}
body: {{{{language: sql, command: "{sql}", params: {{{{words: "{{{{{{{{ query.text | lucene }}}}}}}}"}}}}}}}}
hits: result
score: score
error: error
fields: [title]
"""
    few = collection.of_words(PRODUCTS)
    with serving(opt_in.arcadedb(few.products), shelf) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARCADEDB_PASSWORD", opt_in.ARCADEDB_PASSWORD)

        def own(asked: str) -> list[Found]:
            body = {"language": "sql", "command": sql, "params": {"words": asked}}
            login = ("root", opt_in.ARCADEDB_PASSWORD)
            rows = call("POST", f"{server.url}/api/v1/query/shop", json=body, auth=login)["result"]
            return [Found(row["id"], row["score"], {"title": row["title"]}) for row in rows]

        suite = written(few, tmp_path, text.format(url=server.url), queries=few.queries)
        agrees(live_run(suite), few.queries, own)


def test_groonga_answers_in_rows(shelf: Path, collection: Collection, tmp_path: Path) -> None:
    opt_in.chosen("groonga")
    params: dict[str, Any] = {
        "table": "Products",
        "match_columns": "title*3||description",
        "output_columns": "_key,_score,title",
        "sort_keys": "-_score,_key",
        "command_version": 3,
    }
    listed = "\n".join(f'  {name}: "{value}"' for name, value in params.items())
    text = f"""
type: http
url: {{url}}/d/select
params:
{listed}
  query: "{{{{ query.text.split() | join(' OR ') }}}}"
  limit: "{{{{ depth }}}}"
shape: rows
hits: body.records
columns: "body.columns[].name"
id: _key
score: _score
total: body.n_hits
error: "header.return_code != `0` && header.error"
fields: [title]
"""
    queries = collection.few_queries(QUERIES)
    with serving(opt_in.groonga(collection.products), shelf) as server:

        def own(asked: str) -> list[Found]:
            more = {"query": " OR ".join(asked.split()), "limit": DEPTH}
            rows = call("GET", f"{server.url}/d/select", params={**params, **more})["body"]["records"]
            return [Found(key, float(score), {"title": title}) for key, score, title in rows]

        suite = written(collection, tmp_path, text.replace("{url}", server.url), queries=queries)
        agrees(live_run(suite), queries, own)


def test_kiwix_answers_in_rss(shelf: Path, collection: Collection, tmp_path: Path) -> None:
    opt_in.chosen("kiwix")
    text = """
type: http
url: {url}/search
params: {{content: shop, pattern: "{{{{ query.text }}}}", format: xml, pageLength: "{{{{ depth }}}}"}}
format: xml
hits: /rss/channel/item
id: link
fields: [title]
namespaces: {{opensearch: "http://a9.com/-/spec/opensearch/1.1/"}}
total: /rss/channel/opensearch:totalResults
"""
    few = collection.of_words(PRODUCTS)
    with serving(opt_in.kiwix(few.products), shelf) as server:

        def own(asked: str) -> list[Found]:
            items = ElementTree.fromstring(_text(server, asked)).findall("channel/item")
            return [Found(item.findtext("link") or "", None, {"title": item.findtext("title")}) for item in items]

        suite = written(few, tmp_path, text.format(url=server.url), queries=few.queries)
        agrees(live_run(suite), few.queries, own)


def test_chroma_answers_in_columns_of_distances(
    shelf: Path, collection: Collection, tmp_path: Path, embeddings: Server
) -> None:
    opt_in.chosen("chroma")
    text = """
type: http
url: {url}/query
embed: {{url: "{embeddings}/v1/embeddings", model: e5, input: "query: {{{{ query.text }}}}"}}
body: {{query_embeddings: ["{{{{ vector }}}}"], n_results: "{{{{ depth }}}}", include: [distances, documents]}}
shape: columns
id: ids[0]
score: distances[0]
score_order: ascending
fields: {{title: "documents[0]"}}
"""
    queries = collection.few_queries(5)
    with serving(opt_in.chroma(), shelf) as server:
        vectors = vectors_of(embeddings.url, collection.products[:PRODUCTS])
        number = opt_in.load_chroma(server.url, collection.products, vectors)
        address = f"{server.url}{opt_in.CHROMA}/{number}"

        def own(asked: str) -> list[Found]:
            vector = vector_of_query(embeddings.url, asked)
            wanted = {"query_embeddings": [vector], "n_results": DEPTH, "include": ["distances", "documents"]}
            answer = call("POST", f"{address}/query", json=wanted)
            columns = (answer[name][0] for name in ("ids", "distances", "documents"))
            return [Found(one, -distance, {"title": title}) for one, distance, title in zip(*columns, strict=True)]

        suite = written(collection, tmp_path, text.format(url=address, embeddings=embeddings.url), queries=queries)
        agrees(live_run(suite), queries, own)


def test_milvus_answers_in_codes_inside_a_200(
    shelf: Path, collection: Collection, tmp_path: Path, embeddings: Server
) -> None:
    opt_in.chosen("milvus")
    text = """
type: http
url: {url}/search
embed: {{url: "{embeddings}/v1/embeddings", model: e5, input: "query: {{{{ query.text }}}}"}}
body: {{collectionName: {name}, vector: "{{{{ vector }}}}", limit: "{{{{ depth }}}}", outputFields: [product, title]}}
hits: data
id: product
score: distance
error: "code != `200` && message"
fields: [title]
"""
    queries = collection.few_queries(5)
    with serving(opt_in.milvus(), shelf) as server:
        vectors = vectors_of(embeddings.url, collection.products[:PRODUCTS])
        name = opt_in.load_milvus(server.url, collection.products, vectors)
        address = f"{server.url}{opt_in.MILVUS_API}"

        def own(asked: str) -> list[Found]:
            vector = vector_of_query(embeddings.url, asked)
            wanted = {"collectionName": name, "vector": vector, "limit": DEPTH, "outputFields": ["product", "title"]}
            rows = call("POST", f"{address}/search", json=wanted)["data"]
            return [Found(row["product"], row["distance"], {"title": row["title"]}) for row in rows]

        told = text.format(url=address, embeddings=embeddings.url, name=name)
        agrees(live_run(written(collection, tmp_path, told, queries=queries)), queries, own)
        missing = written(collection, tmp_path, told.replace(name, "not_there"), queries=queries)
        assert all("collection not found" in why for why in failures(missing).values())


def _text(server: Server, asked: str) -> str:
    params: dict[str, str | int] = {"content": "shop", "pattern": asked, "format": "xml", "pageLength": DEPTH}
    with httpx.Client(trust_env=False, timeout=30) as client:
        return client.get(f"{server.url}/search", params=params).text


def test_one_that_is_not_named_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_ENGINES", "chroma, kiwix")
    opt_in.chosen("kiwix")
    with pytest.raises(pytest.skip.Exception, match="opt-in: RELEVANCE_ENGINES=groonga"):
        opt_in.chosen("groonga")
