"""`type: sparse`: a weight for each of a vocabulary's words (SPLADE), by sentence-transformers' SparseEncoder.

A stored row is the positions of its words and then their weights, all float32: positions below 2²⁴ are exact in it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.base import Encoding, TextKind, TextRetriever, searched_rows
from pytest_relevance.retrievers.dense.best import Best
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.library import library
from pytest_relevance.retrievers.dense.options import Count, EncoderOptions
from pytest_relevance.retrievers.dense.store import VectorStore
from pytest_relevance.retrievers.dense.texts import EncodedTexts

_TILE = 4096  # documents scored at a time …
_BLOCK = 512  # … for so many queries


class SparseOptions(EncoderOptions):
    """What a suite may say beside `type: sparse`."""

    max_words: Count | None = None  # the heaviest so many words of each text only; None: all
    similarity: Literal["dot", "cosine"] = "dot"


class SparseRetriever(TextRetriever[SparseOptions]):
    """Ranks the corpus by the words it shares with a query. A document that shares none is not found."""

    kind = "sparse"
    model_class = "SparseEncoder"

    def encoding(self, model: Any) -> Encoding:  # noqa: ARG002 - the protocol's; every model is asked alike
        """As many words a text as the model gives, or as `max_words` leaves."""
        words = self.options.max_words
        call = {"convert_to_sparse_tensor": True, "save_to_cpu": True, "max_active_dims": words}
        return Encoding("float32", None, call, _rows, told={"max_words": words})

    def ranked(self, texts: EncodedTexts, queries: Integers, depth: int) -> tuple[Integers, Vectors]:
        """Exactly, by a sparse product, tile by tile."""
        texts.more["similarity"] = self.options.similarity
        rows = searched_rows(texts)
        # A word that no query has cannot count, and models do not tell reliably how many words they know.
        words = 1 + max(
            (int(piece[: len(piece) // 2].max(initial=-1)) for piece in texts.store.pieces(queries)), default=-1
        )
        asked = self._matrix(texts.store, queries, words)
        blocks = [Best(min(_BLOCK, len(queries) - first), depth) for first in range(0, len(queries), _BLOCK)]
        for start in range(0, len(rows), _TILE):
            tile = self._matrix(texts.store, rows[start : start + _TILE], words).T
            for number, best in enumerate(blocks):
                scores = (asked[number * _BLOCK : (number + 1) * _BLOCK] @ tile).toarray()
                best.add(start, np.where(scores > 0, scores, -np.inf).astype(np.float32))
        return joined(blocks, rows)

    def _matrix(self, store: VectorStore, rows: Integers, words: int) -> Any:
        """Rows of the store as a sparse matrix of the first so many words; shape (rows, words)."""
        positions, weights, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.float32)], []
        for piece in store.pieces(rows):
            where, weight = piece[: len(piece) // 2].astype(np.int64), piece[len(piece) // 2 :]
            if self.options.similarity == "cosine":
                weight = weight / max(float(np.linalg.norm(weight)), 1e-30)
            known = where < words
            positions.append(where[known])
            weights.append(weight[known])
            counts.append(int(known.sum()))
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        data = (np.concatenate(weights), np.concatenate(positions), bounds)
        return library("scipy.sparse").csr_array(data, shape=(len(rows), words))


def joined(blocks: list[Best], rows: Integers) -> tuple[Integers, Vectors]:
    """The answers of blocks of queries one below the other, as rows of the store; shapes (queries, k)."""
    width = max((best.places.shape[1] for best in blocks), default=0)
    count = sum(len(best.places) for best in blocks)
    found, scores = np.full((count, width), -1, dtype=np.int64), np.full((count, width), -np.inf, dtype=np.float32)
    first = 0
    for best in blocks:
        part = np.s_[first : first + len(best.places), : best.places.shape[1]]
        found[part] = np.where(best.places < 0, -1, rows[best.places]) if len(rows) else best.places
        scores[part] = best.scores
        first += len(best.places)
    return found, scores


def _rows(given: Any) -> list[npt.NDArray[Any]]:
    """Each text's positions and weights, from the library's sparse matrix (texts, words)."""
    matrix = given.coalesce()
    text_of, words = matrix.indices().numpy()
    weights = matrix.values().float().numpy()
    bounds = np.searchsorted(text_of, np.arange(matrix.shape[0] + 1))
    return [
        np.concatenate((words[start:stop].astype(np.float32), weights[start:stop])) for start, stop in pairwise(bounds)
    ]


sparse = TextKind(SparseOptions, SparseRetriever, ("sentence_transformers", "scipy"))
