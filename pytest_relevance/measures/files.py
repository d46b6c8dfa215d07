"""From a qrels file and a run file to values, the fastest way there is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance.measures.evaluation import evaluate, evaluate_ranked
from pytest_relevance.measures.judged_cache import JudgedCache, JudgedRows, key_of
from pytest_relevance.measures.measure import Measure
from pytest_relevance.measures.parse import parse_measure
from pytest_relevance.records import Duplicates, Evaluation

if TYPE_CHECKING:
    from pytest_relevance.trec.read import PathLike


def evaluate_files(
    qrels_path: PathLike,
    run_path: PathLike,
    measures: Sequence[str | Measure],
    *,
    duplicates: Duplicates = "error",
    complete: bool = True,
    cache: bool | str | os.PathLike[str] = True,
) -> Evaluation:
    """The values of `measures` for a run file under a qrels file, one for each judged query.

    The run streams by; only its judged rows are kept. They are also cached (in the user's cache folder, or in the one
    that `cache` names; False: not at all), so that unchanged files are evaluated again in a moment.
    `complete=False` leaves out queries that the run does not have.

    Raises:
        DataError: a file cannot be read, or the two have no query in common.
        MeasureError: a name is wrong, or a measure cannot be computed from these judgments.
    """
    chosen = [measure if isinstance(measure, Measure) else parse_measure(measure) for measure in measures]
    if any(measure.needs_documents for measure in chosen):
        from pytest_relevance.trec.read import read_qrels, read_run

        qrels = read_qrels(qrels_path, duplicates=duplicates)
        return evaluate(read_run(run_path, duplicates=duplicates), qrels, chosen, complete=complete)
    rows = judged_rows(qrels_path, run_path, duplicates=duplicates, cache=cache)
    return evaluate_ranked(
        rows.ranked,
        chosen,
        run=rows.run,
        qrels=rows.qrels,
        failures=rows.failures,
        unjudged=rows.unjudged,
        notes=rows.notes,
        complete=complete,
        max_grade=rows.max_grade,
    )


def judged_rows(
    qrels_path: PathLike,
    run_path: PathLike,
    *,
    duplicates: Duplicates = "error",
    cache: bool | str | os.PathLike[str] = True,
) -> JudgedRows:
    """Where the judged documents stand in a run file, from the cache if neither file has changed since."""
    shelf = _cache(cache)
    paths = [Path(qrels_path), Path(run_path)]
    key = key_of(paths, duplicates) if shelf else None
    kept = shelf.find(key) if shelf else None
    if kept is not None:
        return kept  # without the readers, whose import takes as long as all the rest
    from pytest_relevance.trec.join import join_run_file
    from pytest_relevance.trec.read import read_judged

    judged = read_judged(qrels_path, duplicates=duplicates)
    joined = join_run_file(run_path, judged, duplicates=duplicates)
    notes = (*joined.notes, *judged.notes)
    highest = float(judged.grades.max(initial=0.0))
    rows = JudgedRows(joined.ranked, joined.name, judged.name, notes, joined.unjudged, dict(joined.failures), highest)
    if shelf and key == key_of(paths, duplicates):  # not changed while it was read
        shelf.keep(key, rows)
    return rows


def _cache(cache: bool | str | os.PathLike[str]) -> JudgedCache | None:
    if cache is True:
        return JudgedCache.default()
    return JudgedCache(Path(cache)) if cache else None
