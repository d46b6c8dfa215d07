"""Statistics over queries: totals, intervals, paired tests, corrections, planning and the gate. Seeded, never NaN."""

from pytest_relevance.stats.bootstrap import bootstrap_interval, bootstrap_intervals, weighted_interval
from pytest_relevance.stats.intervals import Interval
from pytest_relevance.stats.strata import Strata
from pytest_relevance.stats.totals import Total, weighted_total, worst_first

__all__ = [
    "Interval",
    "Strata",
    "Total",
    "bootstrap_interval",
    "bootstrap_intervals",
    "weighted_interval",
    "weighted_total",
    "worst_first",
]
