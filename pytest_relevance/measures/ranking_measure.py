"""A third party's measure: a function of one ranking and its grades, called once for each query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures.measure import Measure
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.qrels import Qrels
from pytest_relevance.records.run import Run


class RankingFunction(Protocol):
    """The value of one query: doc_ids best first, and doc_id → grade of the judged ones."""

    def __call__(self, ranking: Sequence[str], grades: Mapping[str, float], /) -> float: ...


@dataclass(frozen=True)
class RankingMeasure(Measure):
    """A measure made of a `RankingFunction`. With a cutoff the function sees the first k documents only."""

    function: RankingFunction = field(compare=False, kw_only=True)

    @classmethod
    def of(
        cls,
        name: str,
        function: RankingFunction,
        *,
        cutoff: int | None = None,
        version: int = 1,
        higher_is_better: bool = True,
        lower: float | None = None,
        upper: float | None = None,
    ) -> RankingMeasure:
        """The measure `name`, or `name@cutoff`. Bounds that are given are checked."""
        return cls(
            name=name if cutoff is None else f"{name}@{cutoff}",
            family=name,
            params={},
            cutoff=cutoff,
            version=version,
            depth=cutoff,
            higher_is_better=higher_is_better,
            lower=lower,
            upper=upper,
            needs_documents=True,
            function=function,
        )

    def values_of(self, run: Run, qrels: Qrels, query_ids: Sequence[str]) -> Floats:
        """One value for each of the queries; shape (len(query_ids),). 0.0, without a call, where nothing was retrieved.

        Raises:
            MeasureError: the function raised, or returned no number, NaN or one beyond the bounds.
        """
        return np.array(
            [self._value(run.ranking(query_id), qrels, query_id) for query_id in query_ids], dtype=np.float64
        )

    def _value(self, ranking: Sequence[str], qrels: Qrels, query_id: str) -> float:
        if not ranking:
            return 0.0
        try:
            value = float(self.function(ranking[: self.cutoff], qrels.grades_of(query_id)))
        except Exception as error:
            raise MeasureError(
                f"measure {self.name!r} failed for query {query_id!r}: {type(error).__name__}: {error}",
                fix="correct the function that computes it",
            ) from error
        low = -math.inf if self.lower is None else self.lower
        high = math.inf if self.upper is None else self.upper
        if not (math.isfinite(value) and low <= value <= high):
            raise MeasureError(
                f"measure {self.name!r} gave {value} for query {query_id!r}, not a number from {low} to {high}",
                fix="correct the function that computes it",
            )
        return value
