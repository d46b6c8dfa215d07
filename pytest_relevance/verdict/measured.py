"""Measured: one measure of one retriever under one judgment set, ready to be judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from pytest_relevance.records import Queries, Values
from pytest_relevance.records.columns import Floats
from pytest_relevance.stats import Interval, Total, bootstrap_interval, weighted_interval, weighted_total, worst_first
from pytest_relevance.verdict.numbers import listed, plural
from pytest_relevance.verdict.record import Beside, QueryValue

WORST_SHOWN = 5
SIDES_SHOWN = 3  # of these, how many have their rankings side by side


@dataclass(frozen=True, eq=False)
class Measured:
    """Values of a scope (all queries, a slice, or the slices of a weight scheme) with what to read beside them."""

    retriever: str
    values: Values
    queries: Queries
    qrels: str = ""
    scope: str = ""
    strata: Mapping[str, Values] = field(default_factory=dict)  # weighted totals: slice → its values
    weights: Mapping[str, float] = field(default_factory=dict)  # weighted totals: slice → weight
    judged: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # query_id → judged, unjudged in the cutoff
    beside: tuple[Values, ...] = ()
    context: str = ""
    absent: tuple[str, ...] = ()  # counted 0: the retriever gave nothing for them
    unjudged_queries: int = 0  # left out: nobody judged them
    without_relevant: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> Total | None:
        """The weighted total, where this scope is one."""
        return weighted_total(self._columns(), self.weights) if self.weights else None

    @property
    def value(self) -> float:
        """The number that is compared with a bound."""
        return self.total.mean if self.total else self.values.mean

    @property
    def interval(self) -> Interval:
        """The 95 % bootstrap interval around `value`."""
        if self.total:
            return weighted_interval(self._columns(), self.total.shares)
        return bootstrap_interval(self.values.column)

    def worst(self, other: Values | None = None, *, highest: bool = False) -> tuple[QueryValue, ...]:
        """The queries with the lowest values, or with the highest."""
        places = worst_first(-self.values.column if highest else self.values.column)[:WORST_SHOWN]
        return tuple(self.query_value(self.values.query_ids[place], other) for place in places)

    def restricted_to(self, query_ids: Collection[str]) -> Measured:
        """Only these queries, whatever scope it has."""
        return replace(
            self,
            values=self.values.restricted_to(query_ids),
            strata={name: values.restricted_to(query_ids) for name, values in self.strata.items()},
            beside=tuple(values.restricted_to(query_ids) for values in self.beside),
            absent=tuple(query_id for query_id in self.absent if query_id in query_ids),
            without_relevant=tuple(query_id for query_id in self.without_relevant if query_id in query_ids),
        )

    def companions(self) -> tuple[Beside, ...]:
        """The means of the measures that belong beside this one."""
        return tuple(Beside(values.measure, values.mean) for values in self.beside)

    def remarks(self) -> tuple[str, ...]:
        """What a reader must know to read the number right."""
        lines = []
        if self.absent:
            ids = listed(list(self.absent))
            count = "counts" if len(self.absent) == 1 else "count"
            lines.append(f"{plural(len(self.absent), 'query', 'queries')} got nothing back and {count} 0: {ids}")
        if self.without_relevant:
            number, ids = len(self.without_relevant), listed(list(self.without_relevant))
            count = "counts" if number == 1 else "count"
            lines.append(f"{plural(number, 'query', 'queries')} without a relevant document {count} 0: {ids}")
        if self.unjudged_queries:
            lines.append(f"{plural(self.unjudged_queries, 'query', 'queries')} without judgments left out")
        if self.total and self.total.missing:
            lines.append(f"no query in {listed(list(self.total.missing))}: the weight is spread over the other slices")
        return (*lines, *self.notes)

    def _columns(self) -> Mapping[str, Floats]:
        return {name: values.column for name, values in self.strata.items()}

    def query_value(self, query_id: str, other: Values | None) -> QueryValue:
        """What one query contributes, beside its value in `other`."""
        judged, unjudged = self.judged.get(query_id, (None, None))
        text = self.queries[query_id].text if query_id in self.queries else ""
        compared = other.values.get(query_id) if other else None
        return QueryValue(query_id, text, self.values[query_id], judged, unjudged, compared)
