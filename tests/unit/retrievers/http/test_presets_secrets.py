"""A key from the environment is sent where its service looks for it, and is told nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault_server import Asked, FaultServer, Reply

from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import RecordingFolder, retrieve_run
from pytest_relevance.suite import load_data, read_suite

KEY = "sk-{{5f3a}}-not-for-you"  # with signs of a template, which it is not
OPTIONS = {
    "elasticsearch": "index: shop\n    body: {}",
    "opensearch": "index: shop\n    body: {}",
    "typesense": "collection: shop\n    query_by: title",
    "meilisearch": "index: shop",
    "algolia": "index: shop\n    application: APP",
    "qdrant": "collection: shop\n    body: {query: 7}",
    "weaviate": "collection: Shop",
    "brave": "fields: [title]",
}
WHERE = {
    "elasticsearch": ("authorization", f"ApiKey {KEY}"),
    "opensearch": ("authorization", f"ApiKey {KEY}"),
    "typesense": ("x-typesense-api-key", KEY),
    "meilisearch": ("authorization", f"Bearer {KEY}"),
    "algolia": ("x-algolia-api-key", KEY),
    "qdrant": ("api-key", KEY),
    "weaviate": ("authorization", f"Bearer {KEY}"),
    "brave": ("x-subscription-token", KEY),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_key_is_in_one_header_and_in_no_message_and_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    seen: list[Asked] = []

    def script(asked: Asked) -> Reply:
        seen.append(asked)
        return Reply({"message": f"no such index; you sent {json.dumps(asked.headers)} to {asked.target}"}, status=404)

    with FaultServer(script) as server:
        path = tmp_path / "live.relevance.yaml"
        path.write_text(
            "suite: live\nqueries: [{query_id: q1, text: red shoes, relevant: {d1: 1}}]\nretrievers:\n  live:\n"
            f"    type: {name}\n    url: {server.url}\n    api_key: ${{SHOP_KEY}}\n    {OPTIONS[name]}\n"
            "checks: [{measure: nDCG@10, of: live, at_least: 0.5}]\n",
            encoding="utf-8",
        )
        suite = read_suite(path)
        recordings = RecordingFolder(tmp_path / "recordings", "record")
        retriever = build(suite.retrievers["live"], RetrieverContext(tmp_path, recordings=recordings))
        run = retrieve_run(retriever, load_data(suite).queries, depth=3, name="live")

    header, value = WHERE[name]
    assert seen[0].headers[header] == value
    assert "HTTP 404" in run.failures["q1"]
    assert KEY not in run.failures["q1"]
    assert KEY not in seen[0].target
    written = b"".join(one.read_bytes() for one in (tmp_path / "recordings").rglob("*") if one.is_file())
    assert KEY.encode() not in written
