"""Checks of bias: whether what was judged is like what a retriever brings and nobody judged, in some feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field, ValidationInfo, model_validator

from pytest_relevance.errors import suggestion
from pytest_relevance.measures import Measure, parse_measure
from pytest_relevance.suite.bounds import Depth
from pytest_relevance.suite.check_parts import LEVEL, NAME, OF, SLICE, CheckBase, Level, title_of
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import QrelsName, RetrieverNames, SliceName, Text, retriever_names

USUAL_DIFFERENCE = 0.25  # standard deviations
USUAL_TOP = 10


@dataclass(frozen=True)
class BiasCheck(CheckBase):
    """The standardised difference of a feature between judged and unjudged pairs is small, or may be chance."""

    bias: str  # the feature
    top: int
    at_most: float
    slice: str | None = None  # scheme=slice
    qrels: str | None = None  # a judgment set, or None for the first

    @property
    def scored(self) -> str | None:
        """The retriever whose scores are the feature, if they are."""
        kind, _, name = self.bias.partition(":")
        return name if kind == "score" else None

    @property
    def retrievers(self) -> tuple[str, ...]:
        """The one it is about, and the one whose scores are the feature."""
        return tuple(dict.fromkeys(name for name in (self.of, self.scored) if name))

    @property
    def subject(self) -> Measure:
        """What it looks at is what Judged@top looks at."""
        return parse_measure(f"Judged@{self.top}")

    @property
    def what(self) -> str:
        """`bias of bm25`."""
        return f"bias of {self.bias}"


class BiasForm(Form):
    """`{bias: bm25, of: live, top: 10, at_most: 0.25, level: warn}`"""

    example: ClassVar[str] = "bias: bm25"

    bias: Text = Field(description="the feature: bm25, doc_length, query_length, field:NAME, score:RETRIEVER, module:f")
    of: RetrieverNames | None = Field(None, description=OF)
    top: Depth = Field(USUAL_TOP, description="down to which rank unjudged documents are looked at")
    at_most: float = Field(USUAL_DIFFERENCE, ge=0, description="standardised difference allowed, in either direction")
    slice: SliceName | None = Field(None, description=SLICE)
    qrels: QrelsName | None = Field(None, description="the judgment set by name; default: the first")
    level: Level = Field("fail", description=LEVEL)
    name: str | None = Field(None, min_length=1, description=NAME)

    @model_validator(mode="after")
    def _known(self, info: ValidationInfo) -> BiasForm:
        kind, _, name = self.bias.partition(":")
        known = retriever_names(info)
        if kind == "score" and known and name not in known:
            hint = suggestion(name, known, label="retrievers of this suite")
            raise misfit(f"unknown retriever {name!r} in {{path}}.bias", hint, key="bias")
        return self

    def checks(self, retrievers: Sequence[str], default_qrels: str | None) -> list[BiasCheck]:
        """One check for each retriever it is about."""
        title = self.name or title_of(f"bias of {self.bias}", self.slice, None, self.qrels, default_qrels)
        return [
            BiasCheck(self.place, title, self.level, of, self.bias, self.top, self.at_most, self.slice, self.qrels)
            for of in self.of or retrievers
        ]
