"""The vocabulary of assertions: each word a pure function from a ranking to a finding, for YAML and Python alike."""

from pytest_relevance.verdict.vocabulary.counts import latency, results
from pytest_relevance.verdict.vocabulary.documents import contains, excludes, first
from pytest_relevance.verdict.vocabulary.fields import all_of, any_of, distinct, none_of
from pytest_relevance.verdict.vocabulary.finding import ROWS_SHOWN, Finding
from pytest_relevance.verdict.vocabulary.functions import where
from pytest_relevance.verdict.vocabulary.measured import Inversion, inversions, measure
from pytest_relevance.verdict.vocabulary.positions import above, at_rank, below, in_order, in_tiers
from pytest_relevance.verdict.vocabulary.relations import (
    fewer_results_than,
    more_results_than,
    overlaps,
    same_as,
    subset_of,
)
from pytest_relevance.verdict.vocabulary.sorting import sorted_by

__all__ = [
    "ROWS_SHOWN",
    "Finding",
    "Inversion",
    "above",
    "all_of",
    "any_of",
    "at_rank",
    "below",
    "contains",
    "distinct",
    "excludes",
    "fewer_results_than",
    "first",
    "in_order",
    "in_tiers",
    "inversions",
    "latency",
    "measure",
    "more_results_than",
    "none_of",
    "overlaps",
    "results",
    "same_as",
    "sorted_by",
    "subset_of",
    "where",
]
