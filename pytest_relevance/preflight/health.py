"""The health of judgments: how many there are, of what grades, how good a ranking they allow, what runs they cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pytest_relevance.measures import evaluate, parse_measure
from pytest_relevance.preflight.material import Material
from pytest_relevance.records import Qrels, Run
from pytest_relevance.records.columns import Floats

CUTOFF = 10
Slices = Mapping[str, tuple[str, ...]]  # scheme=slice → query_ids
POOR = 0.5  # of the best nDCG-m a query's judgments allow


@dataclass(frozen=True, slots=True)
class Spread:
    """How a count is spread over queries."""

    least: float
    p5: float
    p25: float
    median: float
    p75: float
    p95: float
    most: float

    @property
    def iqr(self) -> float:
        """The interquartile range."""
        return self.p75 - self.p25

    @classmethod
    def of(cls, values: Floats) -> Spread:
        """The spread of some numbers; quantiles between two of them are interpolated."""
        return cls(*np.percentile(values, [0, 5, 25, 50, 75, 95, 100]).tolist())


@dataclass(frozen=True, slots=True)
class Part:
    """How much is judged of a slice."""

    queries: int
    judged_queries: int
    judgments: int


@dataclass(frozen=True, slots=True)
class Health:
    """The health of one judgment set."""

    qrels: str
    cutoff: int
    queries: int  # judged
    judgments: int
    grades: Mapping[str, int]  # grade → judgments, lowest first
    slices: Mapping[str, Part]  # scheme=slice
    judged: Spread  # judged documents per query
    positives: Spread  # relevant documents per query
    ceiling: float  # the mean of the best nDCG-m@cutoff that any ranking can reach
    poor: float  # share of queries whose best is below POOR
    poorest: tuple[str, ...]
    coverage: Mapping[str, float]  # run → Judged@cutoff


def health_of(material: Material, name: str, *, cutoff: int = CUTOFF, slices: Slices | None = None) -> Health:
    """The health of one judgment set, as it is measured: folded where something is folded.

    The ceiling is best(nDCG-m@cutoff): each query's judged documents, best grade first, against `cutoff` documents of
    the scale's highest grade, with the suite's gain.
    """
    qrels = material.folded_qrels[name]
    best = _best(qrels, material, cutoff)
    lowest = np.argsort(best, kind="stable")[:5]
    values, counts = np.unique(qrels.grades, return_counts=True)
    relevant = qrels.grades >= material.grades.relevant
    return Health(
        qrels=name,
        cutoff=cutoff,
        queries=len(qrels),
        judgments=len(qrels.grades),
        grades={f"{value:g}": int(count) for value, count in zip(values, counts, strict=True)},
        slices={key: _part(qrels, members) for key, members in (slices or {}).items()},
        judged=Spread.of(qrels.counts.astype(np.float64)),
        positives=Spread.of(np.bincount(qrels.query_of_row[relevant], minlength=len(qrels)).astype(np.float64)),
        ceiling=float(best.mean()),
        poor=float((best < POOR).mean()),
        poorest=tuple(qrels.query_ids[int(place)] for place in lowest if best[place] < POOR),
        coverage={
            run: _judged(one, qrels, cutoff)
            for run, one in material.folded_runs.items()
            if any(query_id in qrels for query_id in one.query_ids)
        },
    )


def _best(qrels: Qrels, material: Material, cutoff: int) -> Floats:
    """The nDCG-m of the ideal ranking of each query; shape (queries,)."""
    best_first = np.lexsort((-qrels.grades, qrels.query_of_row))
    ideal = Run(qrels.query_ids, qrels.offsets, qrels.doc_ids, qrels.codes[best_first], qrels.grades[best_first])
    measure = material.grades.applied_to(parse_measure(f"nDCG-m@{cutoff}"))
    values = evaluate(ideal, qrels, [measure])[measure.name]
    return np.array([values[query_id] for query_id in qrels.query_ids])


def _part(qrels: Qrels, members: tuple[str, ...]) -> Part:
    places = [qrels.positions[query_id] for query_id in members if query_id in qrels]
    return Part(len(members), len(places), int(qrels.counts[places].sum()) if places else 0)


def _judged(run: Run, qrels: Qrels, cutoff: int) -> float:
    return evaluate(run, qrels, [f"Judged@{cutoff}"])[f"Judged@{cutoff}"].mean
