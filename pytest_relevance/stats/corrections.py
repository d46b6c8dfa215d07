"""Corrections for many tests at once: Bonferroni, Holm, Benjamini and Hochberg."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.records.columns import Floats

PValues: TypeAlias = Sequence[float | None]  # None: not tested, not counted, and None again in the answer
Correction: TypeAlias = Literal["holm", "bonferroni", "bh"]


def bonferroni(p_values: PValues) -> tuple[float | None, ...]:
    """Each p-value times the number of tests, at most 1: the chance of any false alarm stays at the level.

    Raises:
        UsageError: a p-value is not a number from 0 to 1 (a test that was not made is None).
    """
    return _corrected(p_values, lambda ordered: np.minimum(ordered * len(ordered), 1.0))


def holm(p_values: PValues) -> tuple[float | None, ...]:
    """As `bonferroni`, and never less powerful: the i-th smallest of m times m - i + 1, not falling with i.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6(2), 1979.

    Raises:
        UsageError: a p-value is not a number from 0 to 1 (a test that was not made is None).
    """
    return _corrected(p_values, _holm)


def benjamini_hochberg(p_values: PValues) -> tuple[float | None, ...]:
    """The expected share of false alarms among the alarms stays at the level: the i-th smallest of m times m / i.

    Source: Benjamini, Hochberg, "Controlling the false discovery rate", JRSS B 57(1), 1995.

    Raises:
        UsageError: a p-value is not a number from 0 to 1 (a test that was not made is None).
    """
    return _corrected(p_values, _benjamini_hochberg)


CORRECTIONS: Mapping[Correction, Callable[[PValues], tuple[float | None, ...]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
}


def _corrected(p_values: PValues, rule: Callable[[Floats], Floats]) -> tuple[float | None, ...]:
    tested = [place for place, p_value in enumerate(p_values) if p_value is not None]
    known = np.array([p_values[place] for place in tested], dtype=np.float64)
    wrong = known[~((known >= 0) & (known <= 1))]
    if len(wrong):
        raise UsageError(f"p-value {wrong[0]} is not between 0 and 1", fix="give None for what was not tested")
    order = np.argsort(known, kind="stable")
    result: list[float | None] = [None] * len(p_values)
    for place, value in zip(order.tolist(), rule(known[order]).tolist(), strict=True):
        result[tested[place]] = value
    return tuple(result)


def _holm(ordered: Floats) -> Floats:
    return np.minimum(np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)), 1.0)


def _benjamini_hochberg(ordered: Floats) -> Floats:
    scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
    return np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
