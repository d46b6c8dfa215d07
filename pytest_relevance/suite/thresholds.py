"""Checks of one measure by itself: bounds on its mean, and the order it puts retrievers in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field, model_validator

from pytest_relevance.measures import Measure
from pytest_relevance.suite.bounds import Bounded
from pytest_relevance.suite.check_parts import (
    LEVEL,
    NAME,
    OF,
    QRELS,
    SLICE,
    TOTAL,
    AllowedDrop,
    CheckBase,
    Drop,
    Level,
    refuse_two_scopes,
    title_of,
)
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import (
    MeasureName,
    QrelsOrEach,
    RetrieverName,
    RetrieverNames,
    Share,
    SliceName,
    WeightsName,
)


@dataclass(frozen=True)
class Threshold(CheckBase):
    """The mean of a measure keeps to bounds."""

    measure: Measure
    at_least: float | None = None
    at_most: float | None = None
    slice: str | None = None  # scheme=slice
    total: str | None = None  # the scheme whose weights make the total
    qrels: str | None = None  # a judgment set, 'each' of them, or None for the first

    @property
    def subject(self) -> Measure:
        """What decides how deep rankings must go."""
        return self.measure


@dataclass(frozen=True)
class OrderCheck(CheckBase):
    """A measure puts retrievers in this order, best first."""

    measure: Measure
    order: tuple[str, ...]
    slice: str | None = None
    total: str | None = None
    qrels: str | None = None
    margin: Drop | None = None  # each is better than the next by more than this; a share is one of the better value
    confidence: float | None = None  # then the paired interval must show it; None: the means decide
    tau_b: float | None = None  # then not every pair must stand, but the orders agree by so much

    @property
    def retrievers(self) -> tuple[str, ...]:
        return self.order

    @property
    def subject(self) -> Measure:
        """What decides how deep rankings must go."""
        return self.measure


class ThresholdForm(Bounded):
    """`{measure: nDCG@10, of: hybrid, at_least: 0.42}`"""

    example: ClassVar[str] = "measure: nDCG@10"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG@10"])
    of: RetrieverNames | None = Field(None, description=OF)
    slice: SliceName | None = Field(None, description=SLICE)
    total: WeightsName | None = Field(None, description=TOTAL)
    qrels: QrelsOrEach | None = Field(None, description=QRELS)
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _sensible(self) -> ThresholdForm:
        refuse_two_scopes(self.slice, self.total)
        self.refuse_outside(self.measure)
        return self

    def checks(self, retrievers: Sequence[str], default_qrels: str | None) -> list[Threshold]:
        """One check for each retriever it is about."""
        title = self.name or title_of(self.measure.name, self.slice, self.total, self.qrels, default_qrels)
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
    """`{measure: nDCG-f@10, order: [hybrid, dense, bm25], margin: 0.01, qrels: each}`"""

    example: ClassVar[str] = "measure: nDCG@10, order: [BEST, NEXT]"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG@10"])
    order: tuple[RetrieverName, ...] = Field(min_length=2, description="retrievers, best first")
    margin: AllowedDrop | None = Field(None, description="each is better than the next by more: 0.01 or 2%")
    confidence: Share | None = Field(None, gt=0, lt=1, description="then the paired interval must show the order")
    tau_b: Share | None = Field(
        None, gt=-1, le=1, description="instead of every pair: at least this Kendall tau-b of the means with this order"
    )
    slice: SliceName | None = Field(None, description=SLICE)
    total: WeightsName | None = Field(None, description=TOTAL)
    qrels: QrelsOrEach | None = Field(None, description=QRELS)
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _sensible(self) -> OrderForm:
        refuse_two_scopes(self.slice, self.total)
        twice = next((name for name in self.order if self.order.count(name) > 1), None)
        if twice is not None:
            raise misfit(f"{{path}}: {twice!r} stands twice in the order", "name each retriever once", key="order")
        if self.tau_b is not None and (self.margin is not None or self.confidence is not None):
            fix = "margin and confidence are of every pair; tau_b is of the order as a whole: write two checks"
            raise misfit("{path} has tau_b with margin or confidence", fix, key="tau_b")
        return self

    def checks(self, _retrievers: Sequence[str], default_qrels: str | None) -> list[OrderCheck]:
        """One check, of the best retriever."""
        title = self.name or title_of(f"{self.measure.name} order", self.slice, self.total, self.qrels, default_qrels)
        return [
            OrderCheck(
                self.place,
                title,
                self.level,
                self.order[0],
                self.measure,
                self.order,
                self.slice,
                self.total,
                self.qrels,
                self.margin,
                self.confidence,
                self.tau_b,
            )
        ]
