"""Relevance: what the `relevance` fixture gives to Python tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.errors import UsageError
from pytest_relevance.evaluate import Hits, Searching
from pytest_relevance.evaluate.selfcheck import SelfCheck, self_check
from pytest_relevance.measures import Measure, evaluate
from pytest_relevance.plugin.registry import offered
from pytest_relevance.plugin.stash import CURRENT, MARKER
from pytest_relevance.plugin.state import State
from pytest_relevance.records import Evaluation, Qrels, Query, Run
from pytest_relevance.report.comparison import explained

QUERY_ARGUMENT = "query"  # a parametrised argument of this name is a search that its tests will make


@dataclass(frozen=True)
class Wish:
    """What a test's markers say; the closest marker that says it wins."""

    suite: str | None = None
    retriever: str | None = None
    depth: int | None = None
    queries: tuple[str, ...] = ()

    @classmethod
    def of(cls, item: pytest.Item) -> Wish:
        """Read the markers of a test, its class and its module.

        Raises:
            UsageError: a marker has an argument that is unknown, or a depth that is none.
        """
        told: dict[str, Any] = {}
        for marker in item.iter_markers(MARKER):  # closest first
            unknown = marker.kwargs.keys() - {"suite", "retriever", "depth", "query", "queries"}
            if unknown or marker.args:
                raise UsageError(
                    f"@pytest.mark.relevance does not take {', '.join(sorted(unknown)) or 'arguments without a name'}",
                    fix="it takes suite=, retriever=, depth=, query=, queries=",
                )
            told = {**marker.kwargs, **told}
        depth = told.get("depth")
        if depth is not None and (not isinstance(depth, int) or depth < 1):
            raise UsageError(f"@pytest.mark.relevance: depth is {depth!r}", fix="give a whole number from 1 up")
        queries = [*told.pop("queries", ()), *([told.pop("query")] if "query" in told else [])]
        return cls(queries=tuple(queries), **told)


class Relevance:
    """Suites, searches and evaluations for Python tests. Defaults come from `@pytest.mark.relevance(…)`."""

    def __init__(self, session: pytest.Session, state: State) -> None:
        self._session = session
        self._state = state
        self._suites: dict[Path, Searching] = {}

    def suite(self, path: str | Path | None = None) -> Searching:
        """A suite to search in: the one at `path`, or the one that the test's marker names.

        A relative path is looked for beside the test's file, then from pytest's root folder on.

        Raises:
            UsageError: no suite is named, or there is no such file. SuiteError: it cannot be read.
        """
        item = self._item
        named = path or Wish.of(item).suite
        if named is None:
            raise UsageError(
                "no suite is named", fix="mark the test: @pytest.mark.relevance(suite='shop.relevance.yaml')"
            )
        file = self._file(item, Path(named))
        if file not in self._suites:
            flow = self._state.flow_of(self._session, file)
            self._suites[file] = Searching(flow, explained)
            self._announce(file)
        return self._suites[file]

    def search(
        self,
        query: str | Query,
        *,
        retriever: str | None = None,
        depth: int | None = None,
        suite: str | Path | None = None,
    ) -> Hits:
        """What a retriever finds for a query, given by its id, its text or as a record.

        Raises:
            RelevanceError: the suite, the retriever or this query is at fault.
        """
        wish = Wish.of(self._item)
        deep = wish.depth if depth is None else depth
        return self.suite(suite).search(query, retriever=retriever or wish.retriever, depth=deep)

    def run(self, retriever: str | None = None, *, depth: int | None = None, suite: str | Path | None = None) -> Run:
        """The run of a retriever for all of the suite's queries."""
        wish = Wish.of(self._item)
        return self.suite(suite).run(retriever or wish.retriever, depth=wish.depth if depth is None else depth)

    def evaluate(
        self, run: Run, qrels: Qrels | Mapping[str, Mapping[str, float]], measures: Iterable[str | Measure]
    ) -> Evaluation:
        """The values of measures; `qrels` may be query_id → doc_id → grade."""
        judged = qrels if isinstance(qrels, Qrels) else Qrels.from_dict(qrels)
        return evaluate(run, judged, list(measures))

    def self_check(self, suite: str | Path | None = None, *, reruns: int = 5) -> SelfCheck:
        """A suite against itself: how often each gate would flip though nothing changed, as `aa` tells it."""
        path = self.suite(suite).flow.suite.path
        kinds = offered(self._session, path, "pytest_relevance_retrievers")
        measures = offered(self._session, path, "pytest_relevance_measures")
        return self_check(path, reruns=reruns, settings=self._state.options.settings, kinds=kinds, measures=measures)

    @property
    def _item(self) -> pytest.Item:
        """The test that runs now."""
        return self._session.config.stash[CURRENT]

    def _file(self, item: pytest.Item, path: Path) -> Path:
        places = [item.path.parent / path, self._session.config.rootpath / path]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise UsageError(
                f"there is no suite {str(path)!r}", fix="paths begin at the test's folder, or at pytest's root folder"
            )
        return found.resolve()

    def _wish_in(self, item: pytest.Item, file: Path) -> Wish | None:
        """What a test wishes of a suite; None where it wishes another, or is at fault, which it says itself."""
        try:
            wish = Wish.of(item)
            return wish if wish.suite is not None and self._file(item, Path(wish.suite)) == file else None
        except UsageError:
            return None

    def _announce(self, file: Path) -> None:
        """Tell the suite every search that a selected test is known to make, so that they are retrieved together."""
        searching = self._suites[file]
        for item in self._session.items:
            wish = self._wish_in(item, file)
            if wish is None or (wish.retriever or searching.retriever) not in searching.flow.suite.retrievers:
                continue
            callspec = getattr(item, "callspec", None)
            given = callspec.params.get(QUERY_ARGUMENT) if callspec else None
            for query in (*wish.queries, *([given] if isinstance(given, str) else [])):
                searching.announce(query, retriever=wish.retriever, depth=wish.depth)
