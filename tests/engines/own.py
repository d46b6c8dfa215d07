"""Servers of one's own, by RELEVANCE_URL_NAME: how each is given the collection, and what it answers itself."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from engines.agreement import DEPTH, Found
from engines.collection import Product
from engines.recipes import INDEX, call, load_elasticsearch
from engines.serving import Server

INDEXED_WITHIN = 60.0  # seconds
CLASS = "RelevanceTests"  # Weaviate's names begin so, and have no hyphen

Vectors = Mapping[str, list[float]]


@dataclass(frozen=True)
class OwnServer:
    """One type and its server. Each function is given the address."""

    kind: str
    load: Callable[[str, Sequence[Product], Vectors], None]  # into an index that must not be there
    drop: Callable[[str], None]
    retriever: str  # lines of YAML under `type:` and `url:`
    answer: Callable[[str, str, list[float]], list[Found]]  # to a text and its vector, past our client
    by_vectors: bool = False


def url_of(name: str) -> str:
    """The address of a server of one's own; "" where there is none."""
    return os.environ.get(f"RELEVANCE_URL_{name.upper()}", "").rstrip("/")


def key_of(name: str) -> str:
    """Its key, from RELEVANCE_KEY_NAME."""
    return os.environ.get(f"RELEVANCE_KEY_{name.upper()}", "")


def _bearer(name: str) -> dict[str, str] | None:
    key = key_of(name)
    return {"Authorization": f"Bearer {key}"} if key else None


@contextmanager
def at_url_of_ones_own(
    name: str, worker_id: str, load: Callable[[str], None], drop: Callable[[str], None]
) -> Iterator[Server | None]:
    """The server at RELEVANCE_URL_NAME with an index of these tests, which is removed again; None: it is not set."""
    url = url_of(name)
    if not url:
        yield None
        return
    if worker_id != "master":
        pytest.skip("a server of one's own is tested by one process: leave out -n")
    load(url)
    try:
        yield Server(url)
    finally:
        drop(url)


def drop_elasticsearch(url: str) -> None:
    call("DELETE", f"{url}/{INDEX}")


def drop_typesense(url: str) -> None:
    call("DELETE", f"{url}/collections/{INDEX}", headers={"X-TYPESENSE-API-KEY": key_of("typesense")})


def _opensearch(url: str, text: str, _: list[float]) -> list[Found]:
    match = {"query": text, "fields": ["title^2", "description"]}
    answer = call("POST", f"{url}/{INDEX}/_search", json={"size": DEPTH, "query": {"multi_match": match}})
    hits = answer["hits"]["hits"]
    return [Found(hit["_id"], hit["_score"], {"title": hit["_source"]["title"]}) for hit in hits]


def _load_solr(url: str, products: Sequence[Product], _: Vectors) -> None:
    made = {"action": "CREATE", "name": INDEX, "numShards": 1, "collection.configName": "_default", "wt": "json"}
    call("GET", f"{url}/admin/collections", params=made)
    rows = [{"id": one.doc_id, "title_txt_en": one.title, "words_txt_en": one.description} for one in products]
    call("POST", f"{url}/{INDEX}/update?commit=true", json=rows)


def _solr(url: str, text: str, _: list[float]) -> list[Found]:
    fields = {"defType": "edismax", "qf": "title_txt_en words_txt_en", "fl": "id,score,title_txt_en"}
    answer = call("GET", f"{url}/{INDEX}/select", params={"q": text, "rows": DEPTH, "wt": "json", **fields})
    rows = answer["response"]["docs"]
    return [Found(row["id"], row["score"], {"title_txt_en": row["title_txt_en"]}) for row in rows]


def _meilisearch_call(method: str, url: str, sent: object = None) -> Any:
    return call(method, url, json=sent, headers=_bearer("meilisearch"))


def _load_meilisearch(url: str, products: Sequence[Product], _: Vectors) -> None:
    rows = [{"id": one.doc_id, "title": one.title, "description": one.description} for one in products]
    _meilisearch_call("POST", f"{url}/indexes", {"uid": INDEX, "primaryKey": "id"})
    task = _meilisearch_call("POST", f"{url}/indexes/{INDEX}/documents", rows)["taskUid"]
    until = time.monotonic() + INDEXED_WITHIN
    while (state := _meilisearch_call("GET", f"{url}/tasks/{task}")["status"]) != "succeeded":
        assert state in ("enqueued", "processing"), state
        assert time.monotonic() < until, "Meilisearch has not indexed in time"
        time.sleep(0.1)


def _meilisearch(url: str, text: str, _: list[float]) -> list[Found]:
    asked = {"q": text, "limit": DEPTH, "showRankingScore": True, "attributesToRetrieve": ["id", "title"]}
    hits = _meilisearch_call("POST", f"{url}/indexes/{INDEX}/search", asked)["hits"]
    return [Found(str(hit["id"]), hit["_rankingScore"], {"title": hit["title"]}) for hit in hits]


def _qdrant_call(method: str, url: str, sent: object = None) -> Any:
    key = key_of("qdrant")
    return call(method, url, json=sent, headers={"api-key": key} if key else None)


def _load_qdrant(url: str, products: Sequence[Product], vectors: Vectors) -> None:
    size = len(next(iter(vectors.values())))
    _qdrant_call("PUT", f"{url}/collections/{INDEX}", {"vectors": {"size": size, "distance": "Cosine"}})
    points = [
        {"id": number, "vector": vectors[one.doc_id], "payload": {"sku": one.doc_id, "title": one.title}}
        for number, one in enumerate(products)
    ]
    _qdrant_call("PUT", f"{url}/collections/{INDEX}/points?wait=true", {"points": points})


def _qdrant(url: str, _: str, vector: list[float]) -> list[Found]:
    asked = {"query": vector, "limit": DEPTH, "with_payload": True}
    points = _qdrant_call("POST", f"{url}/collections/{INDEX}/points/query", asked)["result"]["points"]
    return [Found(one["payload"]["sku"], one["score"], {"title": one["payload"]["title"]}) for one in points]


def _weaviate_call(method: str, url: str, sent: object = None) -> Any:
    return call(method, url, json=sent, headers=_bearer("weaviate"))


def _load_weaviate(url: str, products: Sequence[Product], _: Vectors) -> None:
    texts = [{"name": name, "dataType": ["text"]} for name in ("sku", "title", "description")]
    _weaviate_call("POST", f"{url}/v1/schema", {"class": CLASS, "vectorizer": "none", "properties": texts})
    rows = [{"sku": one.doc_id, "title": one.title, "description": one.description} for one in products]
    objects = [{"class": CLASS, "properties": row} for row in rows]
    for made in _weaviate_call("POST", f"{url}/v1/batch/objects", {"objects": objects}):
        assert not made.get("result", {}).get("errors"), made


def _weaviate(url: str, text: str, _: list[float]) -> list[Found]:
    search = f"limit: {DEPTH}, bm25: {{query: {json.dumps(text)}}}"
    query = f"{{ Get {{ {CLASS}({search}) {{ sku title _additional {{ score }} }} }} }}"
    rows = _weaviate_call("POST", f"{url}/v1/graphql", {"query": query})["data"]["Get"][CLASS]
    return [Found(row["sku"], float(row["_additional"]["score"]), {"title": row["title"]}) for row in rows]


SERVERS = (
    OwnServer(
        "opensearch",
        lambda url, products, _: load_elasticsearch(url, products),
        drop_elasticsearch,
        f"index: {INDEX}\nfields: [title]\nbody:\n  query:\n    multi_match:\n"
        '      {query: "{{ query.text }}", fields: [title^2, description]}',
        _opensearch,
    ),
    OwnServer(
        "solr",
        _load_solr,
        lambda url: call("GET", f"{url}/admin/collections", params={"action": "DELETE", "name": INDEX}),
        f"collection: {INDEX}\nfields: [title_txt_en]\nparams: {{defType: edismax, qf: title_txt_en words_txt_en}}",
        _solr,
    ),
    OwnServer(
        "meilisearch",
        _load_meilisearch,
        lambda url: _meilisearch_call("DELETE", f"{url}/indexes/{INDEX}"),
        f'index: {INDEX}\napi_key: "${{RELEVANCE_KEY_MEILISEARCH:-}}"\nfields: [title]',
        _meilisearch,
    ),
    OwnServer(
        "qdrant",
        _load_qdrant,
        lambda url: _qdrant_call("DELETE", f"{url}/collections/{INDEX}"),
        f'collection: {INDEX}\napi_key: "${{RELEVANCE_KEY_QDRANT:-}}"\nid: payload.sku\nfields: [title]\n'
        'embed: {url: "EMBEDDINGS/v1/embeddings", model: e5, input: "query: {{ query.text }}"}',
        _qdrant,
        by_vectors=True,
    ),
    OwnServer(
        "weaviate",
        _load_weaviate,
        lambda url: _weaviate_call("DELETE", f"{url}/v1/schema/{CLASS}"),
        f'collection: {CLASS}\napi_key: "${{RELEVANCE_KEY_WEAVIATE:-}}"\nid: sku\nfields: [title]',
        _weaviate,
    ),
)
