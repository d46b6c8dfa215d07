"""Runs: what retrievers answered, collected once, kept on a shelf, written and read."""

from pytest_relevance.runs.collect import retrieve_run

__all__ = ["retrieve_run"]
