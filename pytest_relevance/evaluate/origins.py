"""What a run of now is made from and measured with, beside what a stored one was; the baseline that is stored of it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from pytest_relevance.baseline import Origin, StoredQuery, qrels_hash, query_hash
from pytest_relevance.baseline.git import commit_of
from pytest_relevance.baseline.record import Baseline
from pytest_relevance.evaluate.measuring import Measuring, did_not_run
from pytest_relevance.evaluate.retrieval import Retrieval
from pytest_relevance.records import Values
from pytest_relevance.suite import Grades, Suite, SuiteData


def origin_of(suite: Suite, data: SuiteData, retrieval: Retrieval, measuring: Measuring, retriever: str) -> Origin:
    """What decides a comparison: contents, configuration, definitions."""
    return Origin(
        suite=suite.name,
        retriever=retriever,
        depth=retrieval.depth_of(retriever),
        fold=_fold(suite),
        definitions=dict(sorted(measuring.definitions(retriever).items())),
        qrels={name: qrels_hash(qrels) for name, qrels in data.qrels.items()},
        grades=_grades(suite.grades),
        corpus=retrieval.corpus_hash(),
        configuration=retrieval.fingerprint(retriever),
        model=retrieval.models(retriever),
    )


def made_from(baseline: Baseline, now: Origin, qrels: str) -> dict[str, str]:
    """What a stored run and one of now were made from, by its name: a hash, or both where they differ."""
    then = baseline.origin
    both = {
        "judgments": (then.qrels.get(qrels, ""), now.qrels.get(qrels, "")),
        "corpus": (then.corpus, now.corpus),
        "configuration": (then.configuration, now.configuration),
        "model": (then.model, now.model),
    }
    told = {name: was if was == is_ else f"{was or 'none'} -> {is_ or 'none'}" for name, (was, is_) in both.items()}
    stored = {"baseline": baseline.shown, "stored": then.time, "commit": then.commit}
    return {name: text for name, text in (told | stored).items() if text}


def baseline_of_now(
    suite: Suite, data: SuiteData, retrieval: Retrieval, measuring: Measuring, retriever: str
) -> Baseline:
    """The run of a retriever over every query of the suite, as it is stored.

    Raises:
        RetrieverError: a query did not run.
    """
    run = retrieval.run_for(retriever, tuple(data.queries), retrieval.depth_of(retriever))
    failed = [query.query_id for query in data.queries if query.query_id in run.failures]
    if failed:
        raise did_not_run(retriever, run, failed, suite)
    values: dict[str, Mapping[str, Values]] = {}
    for name in suite.qrels:
        evaluation = measuring.evaluation(retriever, name)
        values[name] = {measure: evaluation[measure] for measure in sorted(measuring.definitions(retriever))}
    now = origin_of(suite, data, retrieval, measuring, retriever)
    return Baseline(
        Origin(**{**vars(now), "product": _product(), "commit": commit_of(suite.path.parent), **_when_and_where()}),
        {query.query_id: StoredQuery(query.text, query_hash(query)) for query in data.queries},
        run,
        values,
    )


def _grades(grades: Grades) -> dict[str, str]:
    gain = grades.gain if isinstance(grades.gain, str) else str({f"{key:g}": one for key, one in grades.gain.items()})
    top = "the highest judged" if grades.max is None else f"{grades.max:g}"
    return {"max": top, "relevant": f"{grades.relevant:g}", "gain": gain}


def _fold(suite: Suite) -> str:
    if suite.fold is None:
        return ""
    folder = f"{suite.path.parent}/"  # a file's name as the suite has it: paths differ from machine to machine
    return suite.fold.removeprefix(folder)


def _when_and_where() -> dict[str, object]:
    host = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": platform.system(),
        "machine": platform.machine(),
    }
    return {"time": datetime.now(UTC).isoformat(timespec="seconds"), "host": host}


def _product() -> str:
    try:
        return version("pytest-relevance")
    except PackageNotFoundError:  # run from its sources
        return ""
