"""Checks: what a suite states about whole runs. Forms as written, and the records they become, one per retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, ValidationInfo, model_validator

from pytest_relevance.errors import Place
from pytest_relevance.measures import Measure, OverlapMeasure
from pytest_relevance.suite.bounds import Bounded
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import (
    MeasureName,
    OverlapName,
    QrelsOrEach,
    RetrieverName,
    RetrieverNames,
    SliceName,
    WeightsName,
    retriever_names,
)

Level = Literal["fail", "warn"]

_OF = "the retriever, or a list of them; default: every one"
_SLICE = "only the queries of this slice, such as type=question"
_TOTAL = "the mean over slices by their weights, such as 'weighted by type'"
_QRELS = "the judgment set by name, or 'each'; default: the first"
_LEVEL = "'fail', or 'warn' to report only"
_NAME = "a title of your own"


@dataclass(frozen=True)
class _Check:
    place: Place
    title: str  # unique among the checks of the same retriever
    level: Level
    of: str


@dataclass(frozen=True)
class Threshold(_Check):
    """The mean of a measure keeps to bounds."""

    measure: Measure
    at_least: float | None = None
    at_most: float | None = None
    slice: str | None = None  # scheme=slice
    total: str | None = None  # the scheme whose weights make the total
    qrels: str | None = None  # a judgment set, 'each' of them, or None for the first


@dataclass(frozen=True)
class OrderCheck(_Check):
    """A measure puts retrievers in this order, best first."""

    measure: Measure
    order: tuple[str, ...]
    slice: str | None = None
    total: str | None = None
    qrels: str | None = None


@dataclass(frozen=True)
class OverlapCheck(_Check):
    """The rankings of two retrievers are alike to a degree; no judgments are needed."""

    overlap: OverlapMeasure
    with_: str
    at_least: float | None = None
    at_most: float | None = None
    slice: str | None = None


Check: TypeAlias = Threshold | OrderCheck | OverlapCheck


class ThresholdForm(Bounded):
    """`{measure: nDCG@10, of: hybrid, at_least: 0.42}`"""

    example: ClassVar[str] = "measure: nDCG@10"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG@10"])
    of: RetrieverNames | None = Field(None, description=_OF)
    slice: SliceName | None = Field(None, description=_SLICE)
    total: WeightsName | None = Field(None, description=_TOTAL)
    qrels: QrelsOrEach | None = Field(None, description=_QRELS)
    level: Level = Field("fail", description=_LEVEL)
    name: str | None = Field(None, min_length=1, description=_NAME)

    @model_validator(mode="after")
    def _sensible(self) -> ThresholdForm:
        _refuse_two_scopes(self.slice, self.total)
        self.refuse_outside(self.measure)
        return self

    def checks(self, retrievers: Sequence[str], default_qrels: str | None) -> list[Check]:
        """One check for each retriever it is about."""
        title = self.name or _title(self.measure.name, self.slice, self.total, self.qrels, default_qrels)
        place = self.place
        return [
            Threshold(
                place,
                title,
                self.level,
                of,
                self.measure,
                self.at_least,
                self.at_most,
                self.slice,
                self.total,
                self.qrels,
            )
            for of in self.of or retrievers
        ]


class OrderForm(Form):
    """`{measure: nDCG-f@10, order: [hybrid, dense, bm25], qrels: each}`"""

    example: ClassVar[str] = "measure: nDCG@10, order: [BEST, NEXT]"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG@10"])
    order: tuple[RetrieverName, ...] = Field(min_length=2, description="retrievers, best first")
    slice: SliceName | None = Field(None, description=_SLICE)
    total: WeightsName | None = Field(None, description=_TOTAL)
    qrels: QrelsOrEach | None = Field(None, description=_QRELS)
    level: Level = Field("fail", description=_LEVEL)
    name: str | None = Field(None, min_length=1, description=_NAME)

    @model_validator(mode="after")
    def _sensible(self) -> OrderForm:
        _refuse_two_scopes(self.slice, self.total)
        twice = next((name for name in self.order if self.order.count(name) > 1), None)
        if twice is not None:
            raise misfit(f"{{path}}: {twice!r} stands twice in the order", "name each retriever once", key="order")
        return self

    def checks(self, _retrievers: Sequence[str], default_qrels: str | None) -> list[Check]:
        """One check, of the best retriever."""
        title = self.name or _title(f"{self.measure.name} order", self.slice, self.total, self.qrels, default_qrels)
        best = self.order[0]
        return [
            OrderCheck(
                self.place, title, self.level, best, self.measure, self.order, self.slice, self.total, self.qrels
            )
        ]


class OverlapForm(Bounded):
    """`{overlap: RBO(p=0.9), of: live, with: released, at_least: 0.80}`"""

    example: ClassVar[str] = "overlap: RBO(p=0.9), with: RETRIEVER"

    overlap: OverlapName = Field(description="how likeness is measured", examples=["RBO(p=0.9)"])
    with_: RetrieverName = Field(validation_alias="with", description="the other retriever", examples=["released"])
    of: RetrieverNames | None = Field(None, description="the retriever, or a list; default: every other one")
    slice: SliceName | None = Field(None, description=_SLICE)
    level: Level = Field("fail", description=_LEVEL)
    name: str | None = Field(None, min_length=1, description=_NAME)

    @model_validator(mode="after")
    def _sensible(self, info: ValidationInfo) -> OverlapForm:
        others = self.of or retriever_names(info)
        if self.with_ in (self.of or ()) or others == (self.with_,):
            raise misfit("{path} compares a retriever with itself", "name another one in 'with'", key="with")
        self.refuse_outside(self.overlap)
        return self

    def checks(self, retrievers: Sequence[str], _default_qrels: str | None) -> list[Check]:
        """One check for each retriever it is about."""
        title = self.name or _title(f"{self.overlap.name} with {self.with_}", self.slice)
        place = self.place
        return [
            OverlapCheck(
                place, title, self.level, of, self.overlap, self.with_, self.at_least, self.at_most, self.slice
            )
            for of in self.of or [name for name in retrievers if name != self.with_]
        ]


FORMS: tuple[tuple[str, type[Form]], ...] = (
    ("overlap", OverlapForm),
    ("order", OrderForm),
    ("measure", ThresholdForm),
)


def check_word(written: object) -> str | None:
    """The word that tells which check this is, as the tag of its form."""
    return next((f"<{word}>" for word, _ in FORMS if word in written), None) if isinstance(written, dict) else None


CheckForm: TypeAlias = Annotated[
    Annotated[ThresholdForm, Tag("<measure>")]
    | Annotated[OrderForm, Tag("<order>")]
    | Annotated[OverlapForm, Tag("<overlap>")],
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


def _title(
    what: str,
    slice_: str | None = None,
    total: str | None = None,
    qrels: str | None = None,
    default_qrels: str | None = None,
) -> str:
    parts = [
        what,
        slice_,
        total and f"weighted by {total}",
        "under each qrels" if qrels == "each" else qrels if qrels != default_qrels else None,
    ]
    return " ".join(part for part in parts if part)


def _refuse_two_scopes(slice_: str | None, total: str | None) -> None:
    if slice_ is not None and total is not None:
        raise misfit("{path} has a slice and a total", "write one check for each", key="total")
