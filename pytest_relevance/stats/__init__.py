"""Statistics over queries: totals, intervals, paired tests, corrections, planning and the gate. Seeded, never NaN."""

from pytest_relevance.stats.bootstrap import bootstrap_interval, bootstrap_intervals, weighted_interval
from pytest_relevance.stats.comparison import Comparison, compare, compare_columns
from pytest_relevance.stats.corrections import benjamini_hochberg, bonferroni, holm
from pytest_relevance.stats.gate import Decision, correct_decisions, decide_drop
from pytest_relevance.stats.intervals import Interval
from pytest_relevance.stats.pairs import Counts, Pairs, paired
from pytest_relevance.stats.planning import minimum_detectable_drop, power_of, queries_needed
from pytest_relevance.stats.randomisation import Flipped, randomisation_test
from pytest_relevance.stats.strata import Strata
from pytest_relevance.stats.totals import Total, weighted_total, worst_first
from pytest_relevance.stats.wilcoxon import wilcoxon_p

__all__ = [
    "Comparison",
    "Counts",
    "Decision",
    "Flipped",
    "Interval",
    "Pairs",
    "Strata",
    "Total",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_interval",
    "bootstrap_intervals",
    "compare",
    "compare_columns",
    "correct_decisions",
    "decide_drop",
    "holm",
    "minimum_detectable_drop",
    "paired",
    "power_of",
    "queries_needed",
    "randomisation_test",
    "weighted_interval",
    "weighted_total",
    "wilcoxon_p",
    "worst_first",
]
