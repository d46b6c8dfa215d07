"""Suite: what a suite file means, frozen. Names are resolved, checks stand one per retriever, data is not read yet."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from pytest_relevance.errors import Place
from pytest_relevance.measures import Measure, OverlapMeasure
from pytest_relevance.records import Duplicates, Query
from pytest_relevance.suite.asserted import Assertion
from pytest_relevance.suite.bounds import LEAST_DEPTH, WHOLE_LIST
from pytest_relevance.suite.checks import Check
from pytest_relevance.suite.expectations import Expectation
from pytest_relevance.suite.forms import fill
from pytest_relevance.suite.located import Table, plain
from pytest_relevance.suite.preflight import Preflight
from pytest_relevance.suite.slices import Scheme
from pytest_relevance.suite.source import Spot

Options = TypeVar("Options", bound=BaseModel)
Gain: TypeAlias = Literal["linear", "exp"] | Mapping[float, float]


@dataclass(frozen=True)
class Grades:
    """The scale of the judgments and what a grade is worth."""

    max: float | None = None  # the top of the scale; None = the highest grade in the qrels
    relevant: float = 1.0  # the least grade that counts as relevant
    gain: Gain = "linear"  # the grade, 2^grade - 1, or a gain for each grade

    def applied_to(self, measure: Measure) -> Measure:
        """The measure with what its notation leaves open set as here; what differs from usual shows in its name."""
        gains = None if isinstance(self.gain, str) else self.gain
        gain = self.gain if isinstance(self.gain, str) else None
        return measure.with_defaults(rel=self.relevant, gain=gain, gains=gains, max_grade=self.max)


@dataclass(frozen=True)
class InlineQrels:
    """Judgments written beside the queries: query_id → doc_id → grade."""

    grades: Mapping[str, Mapping[str, float]]
    place: Place


@dataclass(frozen=True)
class RetrieverConfig:
    """An entry under `retrievers:`. Its options are known to its type only, which validates them."""

    name: str
    type: str
    options: Table = field(repr=False)  # as written, without `type`; may hold secrets of the environment
    place: Place

    def validate(self, model: builtins.type[Options], /) -> Options:
        """The options as the type's own pydantic model.

        Raises:
            SuiteError: an unknown key or a wrong value, each at its place.
        """
        return fill(model, self.options, self.plain(), where=f"retrievers.{self.name}")

    def plain(self) -> dict[str, Any]:
        """The options as dict, list, str and None."""
        return {key: plain(value) for key, value in self.options.items()}


@dataclass(frozen=True)
class Suite:
    """One suite file. Paths are absolute or begin at the working directory, as the suite's own path does."""

    name: str
    path: Path
    corpus: Path | None
    queries: Path | tuple[Query, ...]
    qrels: Mapping[str, Path | InlineQrels]
    grades: Grades
    slices: Mapping[str, Scheme]
    weights: Mapping[str, Mapping[str, float]]
    retrievers: Mapping[str, RetrieverConfig]
    report: tuple[Measure, ...]
    checks: tuple[Check, ...]
    assertions: tuple[Assertion, ...]
    duplicates: Duplicates
    depth: int | None
    fold: str | None
    preflight: Preflight
    places: Mapping[str, Place] = field(repr=False, compare=False)  # where `corpus`, `qrels.editors` … are written

    @property
    def default_qrels(self) -> str | None:
        """The judgment set that is meant where none is named: the first."""
        return next(iter(self.qrels), None)

    def depth_for(self, retriever: str) -> int:
        """Documents to retrieve per query: `depth` where it is set, else what the deepest cutoff needs, at least 10."""
        if self.depth is not None:
            return self.depth
        return max(LEAST_DEPTH, max((need.wanted for need in self.needs_of(retriever)), default=0))

    def needs_of(self, retriever: str) -> tuple[Need, ...]:
        """What each measure, check and expectation needs of a retriever's rankings."""
        if retriever not in self._needs:
            self._needs[retriever] = tuple(self._needed_of(retriever))
        return self._needs[retriever]

    @cached_property
    def _needs(self) -> dict[str, tuple[Need, ...]]:
        return {}

    def _needed_of(self, retriever: str) -> list[Need]:
        needs = [_need(measure, self.places.get(f"report.{index}")) for index, measure in enumerate(self.report)]
        needs += [
            _need(check.subject, check.place)
            for check in self.checks
            if check.subject is not None and retriever in check.retrievers
        ]
        for assertion in self.assertions:
            needs += [
                Need(one.depth, one.least_depth, one, one.spot)
                for one in assertion.expect
                if retriever in assertion.of or (one.target is not None and one.target.of == retriever)
            ]
        return needs


class Need(NamedTuple):
    """How many documents of each ranking something looks at."""

    wanted: int  # documents retrieved for it where the suite sets no depth
    least: int  # fewer than these make it wrong, and not only less sure
    subject: Measure | OverlapMeasure | Expectation
    where: Place | Spot | None

    @property
    def what(self) -> str:
        """What needs them, as messages call it."""
        return self.subject.name if isinstance(self.subject, Measure | OverlapMeasure) else self.subject.text

    @property
    def place(self) -> Place | None:
        return self.where.place if isinstance(self.where, Spot) else self.where


def _need(subject: Measure | OverlapMeasure, where: Place | None) -> Need:
    depth = subject.depth if isinstance(subject, Measure) else subject.cutoff
    return Need(WHOLE_LIST, 0, subject, where) if depth is None else Need(depth, depth, subject, where)
