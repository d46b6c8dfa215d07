"""Measures: what a number means. Names, definitions, values per query, and how alike two runs are."""

from pytest_relevance.measures.evaluation import evaluate, evaluate_ranked
from pytest_relevance.measures.families import FAMILIES
from pytest_relevance.measures.fold import Fold, fold_qrels, fold_run
from pytest_relevance.measures.kendall import kendall_tau_b
from pytest_relevance.measures.measure import Family, Measure
from pytest_relevance.measures.overlaps import OverlapMeasure, overlap, parse_overlap
from pytest_relevance.measures.parse import parse_measure
from pytest_relevance.measures.rank_biased import rbo
from pytest_relevance.measures.ranking_measure import RankingFunction, RankingMeasure

__all__ = [
    "FAMILIES",
    "Family",
    "Fold",
    "Measure",
    "OverlapMeasure",
    "RankingFunction",
    "RankingMeasure",
    "evaluate",
    "evaluate_ranked",
    "fold_qrels",
    "fold_run",
    "kendall_tau_b",
    "overlap",
    "parse_measure",
    "parse_overlap",
    "rbo",
]
