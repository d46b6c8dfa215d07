"""Keys under which the plugin keeps what is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_relevance.plugin.session import RelevanceSession
    from pytest_relevance.plugin.state import State

SESSION: pytest.StashKey[RelevanceSession] = pytest.StashKey()
STATE: pytest.StashKey[State] = pytest.StashKey()
CURRENT: pytest.StashKey[pytest.Item] = pytest.StashKey()  # the test that runs now
SHELF_FOLDER: pytest.StashKey[str] = pytest.StashKey()  # where workers share runs; there in their controller only
MARKER = "relevance"  # @pytest.mark.relevance(...)
MARKER_PROPERTY = "relevance"  # the user property that holds a verdict
FINDING_PROPERTY = "relevance-finding"  # the user property that holds a warning of the pre-flight
ASKED_OUTPUT = "relevance_asked"  # what a worker tells its controller of the recordings it used
REFUSED_OUTPUT = "relevance_refused"  # what a worker tells of options that ask for what is not there
SHELF_INPUT = "relevance_shelf"  # what the controller tells its workers
