"""`type: dense`: one vector a text, compared by cosine, dot product or distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Query
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.base import Encoding, TextKind, TextRetriever, searched_rows
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.index import approximate, kept_index, recall_of
from pytest_relevance.retrievers.dense.options import DenseOptions, Similarity
from pytest_relevance.retrievers.dense.search import Found, Space, exact, stored_vectors
from pytest_relevance.retrievers.dense.texts import EncodedTexts
from pytest_relevance.retrievers.needed_corpus import hash_of


class DenseRetriever(TextRetriever[DenseOptions]):
    """Ranks the corpus by how near its vectors are to a query's."""

    kind = "dense"
    model_class = "SentenceTransformer"

    def encoding(self, model: Any) -> Encoding:
        """As the suite says, and else as the model's configuration does.

        Raises:
            RetrieverError: `truncate_dim` is more than there is.
        """
        options = self.options
        self._similarity = options.similarity or cast("Similarity", str(model.similarity_fn_name))
        self._normalised = self._similarity == "cosine" if options.normalize is None else options.normalize
        self._width = self._chosen_width(model)
        return Encoding(
            options.store,
            self._width,
            {"normalize_embeddings": self._normalised, "truncate_dim": options.truncate_dim},
            told={"normalize": self._normalised, "truncate_dim": options.truncate_dim},
        )

    def ranked(self, texts: EncodedTexts, queries: Integers, depth: int) -> tuple[Integers, Vectors]:
        """By exact search, or by an approximate index and exact scores."""
        texts.more.update(similarity=self._similarity, index=self.options.index)
        space = Space(texts.store, searched_rows(texts), self._width, self._similarity, normalised=self._normalised)
        found = self._found(space, stored_vectors(texts.store, queries, self._width), depth, texts)
        rows = np.where(found.places < 0, -1, space.rows[found.places]) if len(space) else found.places
        return rows, found.scores

    def vectors(self, queries: Sequence[Query]) -> tuple[Integers, Vectors]:
        """For those who search elsewhere: the row of each query in the store, and the vectors of those that have one.

        Shapes: (queries,), in which EMPTY and UNUSABLE are no rows, and (queries with a row, dim).
        """
        rows = self.texts.queries(queries)
        return rows, stored_vectors(self.texts.store, rows[rows >= 0], self._width)

    def _found(self, space: Space, queries: Vectors, depth: int, texts: EncodedTexts) -> Found:
        if self.options.index == "flat" or not len(space) or not len(queries):
            return exact(space, queries, depth)
        of = hash_of([dict(texts.description), self.context.corpus_hash(self.options.fields)])
        index = kept_index(self.context.cache, self.config, self.options, space, of)
        share, count = recall_of(index, space, queries, depth, self.options)
        texts.more["index_recall"] = share
        texts.notes.append(
            f"{self.config.name}: index {self.options.index} finds {share:.1%} of the exact best {depth} "
            f"({count} queries compared); what it misses is not the model's loss"
        )
        return approximate(index, space, queries, depth, self.options)

    def _chosen_width(self, model: Any) -> int:
        own, cut = int(model.get_embedding_dimension()), self.options.truncate_dim
        if cut is not None and cut > own:
            raise RetrieverError(
                f"retriever {self.config.name!r}: truncate_dim {cut} is more than the {own} numbers of its vectors",
                place=self.config.place,
                fix=f"write {own} or less, or leave it out",
            )
        return cut or own


dense = TextKind(DenseOptions, DenseRetriever, ("sentence_transformers", "faiss"))
