"""Scores of different retrievers brought to one scale, ranking by ranking."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers

Normalise = Literal["min_max", "z", "sum", "none"]


def normalised(scores: Floats, offsets: Integers, how: Normalise) -> Floats:
    """The scores of each ranking on a common scale; shapes: scores (rows,), offsets (rankings + 1,) → (rows,).

    `min_max`: (score − min) / (max − min), 0 to 1; `z`: (score − mean) / standard deviation (of the whole ranking);
    `sum`: (score − min) divided by the sum of these, so that a ranking adds up to 1; `none`: as they are.
    Where all scores of a ranking are equal, nothing can be told apart: 1 each, 0 each, and 1/n each.

    Source: Montague and Aslam, "Relevance score normalization for metasearch", CIKM 2001.
    """
    if how == "none" or not len(scores):
        return scores
    counts = np.diff(offsets)
    ranking = np.repeat(np.arange(len(counts)), counts)
    filled, starts = counts > 0, offsets[:-1][counts > 0]
    low, high = np.zeros(len(counts)), np.zeros(len(counts))
    low[filled], high[filled] = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    spread = (high - low)[ranking]
    equal = spread == 0
    unit = (scores - low[ranking]) / np.where(equal, 1.0, spread)
    if how == "min_max":
        return np.where(equal, 1.0, unit)
    # The other two do not change when all scores are moved or stretched, so they are computed from 0 to 1.
    size = counts[ranking]
    total = np.bincount(ranking, unit, minlength=len(counts))[ranking]
    if how == "sum":
        return np.where(equal, 1.0 / size, unit / np.where(equal, 1.0, total))
    from_mean = unit - total / size
    variance = np.bincount(ranking, from_mean**2, minlength=len(counts))[ranking] / size
    return np.where(equal, 0.0, from_mean / np.sqrt(np.where(equal, 1.0, variance)))
