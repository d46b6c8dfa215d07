"""`type: mediawiki` against MediaWiki itself. Over SQLite it wants every word and has no order of relevance."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.agreement import DEPTH, Found, agrees, live_run, value_of_suite, written
from engines.collection import Collection
from engines.recipes import WIKI_PAGES, call
from engines.serving import Server
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import load_data, read_suite

RETRIEVER = """
type: mediawiki
url: {url}/api.php
{more}
"""


@pytest.fixture
def wiki(collection: Collection) -> Collection:
    return collection.of_words(WIKI_PAGES)


def own_answers(server: Server, text: str, key: str, size: int = DEPTH) -> list[Found]:
    params = {"action": "query", "list": "search", "srsearch": text, "srlimit": size, "srwhat": "text"}
    answer = call("GET", f"{server.url}/api.php", params={**params, "format": "json", "formatversion": 2})
    return [Found(str(one[key]), None, {"wordcount": one["wordcount"]}) for one in answer["query"]["search"]]


@pytest.mark.parametrize("key", ["title", "pageid"])
def test_rankings_and_fields_are_the_wikis_own(mediawiki: Server, wiki: Collection, tmp_path: Path, key: str) -> None:
    text = RETRIEVER.format(url=mediawiki.url, more=f"id: {key}\nfields: [wordcount]")
    suite = written(wiki, tmp_path, text, queries=wiki.queries)
    agrees(live_run(suite), wiki.queries, lambda asked: own_answers(mediawiki, asked, key))


def test_pages_go_on_where_the_wiki_says(mediawiki: Server, wiki: Collection, tmp_path: Path) -> None:
    paged = "fields: [wordcount]\npages: {by: cursor, next: continue.sroffset, size: 3}"
    suite = written(wiki, tmp_path, RETRIEVER.format(url=mediawiki.url, more=paged), queries=wiki.queries)
    agrees(live_run(suite, depth=20), wiki.queries, lambda asked: own_answers(mediawiki, asked, "title", 20))


def test_other_namespaces_are_searched_where_asked(mediawiki: Server, wiki: Collection, tmp_path: Path) -> None:
    text = RETRIEVER.format(url=mediawiki.url, more="namespace: [10]")
    run = live_run(written(wiki, tmp_path, text, queries=wiki.queries))
    assert all(run.ranking(query.query_id) == () for query in wiki.queries)  # there are no templates


def test_a_suite_is_measured_through_it(mediawiki: Server, wiki: Collection, tmp_path: Path) -> None:
    text = RETRIEVER.format(url=mediawiki.url, more="")
    assert value_of_suite(written(wiki, tmp_path, text, queries=wiki.queries, floor=0.5)) <= 1.0


def test_an_error_inside_a_200_stops_the_query(mediawiki: Server, wiki: Collection, tmp_path: Path) -> None:
    text = RETRIEVER.format(url=mediawiki.url, more="params: {srsort: by_magic}")
    suite = read_suite(written(wiki, tmp_path, text, queries=wiki.few_queries(1)))
    retriever = build(suite.retrievers["live"], RetrieverContext(tmp_path))
    run = retrieve_run(retriever, load_data(suite).queries, depth=5, name="live")
    (reason,) = run.failures.values()
    assert "srsort" in reason
