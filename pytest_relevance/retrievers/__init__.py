"""Retrievers: what ranks documents for queries, each kind behind one protocol and imported on use."""

from pytest_relevance.retrievers.fusion import fuse_runs
from pytest_relevance.retrievers.kinds import BUILTIN, build, depends_on, depths, fingerprint, in_order
from pytest_relevance.retrievers.protocol import (
    WARNINGS,
    Hit,
    HitColumns,
    Opened,
    PlannedRequests,
    Planning,
    Progress,
    Ranked,
    Retriever,
    RetrieverContext,
    RetrieverEntry,
    RetrieverKind,
    WholeRuns,
    WithNotes,
)
from pytest_relevance.retrievers.recorded import RecordedAnswer, Recordings

__all__ = [
    "BUILTIN",
    "WARNINGS",
    "Hit",
    "HitColumns",
    "Opened",
    "PlannedRequests",
    "Planning",
    "Progress",
    "Ranked",
    "RecordedAnswer",
    "Recordings",
    "Retriever",
    "RetrieverContext",
    "RetrieverEntry",
    "RetrieverKind",
    "WholeRuns",
    "WithNotes",
    "build",
    "depends_on",
    "depths",
    "fingerprint",
    "fuse_runs",
    "in_order",
]
