"""Words about numbers: results, latency."""

from __future__ import annotations

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict.numbers import plural
from pytest_relevance.verdict.vocabulary.finding import Finding, whose


def results(ranking: Ranking, *, at_least: int | None = None, at_most: int | None = None) -> Finding:
    """Whether so many documents came back, as far down as was retrieved."""
    count = len(ranking)
    asked = ranking.asked is not None and count >= ranking.asked
    sentence = f"{whose(ranking)}: {plural(count, 'document')} came back{', all that were asked for' if asked else ''}"
    if at_least is not None and at_least == at_most and count != at_least:
        return _miscounted(f"{sentence}, but this suite expects {at_least}", count, at_least)
    if at_least is not None and count < at_least:
        return _miscounted(f"{sentence}, fewer than the {at_least} this suite expects", count, at_least)
    if at_most is not None and count > at_most:
        return _miscounted(f"{sentence}, more than the {at_most} this suite allows", count, at_most)
    return Finding(True, f"{sentence}, as expected")


def latency(ranking: Ranking, *, at_most: float) -> Finding:
    """Whether the answer came within so many seconds.

    Raises:
        ValueError: nobody knows how long it took; `ranking.seconds` is None.
    """
    if ranking.seconds is None:
        raise ValueError(f"nobody knows how long {ranking.retriever} took to answer {ranking.query.text!r}")
    took, allowed = duration(ranking.seconds), duration(at_most)
    if ranking.seconds <= at_most:
        return Finding(True, f"{whose(ranking)}: answered in {took}, within {allowed}")
    sentence = f"{whose(ranking)}: answered in {took}, later than the {allowed} this suite allows"
    return Finding(False, sentence, shortfall=1 - at_most / ranking.seconds)


def duration(seconds: float) -> str:
    """`84 ms`, `1.25 s`"""
    return f"{seconds * 1000:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def _miscounted(sentence: str, count: int, bound: int) -> Finding:
    return Finding(False, sentence, shortfall=abs(count - bound) / max(count, bound))
