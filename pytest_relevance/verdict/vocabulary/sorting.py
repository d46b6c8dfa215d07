"""The word `sorted`: the first documents are in the order of a field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.suite import values_at
from pytest_relevance.suite.expected import number_of
from pytest_relevance.suite.moments import moment_of
from pytest_relevance.verdict.vocabulary.finding import Finding, nothing_came, ranks_text, whose


def sorted_by(
    ranking: Ranking, field: str, *, order: Literal["ascending", "descending"] = "ascending", top: int = 10
) -> Finding:
    """Whether the first documents are sorted by a field; equal values may stand in any order.

    Values are numbers where all of them are, else ISO dates where all are, else texts by code point. A document that
    lacks the field, or has several values in it, has no place in the order.
    """
    documents = ranking.top(top)
    if not documents:
        return nothing_came(ranking, f"nothing is sorted by {field}")
    values = [_value(document, field) for document in documents]
    marks = {one.rank: f"no {field}" for one, value in zip(documents, values, strict=True) if value is None}
    keys = _keys([value for value in values if value is not None])
    if keys is None:
        sentence = f"{whose(ranking)}: {field} holds values of several kinds, which have no order"
        return Finding(False, sentence, marks, top, (field,))
    marks |= _misplaced([one for one in documents if one.rank not in marks], keys, field, order)
    if not marks:
        return Finding(True, f"{whose(ranking)}: the top {len(documents)} is sorted by {field} {order}")
    sentence = (
        f"{whose(ranking)}: the top {len(documents)} is not sorted by {field} {order} ({ranks_text(sorted(marks))})"
    )
    return Finding(False, sentence, marks, top, (field,), shortfall=len(marks) / len(documents))


def _misplaced(documents: Sequence[RankedDocument], keys: Sequence[Any], field: str, order: str) -> dict[int, str]:
    """Each document that should stand above the one before it."""
    marks = {}
    for place in range(1, len(keys)):
        before, here = keys[place - 1], keys[place]
        if (here < before) if order == "ascending" else (here > before):
            values = [_value(one, field) for one in documents[place - 1 : place + 1]]
            marks[documents[place].rank] = f"{values[1]} after {values[0]}"
    return marks


def _value(document: RankedDocument, field: str) -> Any:
    found = values_at(document.fields, field)
    members = [one for value in found for one in (value if isinstance(value, list | tuple) else (value,))]
    return members[0] if len(members) == 1 and members[0] != "" else None


def _keys(values: Sequence[Any]) -> list[Any] | None:
    """What is compared, or None where nothing can be."""
    numbers = [number_of(value) for value in values]
    if None not in numbers:
        return list(numbers)
    moments = [moment_of(value) for value in values]
    times = [moment.time for moment in moments if moment is not None]
    if len(times) == len(values):
        return times
    return list(values) if all(isinstance(value, str) for value in values) else None
