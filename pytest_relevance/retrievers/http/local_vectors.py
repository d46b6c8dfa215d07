"""LocalVectors: vectors of queries from a model on this machine, each text encoded once, in the store of `dense`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Corpus, Query
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.filling import EMPTY
from pytest_relevance.retrievers.dense.library import need
from pytest_relevance.retrievers.dense.reference import find_model, written_identity
from pytest_relevance.retrievers.dense.retriever import DenseRetriever
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import LocalModel
from pytest_relevance.retrievers.http.secrets import Secrets
from pytest_relevance.retrievers.protocol import RetrieverContext, RetrieverEntry


class VectorsAtHand:
    """An Embedder of queries whose vectors, or the reasons for having none, are known."""

    def __init__(self, vectors: Mapping[str, Vectors], missing: Mapping[str, str]) -> None:
        self._vectors = vectors  # query_id → (dim,)
        self._missing = missing  # query_id → why

    async def vector(self, names: Mapping[str, Any]) -> list[float]:
        """The vector of the query among `names`."""
        query_id = names["query"].query_id
        if query_id in self._missing:
            raise NotAnswered(f"no vector: {self._missing[query_id]}")
        found: list[float] = self._vectors[query_id].tolist()
        return found


class LocalVectors:
    """Loads its model only for queries that have to be asked."""

    def __init__(
        self, config: RetrieverEntry, options: LocalModel, context: RetrieverContext, secrets: Secrets
    ) -> None:
        self._config = config
        self._options = options
        self._context = context
        self._secrets = secrets
        self.notes: tuple[str, ...] = ()  # on the model and what it had to do, once it was loaded

    def require(self) -> None:
        """Say now, and cheaply, what is missing.

        Raises:
            ModuleNotFoundError: the libraries are not installed. RetrieverError: there is no such model.
        """
        need("sentence_transformers")
        with self._told():
            find_model(self._config, self._options, self._context.folder)

    def identity(self) -> str:
        """What decides the vectors, without loading anything: the model's files, or its name and revision; options.

        Raises:
            RetrieverError: the model is a folder's or a package's, and not there.
        """
        with self._told():
            told = written_identity(self._config, self._options, self._context.folder)
        options = self._options.deciding()
        deciding = {name: value for name, value in options.items() if name not in ("model", "revision")}
        return json.dumps([told, deciding], sort_keys=True)

    def of(self, queries: Sequence[Query]) -> VectorsAtHand:
        """The vectors of all these queries; those of texts that the store does not have are encoded.

        Raises:
            RetrieverError: the model cannot be loaded, or does not fit its options.
        """
        # A dense retriever without documents: the same model, options and store as `type: dense` has.
        with self._told(), DenseRetriever(self._config, self._context, self._options, Corpus({})) as dense:
            rows, vectors = dense.vectors(queries)
            self.notes = tuple(self._secrets.mask(line) for line in dense.texts.told_of_queries(rows))
            missing = dense.texts.failures(queries, rows)
        missing |= {queries[int(place)].query_id: "its text is blank" for place in np.flatnonzero(rows == EMPTY)}
        there = (queries[int(place)].query_id for place in np.flatnonzero(rows >= 0))
        return VectorsAtHand(dict(zip(there, vectors, strict=True)), missing)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors without what came from the environment, as everywhere in a search over a network."""
        try:
            yield
        except RetrieverError as error:
            mask = self._secrets.mask
            fix = None if error.fix is None else mask(error.fix)
            raise RetrieverError(mask(error.problem), place=error.place, fix=fix) from None
