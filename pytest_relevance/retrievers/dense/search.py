"""Exact search: the best rows of each query, tile by tile of the stored vectors, with ties kept whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.library import library
from pytest_relevance.retrievers.dense.options import Similarity
from pytest_relevance.retrievers.dense.store import VectorStore

TILE_BYTES = 1 << 28  # of vectors looked at in one go; what bounds the memory of a search
_RESCORED_BYTES = 1 << 26  # of candidates' vectors gathered in one go


@dataclass(frozen=True)
class Found:
    """The best rows of each query, best first; shapes (queries, k). `places` count within the searched rows."""

    scores: Vectors
    places: Integers


@dataclass(frozen=True)
class Space:
    """The vectors of some rows of a store, and how alike two vectors are."""

    store: VectorStore
    rows: Integers  # (n,): distinct, ascending
    width: int  # numbers a vector
    similarity: Similarity
    normalised: bool = False  # the rows have length 1 as they are stored
    tile_bytes: int = TILE_BYTES

    def __len__(self) -> int:
        return len(self.rows)

    def tiles(self) -> Iterator[tuple[int, Vectors]]:
        """Where each tile begins in `rows`, and its vectors (rows of the tile, width) as float32."""
        count = max(1, self.tile_bytes // (self.width * 4))
        for first in range(0, len(self.rows), count):
            yield first, self.vectors(self.rows[first : first + count])

    def vectors(self, rows: Integers) -> Vectors:
        """The vectors of ascending rows; not copied where they lie side by side as float32 of the right length."""
        if not len(rows):
            return np.zeros((0, self.width), dtype=np.float32)
        first, last = int(rows[0]), int(rows[-1]) + 1
        values = self.store.values(first, last).reshape(-1, self.width)
        if last - first != len(rows):
            values = values[rows - first]
        return self._prepared(values)

    def gathered(self, places: Integers) -> Vectors:
        """The vectors at any places in `rows`; shape (*places.shape, width)."""
        distinct, inverse = np.unique(places, return_inverse=True)
        vectors = self._prepared(stored_vectors(self.store, self.rows[distinct], self.width))
        return vectors[inverse.reshape(places.shape)]

    def prepared(self, queries: Vectors) -> Vectors:
        """Queries as the vectors are compared with them."""
        return unit(queries) if self.similarity == "cosine" else np.ascontiguousarray(queries, dtype=np.float32)

    def _prepared(self, values: Any) -> Vectors:
        exactly = self.normalised and self.store.dtype == np.float32  # float16 rounds lengths too
        vectors: Vectors = np.asarray(values, dtype=np.float32)
        return unit(vectors) if self.similarity == "cosine" and not exactly else vectors


def stored_vectors(store: VectorStore, rows: Integers, width: int) -> Vectors:
    """The vectors of any rows as float32; shape (rows, width)."""
    if not len(rows):
        return np.zeros((0, width), dtype=np.float32)
    first = int(rows.min())
    values = store.values(first, int(rows.max()) + 1).reshape(-1, width)
    return np.asarray(values[rows - first], dtype=np.float32)


def unit(vectors: Any) -> Vectors:
    """Vectors of length 1; a vector of zeros stays one."""
    values: Vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths = np.sqrt(np.einsum("nd,nd->n", values, values))[:, None]
    lengths[lengths == 0] = 1.0
    normalised: Vectors = values / lengths
    return normalised


def exact(space: Space, queries: Vectors, depth: int) -> Found:
    """The best rows of each query: `depth` of them, and after these all that score as the last one does.

    Scores are float32 and higher is better: the cosine, the dot product, or minus the distance. The result is as wide
    as its longest answer; where an answer is shorter, places are -1.
    """
    if not len(space) or not len(queries):
        return Found(np.zeros((len(queries), 0), dtype=np.float32), np.zeros((len(queries), 0), dtype=np.int64))
    prepared = space.prepared(queries)
    wanted = min(depth + 1, len(space))
    found = _best(space, prepared, wanted)
    while wanted < len(space):
        # The last score that fits may go on behind what was asked for: which of its rows stay is the tie rule's to say.
        open_ = np.flatnonzero(found.scores[:, -1] == found.scores[:, min(depth, wanted) - 1])
        if not len(open_):
            break
        wanted = min(wanted * 4, len(space))
        found = _joined(found, open_, _best(space, prepared[open_], wanted))
    return found


def rescored(space: Space, queries: Vectors, places: Integers) -> Found:
    """Candidates (queries, c) in the order of their exact scores; -1 stands for no candidate, and stays last."""
    prepared = space.prepared(queries)
    scores = np.full(places.shape, -np.inf, dtype=np.float32)
    step = max(1, _RESCORED_BYTES // max(1, places.shape[1] * space.width * 4))
    for first in range(0, len(places), step):
        block = slice(first, first + step)
        vectors = space.gathered(np.maximum(places[block], 0))
        scores[block] = np.where(places[block] < 0, -np.inf, _alike(prepared[block], vectors, space.similarity))
    order = np.argsort(-scores, axis=1, kind="stable")
    return Found(np.take_along_axis(scores, order, axis=1), np.take_along_axis(places, order, axis=1))


def _alike(queries: Vectors, vectors: Vectors, similarity: Similarity) -> Floats:
    """Scores of each query's own candidates; shapes (q, d), (q, c, d) → (q, c)."""
    if similarity in ("cosine", "dot"):
        scores: Floats = np.einsum("qd,qcd->qc", queries, vectors)
        return scores
    apart = queries[:, None, :] - vectors
    far: Floats = np.abs(apart).sum(axis=2) if similarity == "manhattan" else np.linalg.norm(apart, axis=2)
    return -far


def _best(space: Space, queries: Vectors, wanted: int) -> Found:
    faiss = library("faiss")
    metric = {"euclidean": faiss.METRIC_L2, "manhattan": faiss.METRIC_L1}.get(
        space.similarity, faiss.METRIC_INNER_PRODUCT
    )
    heap = None
    for first, vectors in space.tiles():
        scores, places = faiss.knn(queries, vectors, min(wanted, len(vectors)), metric=metric)
        if metric == faiss.METRIC_L2:
            scores = np.sqrt(np.maximum(scores, 0))
        if metric != faiss.METRIC_INNER_PRODUCT:
            scores = -scores
        if len(vectors) == len(space):
            return Found(scores, places)
        if heap is None:
            heap = faiss.ResultHeap(len(queries), wanted, keep_max=True)
        heap.add_result(scores, places + first)
    assert heap is not None
    heap.finalize()
    return Found(heap.D, heap.I)


def _joined(found: Found, rows: Integers, deeper: Found) -> Found:
    """`found` with the answers of some queries replaced by deeper ones."""
    scores = np.full((len(found.scores), deeper.scores.shape[1]), -np.inf, dtype=np.float32)
    places = np.full(scores.shape, -1, dtype=np.int64)
    scores[:, : found.scores.shape[1]], places[:, : found.places.shape[1]] = found.scores, found.places
    scores[rows], places[rows] = deeper.scores, deeper.places
    return Found(scores, places)
