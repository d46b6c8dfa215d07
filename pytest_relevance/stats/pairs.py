"""Pairs: the values of two runs for the same queries, joined by query_id and never by place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.evaluation import Values
from pytest_relevance.stats.intervals import SAME, columns_of


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two aligned columns; shapes (q,), (q,), (q,)."""

    query_ids: tuple[str, ...]  # what both have, in the order of the old values
    old: Floats
    new: Floats


@dataclass(frozen=True, slots=True)
class Counts:
    """How many queries rose, stayed and fell by more than rounding (1e-12)."""

    better: int
    same: int
    worse: int


def paired(old: Values, new: Values) -> Pairs:
    """The values that both records have, joined by query_id; whatever only one has is left out."""
    if old.query_ids == new.query_ids:  # as it nearly always is: nothing to look up
        return Pairs(old.query_ids, old.column, new.column)
    query_ids = tuple(query_id for query_id in old.query_ids if query_id in new.values)
    columns = [np.array([values[query_id] for query_id in query_ids], dtype=np.float64) for values in (old, new)]
    return Pairs(query_ids, *columns)


def counted(differences: Floats) -> Counts:
    """Queries better, same and worse, a positive difference being better; shape (q,)."""
    better, worse = int((differences > SAME).sum()), int((differences < -SAME).sum())
    return Counts(better, len(differences) - better - worse, worse)


def aligned_columns(old: Floats, new: Floats) -> tuple[Floats, Floats]:
    """Both as matrices of queries × columns; shapes (q,) or (q, m) → (q, m), (q, m).

    Raises:
        UsageError: the shapes differ, or a value is NaN or infinite.
    """
    first, second = columns_of(old), columns_of(new)
    if first.shape != second.shape:
        raise UsageError(
            f"old and new values have shapes {first.shape} and {second.shape}", fix="join them by query_id first"
        )
    return first, second
