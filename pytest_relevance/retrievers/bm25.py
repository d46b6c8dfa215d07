"""`type: bm25`: the embedded ranking, BM25 over the suite's corpus by bm25s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Self
from unicodedata import unidata_version

from pytest_relevance.records import Corpus, Query
from pytest_relevance.retrievers.bm25_index import FOLDER, Bm25Index, build_index, kept_index
from pytest_relevance.retrievers.bm25_options import Bm25Options
from pytest_relevance.retrievers.bm25_tokens import WORDS_VERSION, Analysis, Terms, analysis_of
from pytest_relevance.retrievers.needed_corpus import corpus_of, hash_of
from pytest_relevance.retrievers.protocol import Opened, Ranked, RetrieverContext, RetrieverEntry


class Bm25Retriever(Opened):
    """Ranks the corpus by BM25. The index is made, or read from the cache, when the retriever is opened."""

    def __init__(self, corpus: Corpus, options: Bm25Options, analysis: Analysis, kept: Path | None) -> None:
        self._corpus = corpus
        self._options = options
        self._analysis = analysis
        self._kept = kept  # the folder of the index; None: it is made each time
        self._doc_ids = corpus.doc_ids
        self._index: Bm25Index | None = None

    def __enter__(self) -> Self:
        self._index = self._built() if self._kept is None else kept_index(self._kept, self._built)
        return self

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """Each query's best documents; a query without a known term gets none."""
        if self._index is None:
            raise RuntimeError("a retriever is opened, as a context manager, before it retrieves")
        terms = Terms(self._analysis, self._index.terms)
        for query in queries:
            asked = perf_counter()
            hits = self._index.search(terms.known(query.text), self._doc_ids, depth=depth)
            yield Ranked(query.query_id, hits, seconds=perf_counter() - asked)

    def _built(self) -> Bm25Index:
        texts = self._corpus.texts(self._options.fields)
        return build_index(texts, self._doc_ids, Terms(self._analysis), self._options)


class Bm25Kind:
    """Makes bm25 retrievers."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> Bm25Retriever:
        """A retriever over the context's corpus.

        Raises:
            SuiteError: an option is unknown or out of range, or names a language or a field that is not there.
            RetrieverError: the suite has no corpus.
        """
        options = config.validate(Bm25Options)
        analysis = analysis_of(options)
        corpus = corpus_of(config, context, options.fields, does="indexes")
        kept = None
        if context.cache is not None:
            # Which characters are letters is Python's to say, and moves the index but hardly ever a ranking.
            kept = context.cache / FOLDER / hash_of([self.fingerprint(config, context), unidata_version])
        return Bm25Retriever(corpus, options, analysis, kept)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by the options, the indexed text, and the versions of what cuts, stems and scores it."""
        options = config.validate(Bm25Options)
        versions = {name: version(name) for name in ("bm25s", "PyStemmer")} | {"words": str(WORDS_VERSION)}
        corpus_of(config, context, options.fields, does="indexes")
        return hash_of(["bm25", options.model_dump(mode="json"), versions, context.corpus_hash(options.fields)])


bm25 = Bm25Kind()
