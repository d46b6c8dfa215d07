"""IPrec and 11pt_avg: the best precision from a level of recall on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytest_relevance.measures.lists import View
from pytest_relevance.measures.measure import Family, Settings
from pytest_relevance.records.columns import Floats

_ELEVEN = tuple(tenth / 10 for tenth in range(11))


def interpolated_precision(view: View, settings: Settings) -> Floats:
    """The highest precision at any rank from which on a share of the relevant documents is found; shape (q,).

    The share times their number is rounded to a whole number of documents, halves up, as trec_eval does since version
    10 (9, and so pytrec_eval, nearly always rounds up). 0.0 if so many are not found. Unjudged documents are not
    relevant. Source: trec_eval `iprec_at_recall`.
    """
    found = view.relevant(settings.rel, judged_only=settings.judged_only)
    wanted = (settings.level or 0.0) * view.relevant_counts(settings.rel)
    below = np.floor(wanted)
    needed = below + (wanted - below >= 0.5)
    precision = found.places / found.ranks
    late = np.flatnonzero(found.places >= np.repeat(needed, found.counts))
    counted = found.at(late)
    values, filled = np.zeros(len(view)), np.flatnonzero(counted.counts)
    if len(filled):
        values[filled] = np.maximum.reduceat(precision[late], counted.offsets[filled])
    return values


def eleven_point_average(view: View, settings: Settings) -> Floats:
    """The mean of `interpolated_precision` at recall 0.0, 0.1, … 1.0; shape (q,). Source: trec_eval `11pt_avg`."""
    points = [interpolated_precision(view, replace(settings, level=level)) for level in _ELEVEN]
    average: Floats = np.mean(points, axis=0)
    return average


def _level_of_recall(settings: Settings) -> str | None:
    return None if settings.level is not None and settings.level <= 1 else "needs a level of recall from 0 to 1"


FAMILIES = (
    Family(
        "IPrec",
        interpolated_precision,
        ("rel", "judged_only"),
        page="precision-recall",
        at="level",
        divides="rel",
        check=_level_of_recall,
    ),
    Family("11pt_avg", eleven_point_average, ("rel", "judged_only"), page="precision-recall", at="none", divides="rel"),
)
