"""Baselines: a run and its values stored before, with hashes of all that made it."""

from pytest_relevance.baseline.changes import Change, changes_between, shared_query_ids
from pytest_relevance.baseline.files import (
    FOLDER,
    TEXT_MEGABYTES,
    BaselineFolder,
    Written,
    is_baseline,
    read_baseline,
    written_names,
)
from pytest_relevance.baseline.git import GitReference
from pytest_relevance.baseline.hashes import configuration_hash, qrels_hash, query_hash
from pytest_relevance.baseline.record import Baseline, Origin, StoredQuery

__all__ = [
    "FOLDER",
    "TEXT_MEGABYTES",
    "Baseline",
    "BaselineFolder",
    "Change",
    "GitReference",
    "Origin",
    "StoredQuery",
    "Written",
    "changes_between",
    "configuration_hash",
    "is_baseline",
    "qrels_hash",
    "query_hash",
    "read_baseline",
    "shared_query_ids",
    "written_names",
]
