"""Strata: which queries count together, and what share of the whole each group has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers


@dataclass(frozen=True, eq=False)
class Strata:
    """Disjoint groups of queries with their shares: a total is the sum of share × mean of the group.

    Shapes: codes (q,), shares (s,). Every group has a query; shares are positive and sum to 1 (there are none if
    nothing counts).
    """

    codes: Integers  # the group of each query, from 0; -1: in no group, counts nothing
    shares: Floats

    @classmethod
    def whole(cls, queries: int) -> Strata:
        """All queries alike: the total is their mean."""
        return cls(np.zeros(queries, dtype=np.int64), np.ones(1 if queries else 0))

    @classmethod
    def of_slices(
        cls, slices: Mapping[str, Iterable[str]], weights: Mapping[str, float], query_ids: Sequence[str]
    ) -> Strata:
        """From slices (name → query_ids) and their weights, over the queries in the order of `query_ids`.

        The total is that of `weighted_total`: a slice without queries gives its weight to the others. A query of
        several slices counts in each; queries of the same slices form one group, so that groups never overlap.

        Raises:
            UsageError: a weight is not a positive number.
        """
        names = [name for name, weight in weights.items() if _positive(name, weight)]
        members = np.zeros((len(query_ids), len(names)), dtype=np.bool_)
        for place, name in enumerate(names):
            wanted = set(slices.get(name, ()))
            members[:, place] = [query_id in wanted for query_id in query_ids]
        sizes = members.sum(axis=0)
        raw = np.array([weights[name] for name in names], dtype=np.float64) * (sizes > 0)
        return cls._of_weights(members @ (raw / np.maximum(sizes, 1)), members)

    @classmethod
    def _of_weights(cls, weights: Floats, members: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Strata:
        inside = members.any(axis=1)
        codes = np.full(len(members), -1, dtype=np.int64)
        if inside.any():
            _, group = np.unique(members[inside], axis=0, return_inverse=True)
            codes[inside] = group.reshape(-1)  # numpy 2.0 gives it a second axis
        shares: Floats = np.bincount(codes[inside], weights=weights[inside]).astype(np.float64)
        return cls(codes, shares / shares.sum() if len(shares) else shares)

    @cached_property
    def sizes(self) -> Integers:
        """Queries of each group; shape (s,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.shares))

    @cached_property
    def weights(self) -> Floats:
        """What each query counts in the total, summing to 1; shape (q,)."""
        weights = np.zeros(len(self.codes))
        inside = self.codes >= 0
        weights[inside] = (self.shares / self.sizes)[self.codes[inside]]
        return weights

    @cached_property
    def order(self) -> Integers:
        """The places of the queries that count, group after group; shape (queries that count,)."""
        order = np.argsort(self.codes, kind="stable")
        return order[int((self.codes < 0).sum()) :]

    def means(self, columns: Floats) -> Floats:
        """The mean of each group; shapes (q, m) → (s, m). Equal values have exactly that mean, without rounding."""
        parts = [columns[self.codes == group] for group in range(len(self.shares))]
        means = [np.where(np.ptp(part, axis=0) > 0, part.mean(axis=0), part[0]) for part in parts]
        return np.array(means).reshape(len(parts), columns.shape[1])

    def totals(self, columns: Floats) -> Floats:
        """The sum of share × mean over the groups; shapes (q, m) → (m,). 0.0 over no queries."""
        return self.shares @ self.means(columns)

    def centred(self, columns: Floats) -> Floats:
        """Each value less the mean of its group; queries that do not count get 0; shape (q, m)."""
        away = np.zeros_like(columns)
        inside = self.codes >= 0
        away[inside] = columns[inside] - self.means(columns)[self.codes[inside]]
        return away


def strata_for(queries: int, strata: Strata | None) -> Strata:
    """The strata to use: those given, or all queries alike.

    Raises:
        UsageError: they were made for another number of queries.
    """
    if strata is None:
        return Strata.whole(queries)
    if len(strata.codes) != queries:
        raise UsageError(
            f"strata of {len(strata.codes)} queries for {queries} values", fix="make them from the same query_ids"
        )
    return strata


def _positive(name: str, weight: float) -> bool:
    if not (weight > 0 and np.isfinite(weight)):
        raise UsageError(f"weight {weight!r} of slice {name!r} is not a positive number", fix="leave the slice out")
    return True
