"""Two runs compared without a suite's checks: how alike they are, what each measure says, which queries moved most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.evaluate.sides import sides
from pytest_relevance.measures import Measure, evaluate, overlap, parse_measure
from pytest_relevance.records import Evaluation, Ids, Qrels, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.stats import Comparison, compare_columns
from pytest_relevance.verdict.numbers import plural
from pytest_relevance.verdict.record import QueryValue, Side

MEASURES = ("nDCG@10", "R@100", "RR@10", "Judged@10")
_OVERLAP_DEPTH = 100  # RBO looks at the whole list, and gives what is deeper a weight of 3 in 100,000
OVERLAPS = ("RBO(p=0.9)@100", "Jaccard@10", "Changed@10", "Changed(order=False)@10")
_RESAMPLES = 2_000  # enough for the two digits a table shows


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure over all queries, or over those of a slice."""

    measure: str
    slice: str  # "" for all queries
    comparison: Comparison
    higher_is_better: bool = True


@dataclass(frozen=True)
class RunComparison:
    """All that is known of two runs together. Nothing is decided: that is what gates are for."""

    names: tuple[str, str]
    queries: int  # that both have
    only: tuple[tuple[str, ...], tuple[str, ...]]  # queries that only one of them has
    overlaps: Mapping[str, float]  # notation → mean
    differences: tuple[Difference, ...] = ()
    movers: tuple[Side, ...] = ()  # queries by what they lost of the first measure, or by how unlike their rankings are
    moved_by: str = ""  # the notation that the movers are ordered by
    notes: tuple[str, ...] = field(default=())

    @property
    def fell(self) -> tuple[Difference, ...]:
        """The measures whose whole interval is on the side of worse, coverage of judgments left aside."""
        return tuple(
            one
            for one in self.differences
            if not one.slice and not one.measure.startswith("Judged") and _worst_end(one) < 0
        )


def compare(
    old: Run,
    new: Run,
    qrels: Qrels | None = None,
    measures: Sequence[str | Measure] = MEASURES,
    *,
    slices: Mapping[str, Sequence[str]] | None = None,
    movers: int = 5,
) -> RunComparison:
    """Compare two runs over the queries that both have; without `qrels` only by their rankings.

    A query of the qrels that is in neither run is left out; `slices`: name → query_ids.

    Raises:
        DataError: the runs have no query in common. MeasureError: a notation is wrong.
    """
    both = _shared(old, new)
    chosen = [one if isinstance(one, Measure) else parse_measure(one) for one in measures]
    ours, theirs = _prepared(old, new, both, _depth(chosen if qrels is not None else []))
    alike = {name: overlap(ours, theirs, name) for name in OVERLAPS}
    found = RunComparison(
        names=(old.name, new.name),
        queries=len(both),
        only=(_only(old, new), _only(new, old)),
        overlaps={name: values.mean for name, values in alike.items()},
    )
    if qrels is None:
        likeness = alike[OVERLAPS[0]]
        least = _lowest(likeness.query_ids, likeness.column - 1.0, movers)
        moved = [QueryValue(one, "", likeness[one]) for one in least]
        return replace(found, movers=sides(old, new, None, moved, against=old.name), moved_by=OVERLAPS[0])
    judged = qrels.restricted_to(both)
    before, after = evaluate(ours, judged, chosen), evaluate(theirs, judged, chosen)
    unjudged = len(both) - len(before.query_ids)
    left_out = f"{plural(unjudged, 'query', 'queries')} without judgments left out of the measures"
    return replace(
        found,
        differences=_differences(before, after, chosen, slices or {}),
        movers=sides(old, new, judged, _lost_most(before, after, chosen[0], movers), against=old.name),
        moved_by=chosen[0].name,
        notes=(left_out,) if unjudged else (),
    )


def _prepared(old: Run, new: Run, query_ids: tuple[str, ...], depth: int | None) -> tuple[Run, Run]:
    """Both runs with these queries alone, as deep as anything looks, their documents coded alike."""
    ours, theirs = (
        _cut(run if run.query_ids == query_ids else run.restricted_to(query_ids), depth) for run in (old, new)
    )
    theirs = _in_one_vocabulary(ours, theirs)
    return replace(ours, doc_ids=theirs.doc_ids), theirs


def _only(run: Run, other: Run) -> tuple[str, ...]:
    return tuple(one for one in run.query_ids if one not in other)


def _depth(measures: Sequence[Measure]) -> int | None:
    """The deepest rank that anything looks at; None for the whole list."""
    depths = [measure.depth for measure in measures]
    return max([_OVERLAP_DEPTH, *(depth for depth in depths if depth)]) if None not in depths else None


def _cut(run: Run, depth: int | None) -> Run:
    """The first ranks, with a vocabulary of those documents alone: what is deeper costs nothing from here on."""
    if depth is None or not len(run.codes) or int(run.counts.max()) <= depth:
        return run
    short = run.cut(depth)
    used, codes = np.unique(short.codes, return_inverse=True)
    return replace(short, doc_ids=run.doc_ids.take(used), codes=codes)


def _in_one_vocabulary(run: Run, other: Run) -> Run:
    """`other` coded by the vocabulary of `run`, what that lacks added at its end: matched once for all comparisons."""
    found = run.doc_ids.find(other.doc_ids)
    strange = np.flatnonzero(found < 0)
    found[strange] = len(run.doc_ids) + np.arange(len(strange))
    doc_ids = Ids.joined([run.doc_ids, other.doc_ids.take(strange)]) if len(strange) else run.doc_ids
    return replace(other, doc_ids=doc_ids, codes=found[other.codes])


def _shared(old: Run, new: Run) -> tuple[str, ...]:
    both = tuple(query_id for query_id in old.query_ids if query_id in new)
    if not both:
        raise DataError(
            f"{old.name} and {new.name} have no query in common", fix="write query ids the same way in both runs"
        )
    return both


def _differences(
    before: Evaluation, after: Evaluation, measures: Sequence[Measure], slices: Mapping[str, Sequence[str]]
) -> tuple[Difference, ...]:
    scopes = {"": before.query_ids, **slices}
    found = []
    for name, query_ids in scopes.items():
        wanted = frozenset(query_ids)
        columns = [
            np.column_stack([one[measure.name].restricted_to(wanted).column for measure in measures])
            for one in (before, after)
        ]
        if len(columns[0]):
            results = compare_columns(*columns, resamples=_RESAMPLES)
            found += [
                Difference(measure.name, name, result, measure.higher_is_better)
                for measure, result in zip(measures, results, strict=True)
            ]
    return tuple(found)


def _lost_most(before: Evaluation, after: Evaluation, measure: Measure, count: int) -> list[QueryValue]:
    then, now = before[measure.name], after[measure.name]
    gains = (now.column - then.column) * (1.0 if measure.higher_is_better else -1.0)
    return [QueryValue(one, "", now[one], other=then[one]) for one in _lowest(then.query_ids, gains, count)]


def _lowest(query_ids: Sequence[str], gains: Floats, count: int) -> list[str]:
    """The queries of the lowest gains, of those below zero; shape (q,)."""
    order = np.argsort(gains, kind="stable")[:count].tolist()
    return [query_ids[place] for place in order if gains[place] < 0]


def _worst_end(one: Difference) -> float:
    """The end of the interval on the side of better: below zero means that all of it is worse."""
    interval = one.comparison.interval
    return interval.high if one.higher_is_better else -interval.low
