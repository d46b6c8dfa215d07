"""Diversity of retrievers: the relevant documents that only one of them finds, and how alike their rankings are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np

from pytest_relevance.measures import Measure, overlap
from pytest_relevance.records import Qrels, Run
from pytest_relevance.records.ids import Integers
from pytest_relevance.verdict.diversity import Alike, Diversity, Finder

USUAL_DEPTH = 100  # where no recall is reported


def depth_of(report: Iterable[Measure], most: int | None = None) -> int:
    """The deepest cutoff of a reported recall, at most `most`: what is retrieved."""
    cutoffs = [measure.cutoff for measure in report if measure.family == "R" and measure.cutoff is not None]
    depth = max(cutoffs, default=USUAL_DEPTH)
    return depth if most is None else min(depth, most)


def diversity_of(runs: Mapping[str, Run], qrels: Qrels, *, depth: int, relevant: float = 1.0) -> Diversity:
    """What each run finds within the first `depth` of the documents with a grade of at least `relevant`.

    A query that a run does not have counts as answered with nothing there; queries without judgments are left out.

    Raises:
        DataError: two of the runs have no query in common.
    """
    places = np.flatnonzero(qrels.grades >= relevant)
    wanted = qrels.query_of_row[places] * len(qrels.doc_ids) + qrels.codes[places]
    cut = {name: run.restricted_to(qrels.query_ids).cut(depth) for name, run in runs.items()}
    found = np.array([np.isin(wanted, _keys(run, qrels)) for run in cut.values()]).reshape(len(runs), len(wanted))
    alone = found.sum(axis=0) == 1
    pairs = [Alike(one, two, overlap(cut[one], cut[two], f"Overlap@{depth}").mean) for one, two in combinations(cut, 2)]
    return Diversity(
        depth=depth,
        queries=len(qrels),
        relevant=len(wanted),
        together=int(found.any(axis=0).sum()),
        finders=tuple(
            Finder(name, int(row.sum()), int((row & alone).sum())) for name, row in zip(runs, found, strict=True)
        ),
        pairs=tuple(pairs),
    )


def _keys(run: Run, qrels: Qrels) -> Integers:
    """One number for each row whose document is judged for any query, as `wanted` has them; shape (rows,)."""
    query_places = np.array([qrels.positions[query_id] for query_id in run.query_ids], dtype=np.int64)
    codes = qrels.doc_ids.find(run.doc_ids)[run.codes]
    known = codes >= 0
    return query_places[run.query_of_row[known]] * len(qrels.doc_ids) + codes[known]
