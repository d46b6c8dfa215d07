"""Retrieval: the runs of one suite, each retriever asked once and only for the queries somebody needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pytest_relevance.baseline import TEXT_MEGABYTES, configuration_hash
from pytest_relevance.errors import RelevanceError
from pytest_relevance.measures import fold_run
from pytest_relevance.records import Corpus, Query, Run
from pytest_relevance.retrievers import (
    BUILTIN,
    WARNINGS,
    PlannedRequests,
    Planning,
    Progress,
    RetrieverContext,
    RetrieverKind,
    build,
    depths,
    fingerprint,
    in_order,
)
from pytest_relevance.runs import RecordingFolder, RecordingMode, Shelf, file_name, retrieve_run, run_key
from pytest_relevance.suite import Suite, SuiteData


@dataclass(frozen=True)
class Settings:
    """What a user may set for one session, over what the suite says."""

    depth: int | None = None  # documents retrieved per query
    queries: tuple[str, ...] = ()  # only these, by query_id or text; empty for all
    retrievers: tuple[str, ...] = ()  # only these; empty for all
    cache: Path | None = None  # where indexes are kept between sessions
    baselines: Path | None = None  # where stored baselines are; None: beside each suite
    baseline_reference: str = ""  # read baselines, and the suite's bounds of then, from this git reference
    update_baselines: bool = False  # store what is retrieved now instead of comparing with what was stored
    baseline_text_megabytes: float = TEXT_MEGABYTES  # a larger baseline is stored as Parquet
    diversity: bool = False  # tell what each retriever of a suite adds to the others
    recordings: Path | None = None  # where answers of search APIs are kept, a folder for each suite in it
    recording: RecordingMode = "record"  # ask all anew, only what is missing, or nothing


class Retrieval:
    """Asks a suite's retrievers. Say `need` for all first: the first `run_of` of a retriever fixes what it is asked."""

    def __init__(
        self,
        suite: Suite,
        data: SuiteData,
        settings: Settings,
        *,
        kinds: Mapping[str, RetrieverKind] = BUILTIN,
        shelf: Shelf | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._suite = suite
        self._data = data
        self._kinds = kinds
        self._settings = settings
        self._shelf = shelf or Shelf()
        self._progress = progress
        self._needed: dict[str, dict[str, Query]] = {name: {} for name in suite.retrievers}
        self._made_from: dict[str, tuple[str, ...]] = {}  # retriever → all that its run is made from, itself last
        self._faults: dict[str, RelevanceError] = {}  # retriever → why that cannot be told, for it or one of its parts
        for name in suite.retrievers:
            try:
                self._made_from[name] = in_order(suite.retrievers, [name], kinds)
            except RelevanceError as error:
                self._faults[name] = error
        sound = {name: suite.retrievers[name] for name in self._made_from}
        self._depths = depths(sound, {name: settings.depth or suite.depth_for(name) for name in sound}, kinds)
        self.recordings = None if settings.recordings is None else recordings_of(suite, settings)
        self._asked: dict[str, tuple[str, tuple[Query, ...]]] = {}  # retriever → key on the shelf, queries
        self._folded: dict[str, Run] = {}
        self._context = RetrieverContext(
            folder=suite.path.parent,
            load_corpus=None if suite.corpus is None else partial(_corpus_of, data),
            cache=settings.cache,
            run_of=self.run_for,
            duplicates=suite.duplicates,
            progress=progress,
            recordings=self.recordings,
        )

    def need(self, retriever: str, queries: Sequence[Query]) -> None:
        """Say that these queries of a retriever, and so of its parts, will be read; of one at fault none will be."""
        wanted = {query.query_id: query for query in queries}
        for name in self._made_from.get(retriever, (retriever,)):
            self._needed[name].update(wanted)

    def run_of(self, retriever: str) -> Run:
        """The run of a retriever for the queries needed of it, folded to parents where the suite says so.

        Raises:
            RelevanceError: the retriever cannot be made, or answered nothing at all; the same at every call.
        """
        if retriever not in self._folded:
            self._folded[retriever] = self.folded(self._run(retriever))
        return self._folded[retriever]

    def folded(self, run: Run) -> Run:
        """A run with parents for passages, where the suite says so."""
        return fold_run(run, self._data.fold) if self._data.fold else run

    def plan(self) -> dict[str, Sequence[PlannedRequests]]:
        """Retriever → the requests that what is needed would cost; only those that ask over a network are there.

        Raises:
            RelevanceError: a retriever that is needed cannot be made.
        """
        planned: dict[str, Sequence[PlannedRequests]] = {}
        for name, queries in ((name, tuple(needed.values())) for name, needed in self._needed.items() if needed):
            depth = self.depth_of(name)
            retriever: object = build(self._suite.retrievers[name], self._context, self._kinds)
            if isinstance(retriever, Planning):
                planned[name] = retriever.plan(queries, depth=depth)
        return planned

    def depth_of(self, retriever: str) -> int:
        """Documents asked for per query.

        Raises:
            RelevanceError: the retriever, or one that its run is made from, is at fault; the same at every call.
        """
        if retriever in self._faults:
            raise self._faults[retriever]
        return self._depths[retriever]

    def fingerprint(self, retriever: str) -> str:
        """A hash of all that decides a retriever's rankings, its parts' included; nothing secret can be read from it.

        Where a kind does not tell, the configuration as it is written stands in for it.
        """
        found = fingerprint(self._suite.retrievers, retriever, self._context, self._kinds)
        if found is not None:
            return found
        return "-".join(configuration_hash(self._suite.retrievers[name]) for name in self._made_from[retriever])

    def models(self, retriever: str) -> str:
        """The models that made the run and its parts, as they tell of themselves; "" where there are none."""
        parts = [self._run(name).provenance for name in self._made_from[retriever]]
        told = [
            f"{one['model']}@{one['revision']}" if one.get("revision") else str(one["model"])
            for one in parts
            if one.get("model")
        ]
        return ", ".join(dict.fromkeys(told))

    def warnings(self, retriever: str) -> tuple[str, ...]:
        """What the runs of a retriever and its parts warn of, as far as they were retrieved."""
        there = [name for name in self._made_from[retriever] if name in self._asked]
        told = [self._run(name).provenance.get(WARNINGS) for name in there]
        return tuple(str(line) for lines in told if isinstance(lines, Sequence) for line in lines)

    def corpus_hash(self) -> str:
        """A hash of the documents' ids and texts; "" where the suite has no corpus."""
        return self._context.corpus_hash()

    def run_for(self, retriever: str, queries: Sequence[Query], depth: int) -> Run:
        """The run for these queries at this depth, unfolded; a part of what is retrieved anyway where that holds it."""
        if depth <= self.depth_of(retriever) and all(query.query_id in self._needed[retriever] for query in queries):
            return self._run(retriever).restricted_to(query.query_id for query in queries).cut(depth)
        key = self._key(retriever, queries, depth)
        return self._shelf.run(key, lambda: self._retrieve(retriever, queries, depth))

    def _run(self, name: str) -> Run:
        depth = self.depth_of(name)
        if name not in self._asked:  # what is said to be needed from now on comes too late for it
            queries = tuple(self._needed[name].values())
            self._asked[name] = self._key(name, queries, depth), queries
        key, queries = self._asked[name]
        return self._shelf.run(key, lambda: self._retrieve(name, queries, depth))

    def _key(self, name: str, queries: Sequence[Query], depth: int) -> str:
        return run_key(f"{self._suite.path}\n{name}", queries, depth)

    def _retrieve(self, name: str, queries: Sequence[Query], depth: int) -> Run:
        retriever = build(self._suite.retrievers[name], self._context, self._kinds)
        report = self._progress
        progress = None if report is None else (lambda done, total: report(name, done, total))
        return retrieve_run(
            retriever, queries, depth=depth, name=name, duplicates=self._suite.duplicates, progress=progress
        )


def recordings_of(suite: Suite, settings: Settings) -> RecordingFolder:
    """The recordings of one suite."""
    assert settings.recordings is not None  # asked for only where recordings are
    return RecordingFolder(settings.recordings / file_name(suite.name), settings.recording)


def _corpus_of(data: SuiteData) -> Corpus:
    assert data.corpus is not None  # asked only where the suite names one
    return data.corpus
