"""The word `where`: a function of the user's own decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict.vocabulary.finding import Finding, whose


def where(ranking: Ranking, function: Callable[[Ranking], object], *, name: str, top: int = 10) -> Finding:
    """Whether a function of the ranking, cut to the top, is true of it.

    It returns true or false, or raises AssertionError with a message; nothing returned counts as true.

    Raises:
        TypeError: it returned something else. Whatever else the function raises is not caught.
    """
    try:
        told = function(replace(ranking, documents=ranking.top(top)))
    except AssertionError as error:
        message = " ".join(str(error).split()) or "an assertion in it does not hold"
        return Finding(False, f"{whose(ranking)}: {name} says: {message}", depth=top)
    if told is None or told is True or (type(told).__name__ in ("bool", "bool_") and told):
        return Finding(True, f"{whose(ranking)}: {name} is true of the top {top}")
    if told is False or type(told).__name__ in ("bool", "bool_"):
        return Finding(False, f"{whose(ranking)}: {name} is not true of the top {top}", depth=top)
    raise TypeError(f"{name} returned {type(told).__name__}, and not true or false")
