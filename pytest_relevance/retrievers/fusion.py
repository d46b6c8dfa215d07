"""Several runs into one: reciprocal ranks, or sums of normalised scores, on the columns of all queries at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from pytest_relevance.errors import UsageError, suggestion
from pytest_relevance.records import Ids, Run
from pytest_relevance.records.columns import Floats, first_repeat, gathered
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.run import ranked_rows
from pytest_relevance.retrievers.normalise import Normalise, normalised

Method = Literal["rrf", "weighted", "comb_sum", "comb_mnz"]

_LARGEST = 1e150  # scores beyond it would overflow in sums
_BLOCK = 1_000_000  # rows fused at a time: the working memory does not grow with the number of queries


def fuse_runs(
    runs: Sequence[Run],
    *,
    method: Method = "rrf",
    k: float = 60,
    weights: Sequence[float] | None = None,
    normalise: Normalise = "min_max",
    depth: int | None = None,
    name: str = "fused",
) -> Run:
    """One run of all the documents of several, best first, cut at `depth`.

    A document's score is, over the runs that have it for the query (one that has not adds nothing):
    `rrf`: the sum of weight / (k + rank), ranks from 1; `weighted`, `comb_sum`: the sum of weight · normalised score;
    `comb_mnz`: that sum times the number of runs that have the document. Weights are 1 unless given.
    A document that stands twice in one ranking counts once, at its best rank. Equal scores are ordered as everywhere,
    and documents with the same parts have equal scores to the last digit, whichever run each part comes from.
    A query that failed in one run has failed in the fusion.

    Raises:
        UsageError: no runs, an unknown method, or numbers out of range.

    Source: Cormack, Clarke, Buettcher, "Reciprocal rank fusion …", SIGIR 2009 (k = 60); Fox and Shaw, "Combination of
    multiple searches", TREC-2, 1994 (CombSUM, CombMNZ).
    """
    chosen = _checked(runs, method, k, weights)
    by_score = method != "rrf"
    failures = _failures(runs, finite=by_score)
    query_ids = tuple(query_id for query_id in _all_queries(runs) if query_id not in failures)
    vocabulary, recoded = _one_vocabulary(runs)
    parts = [
        _Part(run, codes, np.array([run.positions.get(query_id, -1) for query_id in query_ids], dtype=np.int64), weight)
        for run, codes, weight in zip(runs, recoded, chosen, strict=True)
    ]
    blocks = []
    for first, last in _blocks(parts, len(query_ids)):
        rows = _joined([part.rows(first, last, None if not by_score else normalise, k) for part in parts])
        fused = _summed(rows, len(vocabulary), times_count=method == "comb_mnz")
        best_first = ranked_rows(fused.queries, fused.values, fused.codes, vocabulary)
        blocks.append(_cut(fused.taken(best_first), depth))
    whole = _joined(blocks)
    return Run(
        query_ids,
        np.searchsorted(whole.queries, np.arange(len(query_ids) + 1)).astype(np.int64),
        vocabulary,
        whole.codes,
        whole.values,
        name,
        failures=failures,
        fields=_fields(runs),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


@dataclass(frozen=True)
class _Rows:
    """Rows of (query, document, number); shapes (rows,) each."""

    queries: Integers
    codes: Integers
    values: Floats

    def taken(self, rows: Integers) -> _Rows:
        return _Rows(self.queries[rows], self.codes[rows], self.values[rows])


@dataclass(frozen=True)
class _Part:
    """One run, seen from the fusion's queries and vocabulary."""

    run: Run
    codes: Integers  # of the run's rows, in the common vocabulary
    places: Integers  # of each query in the run; -1 where it is not there
    weight: float

    @property
    def counts(self) -> Integers:
        return np.where(self.places >= 0, self.run.counts[self.places] if len(self.run) else 0, 0)

    def rows(self, first: int, last: int, normalise: Normalise | None, k: float) -> _Rows:
        """What this run adds to the queries from `first` to before `last`: by score, or by rank where None is named."""
        places = self.places[first:last]
        there = np.flatnonzero(places >= 0)
        offsets, rows = gathered(self.run.offsets, places[there])
        counts = np.diff(offsets)
        queries = np.repeat(there + first, counts)
        if normalise is None:
            ranks = np.arange(len(rows)) - np.repeat(offsets[:-1], counts) + 1
            values: Floats = np.asarray(self.weight / (k + ranks), dtype=np.float64)
        else:
            values = self.weight * normalised(self.run.scores[rows], offsets, normalise)
        found = _Rows(queries, self.codes[rows], values)
        repeated = first_repeat(queries, found.codes, int(found.codes.max(initial=0)) + 1)
        return found.taken(np.flatnonzero(~repeated)) if repeated.any() else found


def _summed(rows: _Rows, documents: int, *, times_count: bool) -> _Rows:
    """One row for each query and document, with the sum of its numbers."""
    keys = rows.queries * documents + rows.codes
    # Smallest first within a key: the same numbers then have the same sum, in whatever order the runs are given.
    order = np.lexsort((rows.values, keys))
    keys, values = keys[order], rows.values[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
    sums: Floats = np.add.reduceat(values, starts) if len(keys) else np.zeros(0)
    if times_count:
        sums = sums * np.diff(np.append(starts, len(keys)))
    first = order[starts]
    return _Rows(rows.queries[first], rows.codes[first], sums)


def _cut(rows: _Rows, depth: int | None) -> _Rows:
    """The first `depth` rows of each query; rows stand by query, best first."""
    if depth is None:
        return rows
    begins = np.searchsorted(rows.queries, rows.queries)
    return rows.taken(np.flatnonzero(np.arange(len(rows.queries)) - begins < depth))


def _joined(parts: Sequence[_Rows]) -> _Rows:
    empty = _Rows(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    all_parts = (empty, *parts)
    return _Rows(
        np.concatenate([part.queries for part in all_parts]),
        np.concatenate([part.codes for part in all_parts]),
        np.concatenate([part.values for part in all_parts]),
    )


def _blocks(parts: Sequence[_Part], queries: int) -> Iterator[tuple[int, int]]:
    """Ranges of queries with about `_BLOCK` rows each."""
    before: Integers = np.cumsum(np.sum([part.counts for part in parts], axis=0, dtype=np.int64))
    first = 0
    while first < queries:
        done = int(before[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(before, done + _BLOCK, side="right")))
        yield first, last
        first = last


def _one_vocabulary(runs: Sequence[Run]) -> tuple[Ids, list[Integers]]:
    """Each document of all runs once, and the rows of each run coded by it."""
    texts = Ids.joined([run.doc_ids for run in runs])
    vocabulary, codes = texts.distinct()
    begins = np.cumsum([0, *(len(run.doc_ids) for run in runs)])
    return vocabulary, [codes[begin + run.codes] for begin, run in zip(begins[:-1], runs, strict=True)]


def _all_queries(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(query_id for run in runs for query_id in run.query_ids))


def _failures(runs: Sequence[Run], *, finite: bool) -> dict[str, str]:
    """query_id → the run that failed it, and why; with `finite` also where scores cannot be added up."""
    failures: dict[str, str] = {}
    for run in runs:
        for query_id, why in run.failures.items():
            failures.setdefault(query_id, f"{run.name} did not run: {why}")
        usable = np.abs(run.scores) <= _LARGEST  # neither NaN nor infinite
        if finite and not usable.all():
            for place in np.unique(run.query_of_row[~usable]).tolist():
                failures.setdefault(run.query_ids[place], f"{run.name} has a score that cannot be added up")
    return failures


def _fields(runs: Sequence[Run]) -> dict[str, Mapping[str, object]]:
    fields: dict[str, Mapping[str, object]] = {}
    for run in runs:
        for doc_id, kept in run.fields.items():
            fields[doc_id] = {**kept, **fields.get(doc_id, {})}  # the run that is named first is believed
    return fields


def _checked(runs: Sequence[Run], method: str, k: float, weights: Sequence[float] | None) -> Sequence[float]:
    """The weight of each run."""
    if not runs:
        raise UsageError("there is no run to fuse", fix="give at least one")
    if method not in get_args(Method):
        raise UsageError(f"unknown way to fuse {method!r}", fix=suggestion(method, get_args(Method), label="known"))
    if not 0 <= k < np.inf:
        raise UsageError(f"k = {k} is below 0 or not a number", fix="60 is usual")
    chosen = [1.0] * len(runs) if weights is None else list(weights)
    if len(chosen) != len(runs) or not all(0 < weight < np.inf for weight in chosen):
        raise UsageError(
            f"weights {chosen} do not fit {len(runs)} runs", fix="give each run one number above 0, in their order"
        )
    return chosen
