"""Statistics over queries: slice means, weighted totals and the intervals around them. Seeded, and never NaN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_relevance.records.columns import Floats

RESAMPLES = 2_000  # enough for two digits of a 95 % interval: its Monte-Carlo error is about 2 % of its width
SEED = 20_100  # any fixed number: the same data give the same interval on every machine
_CELLS = 4_000_000  # random draws held at once: 32 MB


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval around a mean; low ≤ high."""

    low: float
    high: float
    confidence: float = 0.95  # 0 to 1


@dataclass(frozen=True, slots=True)
class Total:
    """A mean over slices, each with its share of real traffic."""

    mean: float
    shares: Mapping[str, float]  # slice → share, summing to 1 over the slices that have queries
    missing: tuple[str, ...]  # weighted slices without a query: their weight is spread over the others


def bootstrap_interval(
    column: Floats, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The percentile bootstrap interval of a mean over queries; shape of `column` (q,).

    One query or none, or the same value everywhere, gives an interval of no width: nothing here varies.

    Source: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    """
    return _percentiles(_resampled_means(column, resamples, np.random.default_rng(seed)), column, confidence)


def weighted_total(columns: Mapping[str, Floats], weights: Mapping[str, float]) -> Total:
    """The mean of slice means, weighted: sum of share × mean over the slices that have queries.

    `columns` holds each slice's values; `weights` any positive numbers, such as percentages of traffic that leave out
    queries of no slice. A slice without queries gets no share.
    """
    present = {name: weight for name, weight in weights.items() if len(columns.get(name, ()))}
    whole = sum(present.values())
    shares = {name: weight / whole for name, weight in present.items()} if whole else {}
    mean = sum(share * float(columns[name].mean()) for name, share in shares.items())
    return Total(float(mean), shares, tuple(name for name in weights if name not in present))


def weighted_interval(
    columns: Mapping[str, Floats],
    shares: Mapping[str, float],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The percentile bootstrap interval of a weighted total, resampling inside each slice (stratified).

    Source: as `bootstrap_interval`, with strata as in Rao, Wu, JASA 83(401), 1988.
    """
    random = np.random.default_rng(seed)
    means = np.zeros(resamples)
    for name, share in shares.items():
        means += share * _resampled_means(columns[name], resamples, random)
    spread = np.concatenate([columns[name] for name in shares]) if shares else np.zeros(0)
    return _percentiles(means, spread, confidence)


def worst_first(column: Floats) -> Sequence[int]:
    """Places of the values from the lowest up, equal ones in their order."""
    return np.argsort(column, kind="stable").tolist()


def _resampled_means(column: Floats, resamples: int, random: np.random.Generator) -> Floats:
    if not len(column):
        return np.zeros(resamples)
    return np.concatenate(list(_blocks_of_means(column, resamples, random)))


def _blocks_of_means(column: Floats, resamples: int, random: np.random.Generator) -> Iterator[Floats]:
    size = len(column)
    block = max(1, _CELLS // size)
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        yield column[random.integers(0, size, (count, size), dtype=np.int64)].mean(axis=1)


def _percentiles(means: Floats, column: Floats, confidence: float) -> Interval:
    if not len(column):
        return Interval(0.0, 0.0, confidence)
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(low), float(high), confidence)
