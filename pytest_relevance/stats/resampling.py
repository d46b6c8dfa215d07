"""Draws: totals of resampled queries, and of differences with random signs, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.stats.strata import Strata

_CELLS = 2_000_000  # random draws held at once; three arrays of 16 MB exist for them


def resampled_totals(columns: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """The total of each column over queries drawn with replacement inside each group; shapes (q, m) → (resamples, m).

    One draw serves all columns: a resample is a vector of how often each query was drawn (multinomial, made by
    `bincount`), and one product of matrices gives the totals of all columns. That is several times faster than drawing
    for each, and it keeps what is paired paired.
    """
    rows = strata.order
    if not len(rows):
        return np.zeros((resamples, columns.shape[1]))
    # Centred first, so that a column that does not vary has totals that do not either, to the last digit.
    effects = (strata.centred(columns) * strata.weights[:, np.newaxis])[rows].T.copy()
    random = np.random.default_rng(seed)
    blocks = [
        effects @ _counts(strata.sizes, count, random).T.astype(np.float64) for count in _blocks(resamples, len(rows))
    ]
    return np.concatenate(blocks, axis=1).T + strata.totals(columns)


def flipped_totals(effects: Floats, *, resamples: int, seed: int) -> Iterator[Floats]:
    """The sums of each column with a random sign for each query, block by block; shapes (q, m) → (≤ resamples, m).

    Signs are drawn as bits, eight queries a byte; a sum with signs is twice the sum of the rows whose bit is set, less
    the sum of all.
    """
    queries = len(effects)
    random = np.random.default_rng(seed)
    whole, across = effects.sum(axis=0), effects.T.copy()
    for count in _blocks(resamples, queries):
        size = -(-queries // 8)
        packed = np.frombuffer(random.bytes(count * size), dtype=np.uint8).reshape(count, size)
        signs = np.unpackbits(packed, axis=1, count=queries)
        yield 2.0 * (across @ signs.T.astype(np.float64)).T - whole


def _counts(sizes: Integers, count: int, random: np.random.Generator) -> Integers:
    """How often each query was drawn in each of `count` resamples, groups one after the other; shape (count, q)."""
    queries = int(sizes.sum())
    ends = np.cumsum(sizes)
    starts = np.arange(count)[:, np.newaxis] * queries
    draws = [
        random.integers(0, size, (count, size), dtype=np.int64) + (starts + end - size)
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
    flat = np.concatenate([part.ravel() for part in draws]) if len(draws) > 1 else draws[0].ravel()
    return np.bincount(flat, minlength=count * queries).reshape(count, queries)


def _blocks(resamples: int, queries: int) -> Iterator[int]:
    block = max(1, _CELLS // max(queries, 1))
    for start in range(0, resamples, block):
        yield min(block, resamples - start)
