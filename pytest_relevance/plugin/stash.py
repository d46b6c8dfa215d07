"""Keys under which the plugin keeps what is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_relevance.plugin.session import RelevanceSession

SESSION: pytest.StashKey[RelevanceSession] = pytest.StashKey()
MARKER_PROPERTY = "relevance"  # the user property that holds a verdict
SHELF_INPUT = "relevance_shelf"  # what the controller tells its workers
