"""`type: late`: a vector for each token, compared by MaxSim (ColBERT), by sentence-transformers' MultiVectorEncoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.base import Encoding, TextKind, TextRetriever, searched_rows
from pytest_relevance.retrievers.dense.best import Best
from pytest_relevance.retrievers.dense.encoder import Role, Vectors
from pytest_relevance.retrievers.dense.library import library
from pytest_relevance.retrievers.dense.options import EncoderOptions
from pytest_relevance.retrievers.dense.store import VectorStore
from pytest_relevance.retrievers.dense.texts import EncodedTexts
from pytest_relevance.retrievers.sparse import joined

_TILE_BYTES = 1 << 25  # of documents' token vectors read at a time …
_BLOCK = 128  # … compared with those of so many queries
_ELEMENTS = 1 << 24  # numbers the library may hold while it compares: 64 MB


class LateOptions(EncoderOptions):
    """What a suite may say beside `type: late`."""

    store: Literal["float32", "float16"] = "float32"  # of the token vectors, about a hundred a document


class LateRetriever(TextRetriever[LateOptions]):
    """Ranks the corpus by the sum, over a query's tokens, of the likeness to the document's token most like it."""

    kind = "late"
    model_class = "MultiVectorEncoder"

    def encoding(self, model: Any) -> Encoding:
        """Documents up to `max_tokens` where the suite gives it, and else as long as the model's own rule says."""
        self._width = int(model.get_embedding_dimension())
        self._averaged = model.similarity_fn_name == "meanmaxsim"
        if self.options.max_tokens is not None:
            model[0].document_length = self.options.max_tokens
        limits: dict[Role, int | None] = {
            "query": getattr(model[0], "query_length", None),
            "document": getattr(model[0], "document_length", None),
        }
        return Encoding(self.options.store, None, {"convert_to_numpy": True}, limits=limits, told={"lengths": limits})

    def ranked(self, texts: EncodedTexts, queries: Integers, depth: int) -> tuple[Integers, Vectors]:
        """Exactly: every document is compared, a tile of them at a time."""
        texts.more["similarity"] = "meanmaxsim" if self._averaged else "maxsim"
        maxsim = library("sentence_transformers.util.similarity").maxsim
        rows = searched_rows(texts)
        asked = self._tokens(texts.store, queries)
        blocks = [Best(min(_BLOCK, len(queries) - first), depth) for first in range(0, len(queries), _BLOCK)]
        for first, last in _tiles(texts.store, rows):
            documents = self._tokens(texts.store, rows[first:last])
            for number, best in enumerate(blocks):
                some = asked[number * _BLOCK : (number + 1) * _BLOCK]
                scores = maxsim(some, documents, chunk_elements=_ELEMENTS, length_normalize=self._averaged)
                best.add(first, scores.cpu().numpy())
        return joined(blocks, rows)

    def _tokens(self, store: VectorStore, rows: Integers) -> list[Vectors]:
        """The vectors of each text's tokens; shapes (tokens, width)."""
        return [piece.reshape(-1, self._width).astype(np.float32) for piece in store.pieces(rows)]


def _tiles(store: VectorStore, rows: Integers) -> Iterator[tuple[int, int]]:
    """Bounds of tiles of `rows` that have about so many bytes, and at least one row."""
    sizes = store.offsets[rows + 1] - store.offsets[rows]
    ends = np.cumsum(sizes)
    first = 0
    while first < len(rows):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _TILE_BYTES, side="right")))
        yield first, last
        first = last


late = TextKind(LateOptions, LateRetriever, ("sentence_transformers",))
