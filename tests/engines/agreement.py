"""A suite with one live retriever, run as a user runs it, and held to what the server itself answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engines.collection import Collection
from pytest_relevance import evaluate_suite
from pytest_relevance.records import Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import load_data, read_suite

DEPTH = 10


@dataclass(frozen=True)
class Found:
    """A document as the server gives it."""

    doc_id: str
    score: float | None = None
    fields: Mapping[str, object] = field(default_factory=dict)


def live_run(suite: Path, depth: int = DEPTH) -> Run:
    """The run of the suite's retriever `live`, none of whose queries failed."""
    run = _run(suite, depth)
    assert run.failures == {}
    return run


def failures(suite: Path) -> Mapping[str, str]:
    """Why each query did not run, where none did."""
    run = _run(suite, DEPTH)
    assert run.query_ids == ()
    assert run.failures
    return run.failures


def _run(suite: Path, depth: int) -> Run:
    read = read_suite(suite)
    retriever = build(read.retrievers["live"], RetrieverContext(suite.parent))
    return retrieve_run(retriever, load_data(read).queries, depth=depth, name="live")


def value_of_suite(suite: Path) -> float:
    """What the suite's one check measured; the check must have passed."""
    (verdict,) = evaluate_suite(suite)
    assert verdict.outcome == "pass", verdict.sentence
    assert verdict.value is not None
    return verdict.value


def agrees(run: Run, queries: Queries, own: Callable[[str], list[Found]]) -> None:
    """Ids, order, scores and kept fields are those of the server's own answers, and not all of these are empty."""
    answered = 0
    for query in queries:
        expected = own(query.text)
        answered += bool(expected)
        assert run.ranking(query.query_id) == tuple(one.doc_id for one in expected), query.text
        if expected and expected[0].score is not None:
            scores = tuple(one.score for one in expected)
            assert run.scores_of(query.query_id) == pytest.approx(scores, rel=1e-12), query.text
        for one in expected:
            assert dict(run.fields.get(one.doc_id, {})) == dict(one.fields)
    assert answered >= len(queries) / 2


def written(collection: Collection, folder: Path, retriever: str, *, queries: Queries, floor: float = 0.0) -> Path:
    """A suite of this retriever, given as lines of YAML."""
    block = "\n".join(f"    {line}" for line in retriever.strip().splitlines())
    return collection.suite(folder, block, queries=queries, floor=floor)
