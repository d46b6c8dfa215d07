"""Expectations about numbers: how many documents, how long it took, a measure's value; and a function of one's own."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from pytest_relevance.suite.bounds import LEAST_DEPTH, Bounded, depth_of
from pytest_relevance.suite.expectations.base import (
    CountOrBounds,
    ExpectationForm,
    TopOrTen,
    bounds_of,
    bounds_text,
)
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import MeasureName, QrelsName, Text

_DURATION = re.compile(r"\s*([0-9.eE+-]+)\s*(ms|s)\s*")


def _seconds(written: object) -> object:
    match = _DURATION.fullmatch(written) if isinstance(written, str) else None
    if match is None:
        return written
    try:
        return float(match[1]) / (1000 if match[2] == "ms" else 1)
    except ValueError:
        return written


def _import_path(written: str) -> str:
    module, colon, name = written.partition(":")
    if not (colon and all(part.isidentifier() for path in (module, name) for part in path.split("."))):
        raise misfit(
            "{path} {written} is not of the form package.module:callable",
            "write for example 'checks:no_gift_cards' for the function no_gift_cards in checks.py",
        )
    return written


Seconds: TypeAlias = Annotated[
    float,
    BeforeValidator(_seconds),
    Field(gt=0),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[0-9.]+\s*m?s\s*$"}]}),
]
ImportPath: TypeAlias = Annotated[Text, AfterValidator(_import_path)]


class Results(ExpectationForm):
    """So many documents come back."""

    example: ClassVar[str] = "results: 0"

    results: CountOrBounds = Field(description="documents that come back: exactly, or {at_least: 1, at_most: 20}")

    @model_validator(mode="after")
    def _says_something(self) -> Results:
        if bounds_of(self.results) == (0, None):
            raise misfit(
                "{path}: at_least 0 is true of every answer", "write at_least: 1, or add at_most", key="results"
            )
        return self

    @property
    def text(self) -> str:
        """`0 results`, `at least 5 results`"""
        low, high = bounds_of(self.results)
        return f"{bounds_text(low, high)} result{'' if (high or low) == 1 else 's'}"

    @property
    def depth(self) -> int:
        """Documents it asks for: one more than it allows."""
        low, high = bounds_of(self.results)
        return high + 1 if high is not None else low or 1


class LatencyForm(Form):
    """How long an answer may take."""

    example: ClassVar[str] = "at_most: 200ms"

    at_most: Seconds = Field(description="seconds from asking to answer: 0.2, 0.2s or 200ms", examples=["200ms"])


class Latency(ExpectationForm):
    """The answer comes within a time."""

    example: ClassVar[str] = "latency: {at_most: 200ms}"

    latency: LatencyForm = Field(description="how long the answer may take")

    @property
    def text(self) -> str:
        """`latency at most 0.2 s`"""
        return f"latency at most {self.latency.at_most:g} s"

    @property
    def depth(self) -> int:
        return 1


class QueryMeasure(ExpectationForm, Bounded):
    """A measure's value for this query keeps to bounds."""

    example: ClassVar[str] = "measure: nDCG-f@10, at_least: 1.0"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG-f@10"])
    qrels: QrelsName | None = Field(None, description="the judgment set, by name; default: the first")

    @model_validator(mode="after")
    def _in_range(self) -> QueryMeasure:
        self.refuse_outside(self.measure)
        return self

    @property
    def text(self) -> str:
        """`nDCG-f@10 at least 1.0`"""
        return f"{self.measure.name}{f' {self.qrels}' if self.qrels else ''} {self.bounds}"

    @property
    def depth(self) -> int:
        return depth_of(self.measure)

    @property
    def least_depth(self) -> int:
        return self.measure.depth or 0


class Where(ExpectationForm):
    """A function of one's own says whether the first documents are as they should be."""

    example: ClassVar[str] = "where: 'package.module:callable'"

    where: ImportPath = Field(
        description="package.module:callable; called with the ranking, returns true or false, or raises AssertionError"
    )
    top: TopOrTen = LEAST_DEPTH

    @property
    def text(self) -> str:
        """`top 10 where checks%3Ano_gift_cards`"""
        return f"top {self.top} where {self.where}"

    @property
    def depth(self) -> int:
        return self.top
