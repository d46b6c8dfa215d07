"""State: what suites and Python tests share in one session: options, the shelf their runs stand on, what is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.evaluate import SuiteFlow
from pytest_relevance.plugin.options import Options
from pytest_relevance.plugin.progress import Progress
from pytest_relevance.plugin.registry import offered
from pytest_relevance.plugin.stash import SHELF_INPUT, STATE
from pytest_relevance.runs import Shelf
from pytest_relevance.suite import read_suite


class State:
    """Made when a suite is collected or a test asks for the fixture, whichever comes first."""

    def __init__(self, config: pytest.Config) -> None:
        self.options = Options.of(config)
        worker = getattr(config, "workerinput", None)  # there in an xdist worker only
        self.shelf = Shelf(Path(worker[SHELF_INPUT]) if worker else None)
        self.progress = None if worker else Progress(config)
        self.flows: list[SuiteFlow] = []

    def flow_of(self, session: pytest.Session, path: Path) -> SuiteFlow:
        """Read a suite and make its flow, with what plugins and conftest files offer there.

        Raises:
            RelevanceError: the suite cannot be read, or two plugins offer one name.
        """
        kinds = offered(session, path, "pytest_relevance_retrievers")
        measures = offered(session, path, "pytest_relevance_measures")
        suite = read_suite(path, known_measures=measures)
        flow = SuiteFlow(
            suite, self.options.settings, kinds=kinds, measures=measures, shelf=self.shelf, progress=self.progress
        )
        self.flows.append(flow)
        return flow


def state_of(config: pytest.Config) -> State:
    """The session's state, made at the first call."""
    if STATE not in config.stash:
        config.stash[STATE] = State(config)
    return config.stash[STATE]
