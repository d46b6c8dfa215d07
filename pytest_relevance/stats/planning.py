"""Planning a suite: the drop that so many queries can show, and the queries that so small a drop needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

from pytest_relevance.errors import UsageError
from pytest_relevance.stats.intervals import CONFIDENCE, check_share
from pytest_relevance.stats.student import t_quantile

POWER = 0.8
Sides: TypeAlias = Literal[1, 2]

_HALVINGS = 48  # bisection to fourteen digits


def power_of(queries: int, *, drop: float, deviation: float, confidence: float = CONFIDENCE, sides: Sides = 2) -> float:
    """The chance that a paired t test over `queries` shows a true mean drop of `drop`.

    `deviation`: standard deviation of the per-query differences. `sides=2`: the two-sided interval lies wholly on the
    side of the drop, as gates want it; `sides=1`: the one-sided bound of the same confidence does. Below two
    queries the chance is 0.0.

    Source: the noncentral t distribution, as in Cohen, "Statistical Power Analysis", 2nd edition, 1988, chapter 2.

    Raises:
        UsageError: `deviation` is negative or `confidence` is not between 0 and 1.
    """
    _check(deviation, confidence)
    if queries < 2 or drop <= 0:
        return 0.0
    if deviation == 0:
        return 1.0
    quantile = t_quantile(1 - _level(confidence, sides), queries - 1.0)
    return _beyond(quantile, drop / deviation * sqrt(queries), queries - 1.0)


def minimum_detectable_drop(
    queries: int,
    *,
    deviation: float,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    sides: Sides = 2,
) -> float | None:
    """The smallest true mean drop that a paired t test shows with the given power; None below two queries.

    The arguments are those of `power_of`. For a gate with an allowed drop, add the allowed drop.

    Raises:
        UsageError: `deviation` is negative, or `confidence` or `power` is not between 0 and 1.
    """
    _check(deviation, confidence)
    check_share("power", power)
    if queries < 2:
        return None
    return detectable(deviation / sqrt(queries), queries - 1.0, level=_level(confidence, sides), power=power)


def queries_needed(
    drop: float,
    *,
    deviation: float,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    sides: Sides = 2,
) -> int:
    """How many queries a paired t test needs to show a true mean drop of `drop` with the given power: two at least.

    This is the topic set size design of Sakai for the t test, solved with the noncentral t itself rather than with an
    approximation. With no second run to take differences from, √2 times the standard deviation of one run's values
    bounds `deviation` from above (as if the two were unrelated).

    Source: Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016, section 3.

    Raises:
        UsageError: `drop` is not above zero, `deviation` negative, `confidence` or `power` not between 0 and 1.
    """
    _check(deviation, confidence)
    check_share("power", power)
    if drop <= 0:
        raise UsageError(f"a drop of {drop!r} cannot be planned for", fix="give the drop as a positive number")

    def enough(queries: int) -> bool:
        return power_of(queries, drop=drop, deviation=deviation, confidence=confidence, sides=sides) >= power

    return _smallest(enough, start=_normal_queries(drop / deviation, confidence, power, sides) if deviation else 2)


def detectable(error: float, freedom: float, *, level: float, power: float) -> float:
    """The smallest drop that a t test shows with this power; `level` is that of its one tail.

    `error`: standard error of the mean difference; `freedom`: its degrees of freedom, above 0.
    """
    return error * _noncentrality(level, freedom, power)


@lru_cache(maxsize=1024)  # the gates of a suite have the same queries, and so the same freedom
def _noncentrality(level: float, freedom: float, power: float) -> float:
    """The same drop in standard errors."""
    quantile = t_quantile(1 - level, freedom)
    low, high = 0.0, 1.0
    while _beyond(quantile, high, freedom) < power:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(quantile, middle, freedom) < power else (low, middle)
    return high


def _beyond(quantile: float, noncentrality: float, freedom: float) -> float:
    """The share of the noncentral t distribution above `quantile`."""
    from scipy.special import nctdtr  # student.py tells why scipy.special

    return 1.0 - float(nctdtr(freedom, noncentrality, quantile))


def _smallest(enough: Callable[[int], bool], *, start: int) -> int:
    """The smallest number from 2 up that is enough, given that every larger one is."""
    low, high = 1, max(2, start)
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _normal_queries(effect: float, confidence: float, power: float, sides: Sides) -> int:
    normal = NormalDist()
    return ceil(((normal.inv_cdf(1 - _level(confidence, sides)) + normal.inv_cdf(power)) / effect) ** 2)


def _level(confidence: float, sides: Sides) -> float:
    return (1 - confidence) / sides


def _check(deviation: float, confidence: float) -> None:
    check_share("confidence", confidence)
    if not deviation >= 0:
        raise UsageError(f"standard deviation {deviation!r} is not zero or more", fix="give that of the differences")
