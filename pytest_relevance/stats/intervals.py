"""Interval: a range around a number, and the shapes statistics share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.records.columns import Floats

CONFIDENCE = 0.95
RESAMPLES = 2_000  # enough for two digits of a 95 % interval: its Monte-Carlo error is about 2 % of its width
SEED = 20_100  # any fixed number: the same data give the same interval on every machine
SAME = 1e-12  # two values of a measure nearer than this are the same: sums in another order differ by rounding


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval around a mean; low ≤ high."""

    low: float
    high: float
    confidence: float = CONFIDENCE  # 0 to 1

    @property
    def width(self) -> float:
        return self.high - self.low


def columns_of(matrix: Floats) -> Floats:
    """A matrix of queries × columns that can be counted with; shapes (q,) or (q, m) → (q, m).

    Raises:
        UsageError: another shape, or a value that is NaN or infinite.
    """
    columns = np.asarray(matrix, dtype=np.float64)
    columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
    if columns.ndim != 2:
        raise UsageError(
            f"values of shape {columns.shape} are neither one column nor a matrix", fix="give (queries, columns)"
        )
    if not np.isfinite(columns).all():
        raise UsageError("a value is NaN or infinite", fix="leave out queries that did not run; a measure has no NaN")
    return columns


def snapped(differences: Floats) -> Floats:
    """Differences with those of mere rounding (up to 1e-12) set to zero."""
    return np.where(np.abs(differences) <= SAME, 0.0, differences)


def check_share(name: str, value: float) -> None:
    """Refuse a confidence, level or power that is not strictly between 0 and 1.

    Raises:
        UsageError: it is not.
    """
    if not 0 < value < 1:
        raise UsageError(f"{name} {value!r} is not between 0 and 1", fix=f"for example {name}=0.95")
