"""Repeats: ids that stand twice in a file of queries or documents, kept for those who want to tell of them all."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance.errors import Place


@dataclass(frozen=True, slots=True)
class Repeat:
    """An id that stood in an earlier record of the same file."""

    record_id: str
    same: bool  # whether the two records are alike
    place: Place  # of the later one
    first: Place


Repeats = list[Repeat]
