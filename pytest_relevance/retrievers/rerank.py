"""`type: rerank`: the first documents of another retriever, put in a new order by a cross-encoder.

Scores are stored as vectors are: a pair of query and document that was scored once is not scored again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Corpus, Ids, Query, Run
from pytest_relevance.records.columns import Truths
from pytest_relevance.records.corpus import text_of
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.aligned import aligned, answers
from pytest_relevance.retrievers.dense.encoder import ModelRunner, Role
from pytest_relevance.retrievers.dense.library import load_model, need
from pytest_relevance.retrievers.dense.options import Count, ModelOptions
from pytest_relevance.retrievers.dense.reference import find_model
from pytest_relevance.retrievers.dense.search import stored_vectors
from pytest_relevance.retrievers.dense.texts import EncodedTexts, HoldsTexts, Stopwatch
from pytest_relevance.retrievers.needed_corpus import corpus_of, hash_of
from pytest_relevance.retrievers.protocol import Ranked, RetrieverContext, RetrieverEntry


class RerankOptions(ModelOptions):
    """What a suite may say beside `type: rerank`."""

    of: str  # the retriever whose documents are put in order
    top: Count = 100  # its first so many; the others are left out
    fields: tuple[str, ...] = ()  # read beside the query, in this order; none named: every text field
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = None  # documents below it are left out


@dataclass
class PairScorer(ModelRunner):
    """A cross-encoder as the store asks it: a pair of texts is one text that begins with the length of its first."""

    def prompt(self, role: Role) -> str:  # noqa: ARG002 - the protocol's; the model adds its own
        """None of ours."""
        return ""

    def encode(self, texts: Sequence[str], role: Role) -> list[npt.NDArray[Any]]:  # noqa: ARG002 - the protocol's
        """One number a pair."""
        pairs = [parts_of(text) for text in texts]
        more = {"device": self.devices} if self.devices else {}
        scores = self.fitting(lambda size: self.model.predict(pairs, batch_size=size, show_progress_bar=False, **more))
        return list(np.asarray(scores, dtype=np.float32).reshape(len(texts), 1))

    def cut(self, texts: Sequence[str], role: Role) -> Truths:  # noqa: ARG002 - the protocol's
        """Whether each pair has more tokens than the model reads."""
        if self.max_tokens is None or not self.counts_tokens:
            return np.zeros(len(texts), dtype=np.bool_)
        queries, documents = zip(*map(parts_of, texts), strict=True)
        tokens = self.model.tokenizer(list(queries), list(documents), truncation=False, padding=False, verbose=False)
        return np.array([len(one) > self.max_tokens for one in tokens["input_ids"]], dtype=np.bool_)


class RerankRetriever(HoldsTexts):
    """Asks for the run of another retriever and scores its first documents."""

    def __init__(
        self, config: RetrieverEntry, context: RetrieverContext, options: RerankOptions, corpus: Corpus
    ) -> None:
        self._config = config
        self._context = context
        self._options = options
        self._corpus = corpus

    def __enter__(self) -> Self:
        reference = find_model(self._config, self._options, self._context.folder)
        model = load_model("CrossEncoder", self._config, self._options, reference)
        if model.num_labels != 1:
            raise RetrieverError(
                f"retriever {self._config.name!r}: its model gives {model.num_labels} numbers for a pair, and one is "
                "needed to order documents",
                place=self._config.place,
                fix="take a cross-encoder with one output, such as those trained on MS MARCO",
            )
        scorer = PairScorer(model, self._config, self._options)
        described = {
            "kind": "rerank",
            "model": self._options.model,
            "revision": reference.revision,
            "identity": reference.identity,
            "backend": self._options.backend,
            "dtype": self._options.dtype,
            "max_tokens": scorer.max_tokens,
        }
        self._texts = EncodedTexts(
            self._config, self._context, self._corpus, reference, scorer, described, "float32", 1
        )
        self._texts.open_store()
        return self

    def whole_run(self, queries: Sequence[Query], *, depth: int) -> Run:
        """The first documents of the other run, by their scores. A query that failed there has failed here.

        A query with a document whose score is not finite has failed too.

        Raises:
            RelevanceError: the other run cannot be had at all.
            RetrieverError: it has a document that the corpus does not have.
        """
        texts, run_of = self.texts, self._context.run_of
        assert run_of is not None  # its kind has seen to that
        asked = run_of(self._options.of, queries, self._options.top).cut(self._options.top)
        run = aligned(asked, [query.query_id for query in queries])
        with (spent := Stopwatch()):
            rows = texts.fill(self._pairs(run, queries), "document", len(run.codes))
        ordered = self._ordered(run, rows, texts)
        provenance = texts.made_by(spent.seconds - texts.spent.seconds) | self._counts(rows, texts)
        notes = (*ordered.notes, *self._notes(rows, texts))
        return replace(ordered.cut(depth), notes=notes, provenance=provenance)

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """The same, query by query."""
        return answers(self.whole_run(queries, depth=depth))

    def _pairs(self, run: Run, queries: Sequence[Query]) -> Iterator[str]:
        """Each query with each of its documents, in the order of the run's rows."""
        self._refuse_absent(run.doc_ids.take(np.unique(run.codes)))
        of_query = {query.query_id: query.text for query in queries}
        for query_id in run.query_ids:
            for document in self._corpus.fields_of(run.ranking(query_id)):
                yield pair_of(of_query[query_id], text_of(document, self._options.fields))

    def _refuse_absent(self, doc_ids: Ids) -> None:
        absent = doc_ids.take(np.flatnonzero(self._corpus.doc_ids.find(doc_ids) < 0))
        if len(absent):
            raise RetrieverError(
                f"retriever {self._config.name!r} is to score {len(absent)} documents of {self._options.of!r} that the "
                f"corpus does not have, such as {absent[0]!r}",
                place=self._config.place,
                fix="give the suite the corpus that they come from",
            )

    def _ordered(self, run: Run, rows: Integers, texts: EncodedTexts) -> Run:
        """The run with the stored scores, without what scored too low."""
        query_of = run.query_of_row
        why = "the model gives a score that is not finite for one of its documents"
        failed = {run.query_ids[int(query)]: why for query in np.unique(query_of[rows < 0])}
        scores = np.full(len(rows), -np.inf)
        scores[rows >= 0] = stored_vectors(texts.store, rows[rows >= 0], 1)[:, 0]
        least = -np.inf if self._options.min_score is None else self._options.min_score
        kept = np.flatnonzero((scores >= least) & (rows >= 0))
        offsets = np.searchsorted(query_of[kept], np.arange(len(run.query_ids) + 1))
        documents = run.doc_ids.take(run.codes[kept])
        made = Run.from_columns(run.query_ids, offsets, documents, scores[kept], name=self._config.name)
        made = made.restricted_to(query_id for query_id in run.query_ids if query_id not in failed)
        return replace(made, failures={**run.failures, **failed}, fields=run.fields)

    def _counts(self, rows: Integers, texts: EncodedTexts) -> dict[str, object]:
        usable = rows[rows >= 0]
        return {
            "of": self._options.of,
            "top": self._options.top,
            "min_score": self._options.min_score,
            "pairs": len(rows),
            "scored_pairs": texts.spent.texts["document"],
            "pairs_cut_share": float(texts.store.cut(usable).mean()) if len(usable) else 0.0,
        }

    def _notes(self, rows: Integers, texts: EncodedTexts) -> list[str]:
        scored, name = texts.spent.texts["document"], self._config.name
        pairs = len(np.unique(rows[rows >= 0]))
        notes = [texts.model_told(f"{scored} of {pairs} pairs scored", stored=scored < pairs)]
        cut = int(texts.store.cut(rows[rows >= 0]).sum())
        if cut:
            notes.append(f"{name}: {cut} of {pairs} pairs have more than {texts.encoder.max_tokens} tokens and are cut")
        return [*texts.notes, *notes, *texts.warnings()]


class RerankKind:
    """Makes rerankers."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> RerankRetriever:
        """A reranker of another retriever's documents, which the corpus must have.

        Raises:
            SuiteError: an option is unknown or out of range, or names a field that is not there.
            RetrieverError: the suite has no corpus, there is no such model, or nobody to ask for the other run.
            ModuleNotFoundError: the libraries are not installed.
        """
        options = config.validate(RerankOptions)
        if context.run_of is None:
            raise RetrieverError(
                f"retriever {config.name!r} reranks the run of another, and none is offered here",
                place=config.place,
                fix="use it in a suite that has the other one",
            )
        need("sentence_transformers")
        find_model(config, options, context.folder)
        return RerankRetriever(config, context, options, corpus_of(config, context, options.fields, does="encodes"))

    def depends_on(self, config: RetrieverEntry) -> tuple[str, ...]:
        """The retriever named in `of`."""
        return (config.validate(RerankOptions).of,)

    def part_depth(self, config: RetrieverEntry, depth: int) -> int:  # noqa: ARG002 - the protocol's
        """The documents that it needs of the other run, however few of them it then gives."""
        return config.validate(RerankOptions).top

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by the options, the model's files or commit, and the text; the other run has its own fingerprint."""
        options = config.validate(RerankOptions)
        need("sentence_transformers")
        corpus_of(config, context, options.fields, does="encodes")
        identity = find_model(config, options, context.folder).identity
        return hash_of(["rerank", options.deciding(), identity, context.corpus_hash(options.fields)])


def pair_of(query: str, document: str) -> str:
    """A pair as one text."""
    return f"{len(query)}:{query}{document}"


def parts_of(pair: str) -> tuple[str, str]:
    """The query and the document of such a text."""
    length, _, rest = pair.partition(":")
    return rest[: int(length)], rest[int(length) :]


rerank = RerankKind()
