"""The best of each query while tiles of scores come by, with ties at the cut kept."""

from __future__ import annotations

import numpy as np

from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Vectors


class Best:
    """Holds the `depth` best scores of each query, and all that equal the last of them."""

    def __init__(self, queries: int, depth: int) -> None:
        self._depth = depth
        self.scores: Vectors = np.full((queries, 0), -np.inf, dtype=np.float32)  # (queries, k), best first
        self.places: Integers = np.full((queries, 0), -1, dtype=np.int64)  # (queries, k); -1: none

    def add(self, first: int, scores: Vectors) -> None:
        """Scores of the next places, from `first` on; shape (queries, tile). Minus infinity is no answer."""
        tile = np.broadcast_to(np.arange(first, first + scores.shape[1]), scores.shape)
        both = np.concatenate((self.scores, scores), axis=1)
        places = np.concatenate((self.places, tile), axis=1)
        worst = both.shape[1] - min(self._depth, both.shape[1])
        least = np.partition(both, worst, axis=1)[:, worst : worst + 1] if both.shape[1] else both[:, :0]
        kept = (both >= least) & np.isfinite(both)
        width = int(kept.sum(axis=1).max(initial=0))
        order = np.argsort(np.where(kept, -both, np.inf), axis=1, kind="stable")[:, :width]
        self.scores = np.take_along_axis(np.where(kept, both, -np.inf), order, axis=1).astype(np.float32)
        self.places = np.take_along_axis(np.where(kept, places, -1), order, axis=1)
