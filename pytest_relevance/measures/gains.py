"""What a grade is worth: the grade itself, 2^grade - 1, or what a table says."""

from __future__ import annotations

import numpy as np

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures.measure import Gains, Settings, printed_value
from pytest_relevance.records.columns import Floats


def gains_of(grades: Floats, settings: Settings) -> Floats:
    """The gain of each grade, never below 0; shape of `grades`. Grades below 0 are judged, and gain nothing.

    Raises:
        MeasureError: a grade above 0 is not in the table of gains.
    """
    if settings.gains is not None:
        return _looked_up(grades, settings.gains)
    positive = np.maximum(grades, 0.0)
    return np.exp2(positive) - 1.0 if settings.gain == "exp" else positive


def best_gain(settings: Settings) -> float:
    """The highest gain on the scale that ends at `max_grade`."""
    top = settings.max_grade or 0.0
    if settings.gains is None:
        return float(gains_of(np.array([top]), settings)[0])
    return max((gain for grade, gain in settings.gains if grade <= top), default=0.0)


def refuse_above_scale(grades: Floats, settings: Settings) -> None:
    """Raise MeasureError where a grade is above `max_grade`: the value could pass 1."""
    if settings.max_grade is not None and grades.max(initial=0.0) > settings.max_grade:
        found, top = printed_value(float(grades.max())), printed_value(settings.max_grade)
        raise MeasureError(
            f"grade {found} is above max_grade={top}", fix=f"set max_grade to {found}, or correct the grade"
        )


def _looked_up(grades: Floats, gains: Gains) -> Floats:
    listed, worth = np.array(gains, dtype=np.float64).reshape(-1, 2).T
    spot = np.minimum(np.searchsorted(listed, grades), max(len(listed) - 1, 0))
    known = listed[spot] == grades
    missing = grades[~known & (grades > 0)]
    if len(missing):
        table, grade = printed_value(gains), printed_value(float(missing[0]))
        raise MeasureError(f"grade {grade} has no gain in {table}", fix=f"add it, for example '{grade}:{grade}'")
    return np.where(known, worth[spot], 0.0)
