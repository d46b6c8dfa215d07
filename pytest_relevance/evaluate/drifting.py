"""Drifting: the services of a suite asked anew, and held against what was recorded of them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_relevance.errors import UsageError, suggestion
from pytest_relevance.evaluate.flow import SuiteFlow
from pytest_relevance.evaluate.retrieval import Settings, recordings_of
from pytest_relevance.retrievers import BUILTIN, Progress, RecordedAnswer, RetrieverKind
from pytest_relevance.runs import Drift, RecordingFolder, drift
from pytest_relevance.suite import Suite


def drift_of_suite(
    suite: Suite,
    recorded: Path,
    *,
    retrievers: Sequence[str] = (),
    settings: Settings | None = None,
    kinds: Mapping[str, RetrieverKind] = BUILTIN,
    progress: Progress | None = None,
) -> tuple[Drift, ...]:
    """Ask each recorded retriever of a suite what the suite asks it, and compare with its recordings.

    `recorded` is the folder that `--relevance-record` was given; nothing in it is changed. Without `retrievers` all
    that have recordings there are asked.

    Raises:
        UsageError: a retriever is unknown or has no recordings.
        RelevanceError: the suite's data or its recordings cannot be read.
    """
    chosen = settings or Settings()
    before = _recorded(suite, replace(chosen, recordings=recorded, recording="replay"), retrievers)
    with tempfile.TemporaryDirectory() as folder:
        asking = replace(chosen, recordings=Path(folder), recording="record")
        flow = SuiteFlow(suite, asking, kinds=kinds, progress=progress)
        for task in flow.tasks():
            flow.expect(task)
        flow.prepare()
        return tuple(_drift(flow, name, answers) for name, answers in before.items())


def _recorded(suite: Suite, settings: Settings, wanted: Sequence[str]) -> dict[str, tuple[RecordedAnswer, ...]]:
    for name in wanted:
        if name not in suite.retrievers:
            raise UsageError(f"unknown retriever {name!r}", fix=suggestion(name, suite.retrievers, label="retrievers"))
    folder = recordings_of(suite, settings)
    found = {name: folder.answers(name) for name in wanted or suite.retrievers}
    if missing := [name for name in wanted if not found[name]]:
        raise _none_recorded(folder, f"retriever {missing[0]!r}")
    if not any(found.values()):
        raise _none_recorded(folder, f"suite {suite.name!r}")
    return {name: answers for name, answers in found.items() if answers}


def _none_recorded(folder: RecordingFolder, whose: str) -> UsageError:
    fix = "name the folder that --relevance-record was given, or record first"
    return UsageError(f"{folder.folder.parent} has no recordings of {whose}", fix=fix)


def _drift(flow: SuiteFlow, name: str, recorded: Sequence[RecordedAnswer]) -> Drift:
    failures = flow.retrieval.run_of(name).failures
    assert flow.recordings is not None  # the settings name a folder
    return drift(name, recorded, RecordingFolder(flow.recordings.folder, "replay").answers(name), failures)
