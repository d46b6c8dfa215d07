"""The word `measure`: a measure's value for one query, with what its order has wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pytest_relevance.measures import Measure
from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.verdict.numbers import plural, shown
from pytest_relevance.verdict.vocabulary.finding import ROWS_SHOWN, Finding, whose

_SHOWN = 5  # inversions, and documents not retrieved, that are told one by one


class Inversion(NamedTuple):
    """A document that stands above one with a better grade."""

    worse: RankedDocument
    better: RankedDocument


def measure(
    ranking: Ranking,
    asked: Measure,
    value: float,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    grades: Mapping[str, float] | None = None,
) -> Finding:
    """Whether the value keeps to bounds. `grades`: all judgments of the query, to tell what was not retrieved."""
    number = shown(value, at_least, at_most)
    head = f"{whose(ranking)}: {asked.name} is {number}"
    depth = asked.cutoff or ROWS_SHOWN
    if at_least is not None and value < at_least:
        sentence = f"{head}, below the {shown(at_least, value)} this suite expects"
        found = inversions(ranking, asked)
        marks = {one.worse.rank: _mark(one) for one in found}
        remarks = (*_told(ranking, asked), *_lost(ranking, grades or {}))
        last = max((one.better.rank for one in found[:_SHOWN]), default=0)
        return Finding(
            False, sentence, marks, max(depth, last), remarks=remarks, shortfall=_gap(at_least - value, at_least)
        )
    if at_most is not None and value > at_most:
        sentence = f"{head}, above the {shown(at_most, value)} this suite allows"
        return Finding(False, sentence, depth=depth, shortfall=_gap(value - at_most, value))
    return Finding(True, f"{head}, as this suite expects")


def inversions(ranking: Ranking, asked: Measure) -> list[Inversion]:
    """For each judged document that a better one stands below: the best of those (the first of equals).

    Only for measures of the nDCG family, which the order of the judged decides; as far down as the measure looks (with
    `judged_only`, as far as its cutoff counts judged documents). Worst first: by how much the grades differ.
    """
    if asked.family != "nDCG":
        return []
    judged = [one for one in ranking if one.grade is not None]
    looked_at = judged[: asked.cutoff] if "judged_only" in asked.params else judged
    found = []
    for place, one in enumerate(looked_at):
        if asked.cutoff is not None and "judged_only" not in asked.params and one.rank > asked.cutoff:
            break
        later = judged[place + 1 :]
        best = max(later, key=lambda other: (other.grade or 0, -other.rank), default=None)
        if best is not None and (best.grade or 0) > max(one.grade or 0, 0):
            found.append(Inversion(one, best))
    return sorted(found, key=lambda pair: ((pair.worse.grade or 0) - (pair.better.grade or 0), pair.worse.rank))


def _mark(pair: Inversion) -> str:
    return f"above {pair.better.doc_id}, which is better ({pair.better.grade:g})"


def _told(ranking: Ranking, asked: Measure) -> tuple[str, ...]:
    found = inversions(ranking, asked)
    if not found:
        return ()
    lines = [f"{plural(len(found), 'inversion')} (a known worse document above a known better one):"]
    for worse, better in found[:_SHOWN]:
        lines.append(
            f"  {worse.doc_id} (grade {worse.grade:g}, rank {worse.rank}) stands above "
            f"{better.doc_id} (grade {better.grade:g}, rank {better.rank})"
        )
    if len(found) > _SHOWN:
        lines.append(f"  and {len(found) - _SHOWN} more")
    return tuple(lines)


def _lost(ranking: Ranking, grades: Mapping[str, float]) -> tuple[str, ...]:
    """Relevant documents that were not retrieved: they lower a value, and no row can show them."""
    lost = sorted(
        ((grade, doc_id) for doc_id, grade in grades.items() if grade > 0 and doc_id not in ranking.ranks),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if not lost:
        return ()
    shown_ones = ", ".join(f"{doc_id} (grade {grade:g})" for grade, doc_id in lost[:_SHOWN])
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    return (f"judged and not retrieved: {shown_ones}{more}",)


def _gap(gap: float, whole: float) -> float:
    return min(1.0, gap / whole) if whole > 0 else 1.0
