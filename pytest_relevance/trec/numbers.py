"""Numbers as files write them: careful one by one, and whole columns at once."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITY = re.compile(rb"[+-]?inf(?:inity)?", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(rb"[+-]?nan", re.IGNORECASE)


def score_problem(token: bytes) -> str | None:
    """What is wrong with a score, or None. Infinite scores can be ordered; NaN cannot."""
    if _INFINITY.fullmatch(token):
        return None
    if _NOT_A_NUMBER.fullmatch(token):
        return "is not a number that can be ordered"
    return _problem(token)


def grade_problem(token: bytes) -> str | None:
    """What is wrong with a grade, or None. Grades are finite."""
    if _INFINITY.fullmatch(token) or _NOT_A_NUMBER.fullmatch(token):
        return "is not a finite number"
    return _problem(token)


def _problem(token: bytes) -> str | None:
    # float() itself would take underscores and the digits of other scripts.
    if not _NUMBER.fullmatch(token):
        return "is not a number"
    if math.isinf(float(token)):
        return "is larger than a double can hold"
    return None
