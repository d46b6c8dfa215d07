"""What the tests of retrievers share: entries of a suite without a suite, and small corpora."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pytest_relevance.errors import Place, SuiteError
from pytest_relevance.records import Corpus, Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run

PLACE = Place("shoes.relevance.yaml", 6, 3)
Options = TypeVar("Options", bound=BaseModel)


class Entry:
    """A stand-in for a suite's entry."""

    def __init__(self, name: str, kind: str, options: Mapping[str, object]) -> None:
        self.name = name
        self.type = kind
        self.options = options
        self.place = PLACE

    def validate(self, model: type[Options]) -> Options:
        try:
            return model.model_validate(self.options)
        except ValidationError as error:
            first = error.errors()[0]
            raise SuiteError(f"{first['msg']}: {first['loc']}", place=self.place) from error


def entry(kind: str, options: Mapping[str, object] | None = None, *, name: str = "tried") -> Entry:
    """An entry of a suite."""
    return Entry(name, kind, options or {})


def retrieve(entry: Entry, queries: Mapping[str, str], context: RetrieverContext | None = None, depth: int = 10) -> Run:
    """The run of an entry for these queries, made as the product makes it."""
    retriever = build(entry, context or RetrieverContext(Path()))
    return retrieve_run(retriever, Queries.from_dict(queries), depth=depth, name=entry.name)


def corpus_context(texts: Mapping[str, str], cache: Path | None = None) -> RetrieverContext:
    """A context whose corpus has one text a document."""
    return RetrieverContext(Path(), lambda: Corpus({doc_id: {"text": text} for doc_id, text in texts.items()}), cache)
