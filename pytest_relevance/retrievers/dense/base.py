"""What retrievers with an encoder share: opened, they have every text in the store; asked, they rank its rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pytest_relevance.records import Corpus, Query, Run
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.aligned import answers
from pytest_relevance.retrievers.dense.encoder import Encoder, Role, Vectors
from pytest_relevance.retrievers.dense.library import load_model, need
from pytest_relevance.retrievers.dense.options import EncoderOptions
from pytest_relevance.retrievers.dense.rankings import run_of_rows
from pytest_relevance.retrievers.dense.reference import ModelReference, find_model
from pytest_relevance.retrievers.dense.texts import EncodedTexts, HoldsTexts, Stopwatch
from pytest_relevance.retrievers.needed_corpus import corpus_of, hash_of
from pytest_relevance.retrievers.protocol import Ranked, RetrieverContext, RetrieverEntry

AnyOptions = TypeVar("AnyOptions", bound=EncoderOptions)


@dataclass(frozen=True)
class Encoding:
    """How one kind asks a loaded model, and what it keeps of the answer."""

    dtype: str  # of the stored numbers
    width: int | None = None  # numbers a row, where all have as many
    call: Mapping[str, Any] = field(default_factory=dict)  # more arguments of the model's encode functions
    unpack: Callable[[Any], list[npt.NDArray[Any]]] = list  # from what they give to one array a text
    limits: Mapping[Role, int | None] = field(default_factory=dict)  # tokens of one role, where it has fewer
    told: Mapping[str, object] = field(default_factory=dict)  # what else decides the numbers


class TextRetriever(HoldsTexts, ABC, Generic[AnyOptions]):
    """Ranks the corpus by what a model makes of its texts. Opening it loads the model and encodes what is new."""

    kind: ClassVar[str]
    model_class: ClassVar[str]  # of sentence-transformers

    def __init__(self, config: RetrieverEntry, context: RetrieverContext, options: AnyOptions, corpus: Corpus) -> None:
        self.config = config
        self.context = context
        self.options = options
        self._corpus = corpus

    @abstractmethod
    def encoding(self, model: Any) -> Encoding:
        """How this kind asks the model."""

    @abstractmethod
    def ranked(self, texts: EncodedTexts, queries: Integers, depth: int) -> tuple[Integers, Vectors]:
        """The best rows of the store for each query, and their scores; shapes (queries, k), -1 is no row.

        `queries` are rows of the store too. At least `depth` rows, and with them all that score as the last one.
        """

    def load(self, reference: ModelReference) -> Any:
        """The model of the library."""
        return load_model(self.model_class, self.config, self.options, reference)

    def __enter__(self) -> Self:
        reference = find_model(self.config, self.options, self.context.folder)
        model = self.load(reference)
        if not reference.is_folder:  # it may have come from the hub just now, at a commit that is known now
            reference = find_model(self.config, self.options, self.context.folder)
        way = self.encoding(model)
        encoder = Encoder(model, self.config, self.options, dict(way.call), way.unpack, way.limits)
        described = self._described(reference, encoder, way)
        texts = EncodedTexts(
            self.config, self.context, self._corpus, reference, encoder, described, way.dtype, way.width
        )
        try:
            texts.open(self.options.fields)
        except BaseException:
            texts.close()
            raise
        self._texts = texts
        return self

    def whole_run(self, queries: Sequence[Query], *, depth: int) -> Run:
        """The best documents of each query. A query of blanks has none; neither is a document of blanks ever found."""
        texts = self.texts
        of_queries = texts.queries(queries)
        with (spent := Stopwatch()):
            rows, scores = self.ranked(texts, of_queries[of_queries >= 0], depth)
        name = self.config.name
        run = run_of_rows(queries, of_queries, rows, scores, texts.rows, texts.doc_ids, name).cut(depth)
        return texts.signed(run, queries, of_queries, spent.seconds)

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """The same, query by query."""
        return answers(self.whole_run(queries, depth=depth))

    def _described(self, reference: ModelReference, encoder: Encoder, way: Encoding) -> dict[str, object]:
        return {
            "kind": self.kind,
            "model": self.options.model,
            "revision": reference.revision,
            "identity": reference.identity,
            "backend": self.options.backend,
            "dtype": self.options.dtype,
            "max_tokens": encoder.max_tokens,
            "stored_as": way.dtype,
            **way.told,
        }


def searched_rows(texts: EncodedTexts) -> Integers:
    """The distinct rows of the corpus, ascending: what a search goes over."""
    return np.unique(texts.rows[texts.rows >= 0])


class TextKind(Generic[AnyOptions]):
    """Makes retrievers of one kind."""

    def __init__(
        self, options: type[AnyOptions], retriever: type[TextRetriever[AnyOptions]], packages: Sequence[str]
    ) -> None:
        self._options = options
        self._retriever = retriever
        self._packages = packages

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> TextRetriever[AnyOptions]:
        """A retriever over the context's corpus. The model is looked for here, and loaded when it is opened.

        Raises:
            SuiteError: an option is unknown or out of range, or names a field that is not there.
            RetrieverError: the suite has no corpus, or there is no such model.
            ModuleNotFoundError: the libraries are not installed.
        """
        options = self._checked(config, context)
        return self._retriever(config, context, options, corpus_of(config, context, options.fields, does="encodes"))

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by the options, the model's files or commit, and the encoded text; not by how fast it is run."""
        options = self._checked(config, context)
        corpus_of(config, context, options.fields, does="encodes")
        identity = find_model(config, options, context.folder).identity
        return hash_of([config.type, options.deciding(), identity, context.corpus_hash(options.fields)])

    def _checked(self, config: RetrieverEntry, context: RetrieverContext) -> AnyOptions:
        options = config.validate(self._options)
        need(*self._packages)
        find_model(config, options, context.folder)
        return options
