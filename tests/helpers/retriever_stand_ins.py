"""What the tests of retrievers share: entries of a suite without a suite file, and small corpora."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_relevance.errors import Place
from pytest_relevance.records import Corpus, Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import RetrieverConfig
from pytest_relevance.suite.located import load
from pytest_relevance.suite.source import Source

PLACE = Place("shoes.relevance.yaml", 6, 3)


def entry(kind: str, options: Mapping[str, object] | None = None, *, name: str = "tried") -> RetrieverConfig:
    """An entry of a suite, as the reader of suites makes it: every option is text."""
    written = load(Source("shoes.relevance.yaml", json.dumps(options or {})))
    return RetrieverConfig(name, kind, written, PLACE)


def retrieve(
    entry: RetrieverConfig, queries: Mapping[str, str], context: RetrieverContext | None = None, depth: int = 10
) -> Run:
    """The run of an entry for these queries, made as the product makes it."""
    retriever = build(entry, context or RetrieverContext(Path()))
    return retrieve_run(retriever, Queries.from_dict(queries), depth=depth, name=entry.name)


def corpus_context(texts: Mapping[str, str], cache: Path | None = None) -> RetrieverContext:
    """A context whose corpus has one text a document."""
    return RetrieverContext(Path(), lambda: Corpus({doc_id: {"text": text} for doc_id, text in texts.items()}), cache)
