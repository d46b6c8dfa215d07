"""Draws: totals of resampled queries, and of differences with random signs, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.stats.draws import fill_with_counts
from pytest_relevance.stats.strata import Strata

_BYTES = np.arange(256, dtype=np.uint8)[:, np.newaxis]
_SIGNS = 1.0 - 2.0 * np.unpackbits(_BYTES, axis=1)  # of the eight queries that share a byte; shape (256, 8)
_TABLES = 256  # held at once, one for every eight queries: half a megabyte a column
_CELLS = 2_000_000  # random draws held at once; three arrays of 16 MB exist for them


def resampled_totals(columns: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """The total of each column over queries drawn with replacement inside each group; shapes (q, m) → (resamples, m).

    One draw serves all columns: a resample is a vector of how often each query was drawn, and one product of matrices
    gives the totals of all columns. That is many times faster than drawing for each, and keeps what is paired paired.
    """
    rows = strata.order
    if not len(rows):
        return np.zeros((resamples, columns.shape[1]))
    # Centred first, so that a column that does not vary has totals that do not either, to the last digit.
    effects = (strata.centred(columns) * strata.weights[:, np.newaxis])[rows].T.copy()
    away = [effects @ counts.T for counts in _counts(strata.sizes, resamples, np.random.default_rng(seed))]
    return np.concatenate(away, axis=1).T + strata.totals(columns)


def flipped_totals(effects: Floats, *, resamples: int, seed: int) -> Floats:
    """The sums of each column with a random sign for each query; shapes (q, m) → (resamples, m).

    Eight queries share a byte of random bits, and their 256 possible sums are made once: a resample then adds one row
    of that table for each byte, and no sign is ever multiplied.
    """
    random = np.random.default_rng(seed)
    queries, columns = effects.shape
    eights = np.zeros((-(-queries // 8), 8, columns))
    eights.reshape(-1, columns)[:queries] = effects
    totals = np.zeros((resamples, columns))
    chosen = np.empty_like(totals)
    for start in range(0, len(eights), _TABLES):
        block = eights[start : start + _TABLES]
        for table, changed in zip(_SIGNS @ block, block.any(axis=(1, 2)).tolist(), strict=True):
            signs = np.frombuffer(random.bytes(resamples), dtype=np.uint8)
            if changed:  # the signs of others are drawn all the same: no column depends on what is beside it
                table.take(signs, axis=0, out=chosen, mode="clip")  # "raise" would copy `chosen`; no byte is too large
                totals += chosen
    return totals


def _counts(sizes: Integers, resamples: int, random: np.random.Generator) -> Iterator[Floats]:
    """How often each query was drawn, groups one after the other, block by block; shapes (≤ resamples, q).

    Each block is overwritten by the next.
    """
    ends = np.cumsum(sizes).tolist()
    blocks = list(_blocks(resamples, ends[-1]))
    buffer = np.empty((max(blocks, default=0), ends[-1]))
    for count in blocks:
        for size, end in zip(sizes.tolist(), ends, strict=True):
            fill_with_counts(buffer[:count, end - size : end], random)
        yield buffer[:count]


def _blocks(resamples: int, queries: int) -> Iterator[int]:
    block = max(1, _CELLS // max(queries, 1))
    for start in range(0, resamples, block):
        yield min(block, resamples - start)
