"""Checks that need no judgments: how alike two runs are, and how many queries get few results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator

from pytest_relevance.measures import OverlapMeasure
from pytest_relevance.suite.bounds import Bounded, Count
from pytest_relevance.suite.check_parts import (
    AGAINST,
    LEVEL,
    NAME,
    OF,
    SHARED_QUERIES,
    SLICE,
    Against,
    AgainstWritten,
    CheckBase,
    Level,
    against_of,
    title_of,
)
from pytest_relevance.suite.forms import misfit
from pytest_relevance.suite.names import OverlapName, RetrieverName, RetrieverNames, SliceName, lone, retriever_names
from pytest_relevance.suite.regressions import SharedQueries


@dataclass(frozen=True)
class OverlapCheck(CheckBase):
    """The rankings of a retriever and of something else are alike to a degree; no judgments are needed."""

    needs_judgments: ClassVar[bool] = False

    overlap: OverlapMeasure
    against: Against
    at_least: float | None = None
    at_most: float | None = None
    slice: str | None = None
    shared_queries: SharedQueries = "refuse"

    @property
    def retrievers(self) -> tuple[str, ...]:
        return (self.of, *self.against.retrievers)

    @property
    def subject(self) -> OverlapMeasure:
        """What decides how deep rankings must go."""
        return self.overlap


@dataclass(frozen=True)
class ResultsCheck(CheckBase):
    """The share of queries that get so few results keeps to bounds; no judgments are needed."""

    needs_judgments: ClassVar[bool] = False

    results: tuple[int, int]  # at least, at most
    at_least: float | None = None
    at_most: float | None = None
    slice: str | None = None

    @property
    def what(self) -> str:
        """`0 results`, `0 to 2 results`."""
        return results_text(self.results)

    @property
    def subject(self) -> None:
        """It needs one document more than it counts, which is never more than everybody retrieves."""


class OverlapForm(Bounded):
    """`{overlap: RBO(p=0.9), of: live, against: baseline, at_least: 0.80}`"""

    example: ClassVar[str] = "overlap: RBO(p=0.9), with: RETRIEVER"

    overlap: OverlapName = Field(description="how likeness is measured", examples=["RBO(p=0.9)"])
    with_: RetrieverName | None = Field(None, validation_alias="with", description="the other retriever")
    against: AgainstWritten | None = Field(None, description=f"{AGAINST}, instead of 'with'")
    of: RetrieverNames | None = Field(None, description="the retriever, or a list; default: every other one")
    slice: SliceName | None = Field(None, description=SLICE)
    shared_queries: SharedQueries = Field("refuse", description=SHARED_QUERIES)
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _sensible(self, info: ValidationInfo) -> OverlapForm:
        if (self.with_ is None) == (self.against is None):
            problem = "{path} has no with" if self.with_ is None else "{path} has a with and an against"
            raise misfit(problem, "say once what it is compared with, for example 'with: RETRIEVER'")
        others = self.of or retriever_names(info)
        other = self.other
        if other.kind == "retriever" and (other.name in (self.of or ()) or others == (other.name,)):
            key = "with" if self.against is None else "against"
            raise misfit("{path} compares a retriever with itself", f"name another one in {key!r}", key=key)
        self.refuse_outside(self.overlap)
        return self

    @property
    def other(self) -> Against:
        """What is compared with."""
        return Against("retriever", self.with_) if self.with_ is not None else against_of(self.against or "")

    def checks(self, retrievers: Sequence[str], _default_qrels: str | None) -> list[OverlapCheck]:
        """One check for each retriever it is about."""
        other, place = self.other, self.place
        title = self.name or title_of(f"{self.overlap.name} with {other}", self.slice)
        return [
            OverlapCheck(
                place,
                title,
                self.level,
                of,
                self.overlap,
                other,
                self.at_least,
                self.at_most,
                self.slice,
                self.shared_queries,
            )
            for of in self.of or [name for name in retrievers if name not in other.retrievers]
        ]


_RESULTS_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "array", "items": {"type": "integer"}}]}
_Results: TypeAlias = Annotated[
    tuple[Count, ...], Field(min_length=1, max_length=2), BeforeValidator(lone), WithJsonSchema(_RESULTS_SCHEMA)
]


class ResultsForm(Bounded):
    """`{results: 0, of: live, at_most: 2%}`"""

    example: ClassVar[str] = "results: 0, at_most: 2%"

    results: _Results = Field(description="so many results, or from and to: 0, or [0, 2]", examples=["0"])
    of: RetrieverNames | None = Field(None, description=OF)
    slice: SliceName | None = Field(None, description=SLICE)
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _sensible(self) -> ResultsForm:
        if self.results[-1] < self.results[0]:
            raise misfit("{path}: the least number of results is above the most", "write [least, most]", key="results")
        for key, bound in (("at_least", self.at_least), ("at_most", self.at_most)):
            if bound is not None and not 0 <= bound <= 1:
                raise misfit(f"{{path}}: {key} is {bound:g}, and a share goes from 0 to 1", "write 2%", key=key)
        return self

    def checks(self, retrievers: Sequence[str], _default_qrels: str | None) -> list[ResultsCheck]:
        """One check for each retriever it is about."""
        counts = (self.results[0], self.results[-1])
        title = self.name or title_of(results_text(counts), self.slice)
        return [
            ResultsCheck(self.place, title, self.level, of, counts, self.at_least, self.at_most, self.slice)
            for of in self.of or retrievers
        ]


def results_text(counts: tuple[int, int]) -> str:
    """`0 results`, `1 result`, `0 to 2 results`."""
    low, high = counts
    if low != high:
        return f"{low} to {high} results"
    return f"{low} result{'' if low == 1 else 's'}"
