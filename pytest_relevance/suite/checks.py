"""Checks: what a suite states about whole runs. Every kind of them, told apart by the words it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Tag

from pytest_relevance.suite.biases import BiasCheck, BiasForm
from pytest_relevance.suite.check_parts import Level
from pytest_relevance.suite.forms import Form
from pytest_relevance.suite.likeness import OverlapCheck, OverlapForm, ResultsCheck, ResultsForm
from pytest_relevance.suite.regressions import DropCheck, DropForm
from pytest_relevance.suite.thresholds import OrderCheck, OrderForm, Threshold, ThresholdForm

__all__ = [
    "FORMS",
    "BiasCheck",
    "Check",
    "CheckForm",
    "DropCheck",
    "Level",
    "OrderCheck",
    "OverlapCheck",
    "ResultsCheck",
    "Threshold",
    "with_own_titles",
]

Check: TypeAlias = Threshold | OrderCheck | OverlapCheck | DropCheck | ResultsCheck | BiasCheck

FORMS: tuple[tuple[str, type[Form]], ...] = (
    ("overlap", OverlapForm),
    ("results", ResultsForm),
    ("bias", BiasForm),
    ("order", OrderForm),
    ("against", DropForm),
    ("measure", ThresholdForm),
)
_OF_DROPS = ("max_drop", "improves", "each_query", "each_slice")  # one of these and no 'against': it was forgotten


def check_word(written: object) -> str | None:
    """The word that tells which check this is, as the tag of its form."""
    if not isinstance(written, dict):
        return None
    word = next((word for word, _ in FORMS if word in written), None)
    if word == "measure" and any(key in written for key in _OF_DROPS):
        word = "against"
    return word and f"<{word}>"


CheckForm: TypeAlias = Annotated[
    Annotated[ThresholdForm, Tag("<measure>")]
    | Annotated[OrderForm, Tag("<order>")]
    | Annotated[DropForm, Tag("<against>")]
    | Annotated[OverlapForm, Tag("<overlap>")]
    | Annotated[ResultsForm, Tag("<results>")]
    | Annotated[BiasForm, Tag("<bias>")],
    Discriminator(check_word),
]


def with_own_titles(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks, equal titles of one retriever numbered from the second on."""
    taken: set[tuple[str, str]] = set()
    found: list[Any] = []
    for check in checks:
        title, number = check.title, 1
        while (check.of, title) in taken:
            number += 1
            title = f"{check.title} ({number})"
        taken.add((check.of, title))
        found.append(check if title == check.title else replace(check, title=title))
    return tuple(found)
