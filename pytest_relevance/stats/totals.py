"""Totals: means of slices, weighted by their share of real traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_relevance.records.columns import Floats


@dataclass(frozen=True, slots=True)
class Total:
    """A mean over slices, each with its share of real traffic."""

    mean: float
    shares: Mapping[str, float]  # slice → share, summing to 1 over the slices that have queries
    missing: tuple[str, ...]  # weighted slices without a query: their weight is spread over the others


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


def worst_first(column: Floats) -> Sequence[int]:
    """Places of the values from the lowest up, equal ones in their order."""
    return list(map(int, np.argsort(column, kind="stable")))
