"""Regression checks: a measure may not fall against what was stored, another retriever, or a run file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, ValidationInfo, model_validator

from pytest_relevance.measures import Measure
from pytest_relevance.suite.check_parts import (
    AGAINST,
    CONFIDENCE,
    LEVEL,
    NAME,
    OF,
    ON_INCONCLUSIVE,
    QRELS,
    SHARED_QUERIES,
    SLICE,
    TOTAL,
    Against,
    AgainstWritten,
    AllowedDrop,
    CheckBase,
    Drop,
    Level,
    OnInconclusive,
    against_of,
    refuse_two_scopes,
    title_of,
)
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import (
    MeasureName,
    QrelsOrEach,
    RetrieverNames,
    Share,
    SliceName,
    SliceScheme,
    WeightsName,
    kind_tag,
    retriever_names,
    slice_schemes,
)

SharedQueries = Literal["refuse", "allow"]


@dataclass(frozen=True)
class EachQuery:
    """Single queries may not fall by more than so much; `mostly` of them, if not all."""

    max_drop: Drop
    mostly: float = 1.0


@dataclass(frozen=True)
class EachSlice:
    """No slice may fall by more than so much."""

    max_drop: Drop
    scheme: str | None = None  # None: the slices of every scheme


@dataclass(frozen=True)
class DropCheck(CheckBase):
    """The mean of a measure may not fall by more than `max_drop`, or has to rise (`improves`)."""

    measure: Measure
    against: Against
    max_drop: Drop | None = None
    improves: bool = False
    confidence: float = 0.95
    on_inconclusive: OnInconclusive = "notice"
    each_query: EachQuery | None = None
    each_slice: EachSlice | None = None
    shared_queries: SharedQueries = "refuse"
    slice: str | None = None
    total: str | None = None
    qrels: str | None = None

    @property
    def retrievers(self) -> tuple[str, ...]:
        return (self.of, *self.against.retrievers)

    @property
    def subject(self) -> Measure:
        """What decides how deep rankings must go."""
        return self.measure


class EachQueryForm(Form):
    """`{max_drop: 0.5, mostly: 0.98}`"""

    example: ClassVar[str] = "max_drop: 0.5"

    max_drop: AllowedDrop = Field(description="what a single query may lose: 0.5, or 20% of what it had")
    mostly: Share = Field(1.0, gt=0, le=1, description="the share of queries of which it must be true; default: all")


class EachSliceForm(Form):
    """`{max_drop: 0.05, scheme: type}`"""

    example: ClassVar[str] = "max_drop: 0.05"

    max_drop: AllowedDrop | None = Field(None, description="what a slice may lose; default: the check's max_drop")
    scheme: SliceScheme | None = Field(None, description="the slices of this scheme only")


def _true_or_table(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<list>" else tag


_EachSlice: TypeAlias = Annotated[
    Annotated[bool, Tag("<text>")] | Annotated[EachSliceForm, Tag("<table>")], Discriminator(_true_or_table)
]


class DropForm(Form):
    """`{measure: nDCG@10, of: live, against: baseline, max_drop: 0.01, confidence: 0.95}`"""

    example: ClassVar[str] = "measure: nDCG@10, against: baseline, max_drop: 0.01"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG@10"])
    against: AgainstWritten = Field(description=AGAINST, examples=["baseline"])
    of: RetrieverNames | None = Field(None, description=OF)
    max_drop: AllowedDrop | None = Field(
        None, description="how much lower it may be: 0.01 points, or 2% of what it was"
    )
    improves: bool = Field(False, description="it must be better, and the paired interval must show it")
    confidence: Share = Field(0.95, gt=0, lt=1, description=CONFIDENCE)
    on_inconclusive: OnInconclusive | None = Field(None, description=ON_INCONCLUSIVE)
    each_query: EachQueryForm | None = Field(None, description="what single queries may lose")
    each_slice: _EachSlice | None = Field(None, description="true, or what each slice may lose")
    shared_queries: SharedQueries = Field("refuse", description=SHARED_QUERIES)
    slice: SliceName | None = Field(None, description=SLICE)
    total: WeightsName | None = Field(None, description=TOTAL)
    qrels: QrelsOrEach | None = Field(None, description=QRELS)
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _sensible(self, info: ValidationInfo) -> DropForm:
        refuse_two_scopes(self.slice, self.total)
        if self.max_drop is None and not (self.improves or self.each_query or self.each_slice):
            raise misfit("{path} allows any drop", "add for example 'max_drop: 0.01', or 'improves: true'")
        if self.max_drop is not None and self.improves:
            raise misfit("{path} allows a drop and asks for a rise", "keep one of them", key="improves")
        if self.each_slice:
            self._refuse_idle_slices(info)
        other = against_of(self.against)
        if other.kind == "retriever" and (self.of or retriever_names(info)) == (other.name,):
            raise misfit("{path} compares a retriever with itself", "name another one in 'against'", key="against")
        if other.kind == "retriever" and other.name in (self.of or ()):
            raise misfit("{path} compares a retriever with itself", "name another one in 'against'", key="against")
        return self

    def _refuse_idle_slices(self, info: ValidationInfo) -> None:
        if slice_schemes(info) == ():
            raise misfit("{path} asks for each slice, and this suite has none", "add slices", key="each_slice")
        if self.max_drop is None and not (isinstance(self.each_slice, EachSliceForm) and self.each_slice.max_drop):
            raise misfit("{path}: each_slice has no max_drop", "write 'each_slice: {max_drop: 0.05}'", key="each_slice")

    def checks(self, retrievers: Sequence[str], default_qrels: str | None) -> list[DropCheck]:
        """One check for each retriever it is about."""
        other, place = against_of(self.against), self.place
        what = f"{self.measure.name} {'better than' if self.improves else 'vs'} {other}"
        title = self.name or title_of(what, self.slice, self.total, self.qrels, default_qrels)
        # A claim to be better that nothing shows must not pass; a drop that noise explains is no regression.
        unsure: OnInconclusive = self.on_inconclusive or ("fail" if self.improves else "notice")
        single = self.each_query
        each_query = None if single is None else EachQuery(single.max_drop, single.mostly)
        return [
            DropCheck(
                place,
                title,
                self.level,
                of,
                self.measure,
                other,
                self.max_drop,
                self.improves,
                self.confidence,
                unsure,
                each_query,
                self._slices(),
                self.shared_queries,
                self.slice,
                self.total,
                self.qrels,
            )
            for of in self.of or [name for name in retrievers if name not in other.retrievers]
        ]

    def _slices(self) -> EachSlice | None:
        if not self.each_slice:
            return None
        form = self.each_slice if isinstance(self.each_slice, EachSliceForm) else EachSliceForm()
        allowed = form.max_drop or self.max_drop
        assert allowed is not None  # refused before
        return EachSlice(allowed, form.scheme)
