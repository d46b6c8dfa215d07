"""Measures: what a number means. Names, definitions, values per query, and how alike two runs are."""

from pytest_relevance.measures.evaluation import evaluate, evaluate_ranked
from pytest_relevance.measures.families import FAMILIES
from pytest_relevance.measures.measure import Family, Measure
from pytest_relevance.measures.parse import parse_measure
from pytest_relevance.measures.ranking_measure import RankingFunction, RankingMeasure

__all__ = [
    "FAMILIES",
    "Family",
    "Measure",
    "RankingFunction",
    "RankingMeasure",
    "evaluate",
    "evaluate_ranked",
    "parse_measure",
]
