"""The hooks through which a plugin or a conftest.py adds retrievers and measures. Each returns name → object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_relevance.measures import RankingFunction
    from pytest_relevance.retrievers import RetrieverKind


def pytest_relevance_retrievers() -> Mapping[str, RetrieverKind]:  # type: ignore[empty-body] # a specification only
    """Kinds of retrievers by the name that a suite gives as `type:`."""


def pytest_relevance_measures() -> Mapping[str, RankingFunction]:  # type: ignore[empty-body] # a specification only
    """Measures by name: functions of one ranking (doc_ids, best first) and its grades (doc_id → grade)."""
