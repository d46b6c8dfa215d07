"""Features of a pair of query and document: BM25, lengths, a field, a run's score, or a function of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pytest_relevance.errors import RelevanceError, UsageError, suggestion
from pytest_relevance.preflight.bias import Feature, Pair
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import words_in
from pytest_relevance.records import Corpus, Ids, Queries, Query, Run
from pytest_relevance.records.columns import Floats

KINDS = ("bm25", "doc_length", "query_length", "field:NAME", "score:RUN", "package.module:function")
_FUNCTION = re.compile(r"[\w.]+:[\w.]+")


@dataclass(frozen=True)
class PairFeature:
    """A feature that is a function of the two ids; None where it is not known."""

    name: str
    value: Callable[[str, str], float | None]

    def values(self, pairs: Sequence[Pair]) -> Floats:
        """The values of the pairs, NaN where not known; shape (pairs,)."""
        found = (self.value(query_id, doc_id) for query_id, doc_id in pairs)
        return np.array([np.nan if value is None else value for value in found], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Bm25Feature:
    """The score that BM25 with its usual options gives a document for a query; 0 where they share no word."""

    corpus: Corpus
    queries: Queries
    name: str = "bm25"

    def values(self, pairs: Sequence[Pair]) -> Floats:
        """The scores of the pairs, NaN where query or document is not there; shape (pairs,)."""
        found = np.full(len(pairs), np.nan)
        places: dict[str, list[int]] = {}
        for place, (query_id, doc_id) in enumerate(pairs):
            if query_id in self.queries and doc_id in self.corpus:
                places.setdefault(query_id, []).append(place)
        doc_ids = self.corpus.doc_ids
        for query_id, mine in places.items():
            wanted = doc_ids.find(Ids.of(pairs[place][1] for place in mine))
            found[mine] = self._scores(self.queries[query_id])[wanted]
        return found

    def _scores(self, query: Query) -> Floats:
        """The score of every document of the corpus; shape (documents,)."""
        index, terms, doc_ids = self._built
        hits = index.search(terms.known(query.text), doc_ids, depth=len(doc_ids))
        scores = np.zeros(len(doc_ids))
        scores[hits.codes] = hits.scores
        return scores

    @cached_property
    def _built(self) -> tuple[Any, Any, Ids]:
        from pytest_relevance.retrievers.bm25_index import build_index
        from pytest_relevance.retrievers.bm25_options import Bm25Options
        from pytest_relevance.retrievers.bm25_tokens import Terms, analysis_of

        options, doc_ids = Bm25Options(), self.corpus.doc_ids
        analysis = analysis_of(options)
        index = build_index(self.corpus.texts(), doc_ids, Terms(analysis), options)
        return index, Terms(analysis, index.terms), doc_ids


def feature_of(text: str, material: Material, *, folder: Path | None = None) -> Feature:
    """The feature that a text names.

    `bm25`, `doc_length` and `query_length` (words), `field:NAME` (a number of the document), `score:RUN` (the score of
    a run of the material, not known where it does not rank the document), `package.module:function` (a function of a
    Query and the document's fields, found from `folder` on, that gives a number or None).

    Raises:
        UsageError: the text names none, or what the feature needs is not there.
    """
    kind, _, name = text.partition(":")
    if kind == "bm25" and not name:
        return Bm25Feature(_corpus(material, text), _queries(material, text))
    if kind == "doc_length" and not name:
        corpus = _corpus(material, text)
        return PairFeature(text, lambda _, doc_id: _length(corpus, doc_id))
    if kind == "query_length" and not name:
        queries = _queries(material, text)
        return PairFeature(text, lambda query_id, _: _query_length(queries, query_id))
    if kind == "field" and name:
        return _field(name, _corpus(material, text))
    if kind == "score" and name:
        return _score(name, material)
    if _FUNCTION.fullmatch(text):
        return _function(text, _corpus(material, text), _queries(material, text), folder or Path.cwd())
    raise UsageError(f"unknown feature {text!r}", fix=suggestion(text, KINDS, label="features"))


def _length(corpus: Corpus, doc_id: str) -> float | None:
    if doc_id not in corpus:
        return None
    return float(sum(len(words_in(value)) for value in corpus[doc_id].values() if isinstance(value, str)))


def _query_length(queries: Queries, query_id: str) -> float | None:
    return float(len(words_in(queries[query_id].text))) if query_id in queries else None


def _field(name: str, corpus: Corpus) -> PairFeature:
    if name not in corpus.field_names:
        fix = suggestion(name, corpus.field_names, label="fields of this corpus")
        raise UsageError(f"no document has a field {name!r}", fix=fix)

    def value(_: str, doc_id: str) -> float | None:
        try:
            return float(str(corpus.get(doc_id, {}).get(name)))
        except ValueError:
            return None

    return PairFeature(f"field {name}", value)


def _score(name: str, material: Material) -> PairFeature:
    if name not in material.runs:
        fix = suggestion(name, material.runs, label="runs") if material.runs else "name a run"
        raise UsageError(f"there is no run {name!r} to take scores from", fix=fix)
    scores: dict[str, Mapping[str, float]] = {}

    def value(query_id: str, doc_id: str) -> float | None:
        if query_id not in scores:
            scores[query_id] = _scores_of(material.runs[name], query_id)
        return scores[query_id].get(doc_id)

    return PairFeature(f"score of {name}", value)


def _scores_of(run: Run, query_id: str) -> Mapping[str, float]:
    return dict(zip(run.ranking(query_id), run.scores_of(query_id), strict=True))


def _function(text: str, corpus: Corpus, queries: Queries, folder: Path) -> PairFeature:
    from pytest_relevance.retrievers.callables import importing_from, told

    module, _, attribute = text.partition(":")
    try:
        with importing_from(folder):
            function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"feature {text!r} cannot be imported: {error}", fix="name package.module:function") from error

    def value(query_id: str, doc_id: str) -> float | None:
        if query_id not in queries or doc_id not in corpus:
            return None
        try:
            found = function(queries[query_id], corpus[doc_id])
            return None if found is None else float(found)
        except RelevanceError:
            raise
        except Exception as error:
            problem = f"feature {text!r} failed for query {query_id!r}, document {doc_id!r}: {told(error)}"
            raise UsageError(problem, fix="let it give a number, or None where there is none") from error

    return PairFeature(text, value)


def _corpus(material: Material, text: str) -> Corpus:
    if material.corpus is None:
        raise UsageError(f"feature {text!r} needs the documents", fix="name a corpus")
    return material.corpus


def _queries(material: Material, text: str) -> Queries:
    if material.queries is None:
        raise UsageError(f"feature {text!r} needs the queries", fix="name a file of queries")
    return material.queries
