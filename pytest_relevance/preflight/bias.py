"""The bias of judgments: whether what was judged differs in some feature from what is retrieved and was not.

Where labels come from one ranker's top results they look like that ranker's results, good and bad alike, and measure
how near another ranker is to it. So for a feature f(query, document) the judged pairs are compared with the retrieved
but unjudged ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.records import Qrels, Run
from pytest_relevance.records.columns import Floats

LARGE_DIFFERENCE = 0.25  # in standard deviations; what is called large between two samples that should be alike
LARGE_DISTANCE = 0.2  # between the two distributions, 0 to 1
CHANCE = 1.63  # times sqrt((n + m) / nm): a KS distance that one in a hundred pairs of like samples exceeds
BINS = 10
PAIRS = 20  # to label next

Pair: TypeAlias = tuple[str, str]  # query_id, doc_id


class Feature(Protocol):
    """A number of a pair of query and document."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def values(self, pairs: Sequence[Pair]) -> Floats:
        """Its values, NaN where it is not known; shape (pairs,)."""
        ...


@dataclass(frozen=True, slots=True)
class Bin:
    """A tenth of the feature's range, by number of pairs, and how much of it is judged."""

    low: float
    high: float
    judged: int
    unjudged: int

    @property
    def share(self) -> float:
        """The share of its pairs that is judged."""
        return self.judged / (self.judged + self.unjudged)


@dataclass(frozen=True, slots=True)
class BiasAudit:
    """How judged and retrieved-but-unjudged pairs differ in a feature."""

    feature: str
    judged: int  # pairs with a value
    unjudged: int
    unknown: int  # pairs without a value, of both kinds
    judged_mean: float
    unjudged_mean: float
    difference: float  # (judged mean - unjudged mean) / pooled standard deviation
    distance: float  # Kolmogorov-Smirnov, 0 to 1
    chance: float  # the distance that chance alone hardly exceeds in samples of these sizes
    outside: float  # share of unjudged pairs below the least or above the highest value of judged ones
    bins: tuple[Bin, ...]
    label_next: tuple[Pair, ...]  # of the bins least judged, best ranked first

    @property
    def biased(self) -> bool:
        """Whether the difference is large, and not chance."""
        large = abs(self.difference) >= LARGE_DIFFERENCE or self.distance >= LARGE_DISTANCE
        return large and self.distance > self.chance

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        direction = "higher" if self.difference > 0 else "lower"
        told = (
            f"standardised difference {self.difference:+.2f}, KS distance {self.distance:.2f}, "
            f"{self.outside:.0%} of unjudged pairs outside the judged range"
        )
        if not self.biased:
            return f"judged and unjudged pairs are alike in {self.feature}: {told}"
        return f"judged pairs have {direction} {self.feature} than retrieved pairs that nobody judged: {told}"


def audit_bias(
    feature: Feature, judged: Sequence[Pair], retrieved: Sequence[Pair], *, bins: int = BINS, most: int = PAIRS
) -> BiasAudit:
    """How the judged pairs differ in `feature` from the retrieved ones, from which judged ones are left out.

    `retrieved` stands best ranked first: in that order pairs are named that should be labelled next.

    Raises:
        DataError: one of the two kinds has no pair with a value.
    """
    known = set(judged)
    holes = [pair for pair in retrieved if pair not in known]
    mine, theirs = feature.values(judged), feature.values(holes)
    there = ~np.isnan(theirs)
    left, right = np.sort(mine[~np.isnan(mine)]), np.sort(theirs[there])
    if not len(left) or not len(right):
        which = "judged" if not len(left) else "retrieved and unjudged"
        raise DataError(
            f"no {which} pair has a value of {feature.name}, so there is nothing to compare",
            fix="audit a run that ranks unjudged documents, and a feature that is known of both",
        )
    edges = np.unique(np.quantile(np.concatenate([left, right]), np.linspace(0, 1, bins + 1)))
    found = _bins(left, right, edges)
    places = [pair for pair, is_there in zip(holes, there, strict=True) if is_there]
    return BiasAudit(
        feature=feature.name,
        judged=len(left),
        unjudged=len(right),
        unknown=len(judged) + len(holes) - len(left) - len(right),
        judged_mean=float(left.mean()),
        unjudged_mean=float(right.mean()),
        difference=_difference(left, right),
        distance=_distance(left, right),
        chance=CHANCE * math.sqrt((len(left) + len(right)) / (len(left) * len(right))),
        outside=float(((right < left[0]) | (right > left[-1])).mean()),
        bins=found,
        label_next=_next(places, theirs[there], found, edges, most),
    )


def pairs_of(run: Run, qrels: Qrels, *, top: int) -> tuple[list[Pair], list[Pair]]:
    """The judged pairs of the queries that both have, and the run's pairs down to rank `top`, best ranked first."""
    shared = [query_id for query_id in run.query_ids if query_id in qrels]
    judged = [(query_id, doc_id) for query_id in shared for doc_id in qrels.grades_of(query_id)]
    rankings = {query_id: run.ranking(query_id)[:top] for query_id in shared}
    longest = max(map(len, rankings.values()), default=0)
    retrieved = [
        (query_id, ranking[rank])
        for rank in range(longest)
        for query_id, ranking in rankings.items()
        if rank < len(ranking)
    ]
    return judged, retrieved


def _difference(left: Floats, right: Floats) -> float:
    spread = math.sqrt((float(left.var()) + float(right.var())) / 2)
    gap = float(left.mean() - right.mean())
    if spread == 0:
        return 0.0 if gap == 0 else math.copysign(math.inf, gap)
    return gap / spread


def _distance(left: Floats, right: Floats) -> float:
    """The greatest gap between the two cumulative shares."""
    at = np.concatenate([left, right])
    gaps = np.searchsorted(left, at, side="right") / len(left) - np.searchsorted(right, at, side="right") / len(right)
    return float(np.abs(gaps).max())


def _bins(left: Floats, right: Floats, edges: Floats) -> tuple[Bin, ...]:
    if len(edges) < 2:
        return (Bin(float(edges[0]), float(edges[0]), len(left), len(right)),)
    judged, unjudged = np.histogram(left, edges)[0], np.histogram(right, edges)[0]
    return tuple(
        Bin(float(low), float(high), int(one), int(other))
        for low, high, one, other in zip(edges[:-1], edges[1:], judged, unjudged, strict=True)
    )


def _next(pairs: Sequence[Pair], values: Floats, bins: Sequence[Bin], edges: Floats, most: int) -> tuple[Pair, ...]:
    """Pairs of the bins that are judged less than all pairs together, those least judged first."""
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(bins) - 1)
    shares = np.array([one.share if one.judged + one.unjudged else 1.0 for one in bins])
    overall = sum(one.judged for one in bins) / max(1, sum(one.judged + one.unjudged for one in bins))
    wanted = np.flatnonzero(shares[place] < overall)
    order = wanted[np.argsort(shares[place][wanted], kind="stable")][:most]
    return tuple(pairs[int(one)] for one in order)
