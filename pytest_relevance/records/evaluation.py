"""Evaluation: the values of measures, one per query, and what they were computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from pytest_relevance.records.columns import Floats


@dataclass(frozen=True, eq=False)
class Values:
    """One measure's value for each query; shapes (q,), (q,). Never NaN."""

    measure: str  # canonical notation
    query_ids: tuple[str, ...]
    column: Floats

    @property
    def mean(self) -> float:
        """Mean over the queries, each with equal weight; 0.0 over none."""
        return float(self.column.mean()) if len(self.column) else 0.0

    @cached_property
    def values(self) -> Mapping[str, float]:
        """query_id → value, in the order of the queries."""
        return MappingProxyType(dict(zip(self.query_ids, self.column.tolist(), strict=True)))

    def __len__(self) -> int:
        return len(self.query_ids)

    def __getitem__(self, query_id: str) -> float:
        return self.values[query_id]

    def restricted_to(self, query_ids: Iterable[str]) -> Values:
        """Only these queries, in the order of this record; unknown ids are ignored."""
        wanted = set(query_ids)
        keep = np.array([query_id in wanted for query_id in self.query_ids], dtype=np.bool_)
        chosen = tuple(query_id for query_id in self.query_ids if query_id in wanted)
        return Values(self.measure, chosen, self.column[keep])


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, Values]):
    """Values of several measures for one run under one judgment set: `evaluation["nDCG@10"].mean`."""

    run: str  # the run's name
    qrels: str  # the judgment set's name
    by_measure: Mapping[str, Values]  # canonical notation → values
    query_ids: tuple[str, ...]  # the queries the means go over
    absent: tuple[str, ...] = ()  # judged, not in the run: counted 0
    empty: tuple[str, ...] = ()  # answered with nothing: counted 0
    failures: Mapping[str, str] = field(default_factory=dict)  # did not run: no value, in no mean
    unjudged: tuple[str, ...] = ()  # in the run, without judgments: left out
    without_relevant: tuple[str, ...] = ()  # judged, nothing relevant: counted 0 by measures that divide by it
    notes: tuple[str, ...] = ()

    def __getitem__(self, measure: str) -> Values:
        return self.by_measure[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_measure)

    def __len__(self) -> int:
        return len(self.by_measure)
