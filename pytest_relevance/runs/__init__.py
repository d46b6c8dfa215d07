"""Runs: what retrievers answered, collected once, kept on a shelf, written and read."""

from pytest_relevance.runs.collect import Progress, retrieve_run
from pytest_relevance.runs.drift import Drift, drift
from pytest_relevance.runs.recordings import Mode as RecordingMode
from pytest_relevance.runs.recordings import RecordingFolder, file_name
from pytest_relevance.runs.shelf import Shelf, run_key
from pytest_relevance.runs.store import load_run, save_run

__all__ = [
    "Drift",
    "Progress",
    "RecordingFolder",
    "RecordingMode",
    "Shelf",
    "drift",
    "file_name",
    "load_run",
    "retrieve_run",
    "run_key",
    "save_run",
]
