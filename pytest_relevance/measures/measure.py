"""Measure: one definition with its settings and its name. Family: the definition, whatever its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures.lists import View
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ranked import RankedGrades

Gain = Literal["linear", "exp"]
Ideal = Literal["query", "max", "retrieved"]
Gains: TypeAlias = tuple[tuple[float, float], ...]  # (grade, gain), grades ascending


@dataclass(frozen=True)
class Settings:
    """All that a notation can set, with the universal defaults. A family says which of them it reads."""

    cutoff: int | None = None  # documents looked at; None = all
    rel: float = 1.0  # relevant means grade >= rel
    gain: Gain = "linear"  # the grade, or 2^grade - 1
    gains: Gains | None = None  # a gain for each grade, instead of `gain`
    ideal: Ideal = "query"  # the ideal list: all labels of the query, the best grade k times, or retrieved labels only
    max_grade: float | None = None  # the top of the scale; None = the highest grade in the qrels
    judged_only: bool = False  # squeeze unjudged documents out before anything else
    p: float = 0.8  # persistence: the chance that a reader goes on to the next document
    graded: bool = False  # worth grade / max_grade instead of yes or no
    of: Literal["retrieved", "cutoff"] = "retrieved"  # what a share within the cutoff is divided by
    beta: float = 1.0  # weight of recall against precision
    level: float | None = None  # what stands after @ where it is no rank: a recall level, a multiple of R


UNIVERSAL = Settings()
Compute = Callable[[View, Settings], Floats]


def _fits(settings: Settings) -> str | None:  # noqa: ARG001 (the default of a check that takes settings)
    return None


def _none_idle(settings: Settings) -> frozenset[str]:  # noqa: ARG001 (the same)
    return frozenset()


@dataclass(frozen=True)
class Family:
    """One written definition. `version` changes whenever a value could."""

    name: str
    compute: Compute
    parameters: tuple[str, ...] = ()
    version: int = 1
    at: Literal["cutoff", "level", "none"] = "cutoff"  # what may stand after @
    page: str = ""  # its page in docs/measures
    short: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # short name → what it stands for
    looks: Literal["list", "judgments"] = "list"  # "judgments" reads no ranking at all
    upper: float | None = 1.0  # None = open
    lower: float | None = 0.0
    aggregate: Literal["mean", "sum"] = "mean"  # what trec_eval prints over all queries
    divides: Literal["rel", "gain"] | None = None  # 0 for a query without such a document
    check: Callable[[Settings], str | None] = _fits  # why settings do not fit together
    idle: Callable[[Settings], frozenset[str]] = _none_idle  # parameters that do nothing under these settings

    def __reduce__(self) -> tuple[Any, ...]:
        return (_family_named, (self.name,))  # functions made in place do not travel to xdist workers; names do

    def measure(self, params: Mapping[str, Any], cutoff: int | None = None) -> Measure:
        """The measure with these settings; `params` are those that were written down (`level` among them)."""
        settings = Settings(cutoff=cutoff, **params)
        return Measure(
            name=printed(self, settings),
            family=self.name,
            params=MappingProxyType(dict(params)),
            cutoff=cutoff,
            version=self.version,
            depth=_depth(self, settings),
            lower=self.lower,
            upper=self.upper,
            aggregate=self.aggregate,
            definition=self,
        )


@dataclass(frozen=True)
class Measure:
    """A function from a ranking and grades to one number per query. Equal when the canonical names are."""

    name: str  # canonical notation; can be given back to parse_measure
    family: str = field(compare=False)
    params: Mapping[str, Any] = field(compare=False)  # what the notation set, canonical keys
    cutoff: int | None = field(compare=False)
    version: int = field(compare=False, default=1)  # of the definition
    depth: int | None = field(compare=False, default=None)  # the deepest rank it looks at; None = the whole list
    higher_is_better: bool = field(compare=False, default=True)
    lower: float | None = field(compare=False, default=0.0)  # None = open
    upper: float | None = field(compare=False, default=1.0)
    aggregate: Literal["mean", "sum"] = field(compare=False, default="mean")  # over queries, as trec_eval prints it
    needs_documents: bool = field(compare=False, default=False)  # needs doc_ids, not only where judged ones stand
    definition: Family | None = field(compare=False, default=None, repr=False)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), {**self._fields(), "params": dict(self.params)}))

    @cached_property
    def settings(self) -> Settings:
        """The settings in full, defaults filled in."""
        return Settings(cutoff=self.cutoff, **self.params)

    def per_query(self, ranked: RankedGrades | View, *, max_grade: float | None = None) -> Floats:
        """One value for each query; shape (q,). Never NaN, and within the bounds.

        Several measures of one run share work when they are given the same `View` of it.

        `max_grade` is the top of the scale where the notation leaves it open; by default the highest grade in `ranked`.

        Raises:
            MeasureError: the judgments do not fit the settings, or a value is too large for a float.
        """
        if self.definition is None:
            raise MeasureError(
                f"{self.name} needs the documents themselves, not only the ranks of judged ones",
                fix="evaluate it from a run and qrels",
            )
        settings = self.settings
        view = ranked if isinstance(ranked, View) else View(ranked)
        if settings.max_grade is None:
            highest = float(view.ranked.judged_grades.max(initial=0.0)) if max_grade is None else max_grade
            settings = replace(settings, max_grade=highest)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.definition.compute(view, settings)
        if not np.isfinite(values).all():
            raise MeasureError(
                f"{self.name} is too large to compute: a grade is out of all scale", fix="check the grades"
            )
        # Rounding can leave a value a hair beyond its bound, never more.
        return values if self.upper is None else np.minimum(values, self.upper)

    def with_defaults(
        self,
        *,
        rel: float | None = None,
        gain: Gain | None = None,
        gains: Mapping[float, float] | None = None,
        max_grade: float | None = None,
    ) -> Measure:
        """This measure with what its notation left open filled in; what differs from universal shows in its name."""
        if self.definition is None:
            return self
        offered: dict[str, Any] = {"rel": rel, "max_grade": max_grade}
        if not {"gain", "gains"} & self.params.keys():  # one written down overrules both
            gain_only = {"gain": gain} if gains is None else {"gains": tuple(sorted(gains.items()))}
            offered = {**gain_only, **offered}
        params = dict(self.params)
        for key, value in offered.items():
            idle = self.definition.idle(Settings(cutoff=self.cutoff, **params))
            if value is not None and key in self.definition.parameters and key not in params and key not in idle:
                params[key] = value
        return self.definition.measure(params, self.cutoff)

    def _fields(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.__dataclass_fields__}


def printed(family: Family, settings: Settings) -> str:
    """The canonical name: the short form where there is one, then only what differs from the universal defaults."""
    shown = {key: getattr(settings, key) for key in family.parameters}
    shown = {key: value for key, value in shown.items() if value != getattr(UNIVERSAL, key)}
    name = family.name
    for short, stands_for in family.short.items():
        if all(shown.get(key) == value for key, value in stands_for.items()):
            name = short
            shown = {key: value for key, value in shown.items() if key not in stands_for}
            break
    inside = ",".join(f"{key}={printed_value(value)}" for key, value in shown.items())
    at = settings.level if family.at == "level" else settings.cutoff
    return f"{name}{f'({inside})' if inside else ''}{'' if at is None else f'@{printed_value(at)}'}"


def printed_value(value: object) -> str:
    """A setting as the notation has it: True, 'exp', 2, 0.8, {0:0,1:5}."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return "{" + ",".join(f"{printed_value(grade)}:{printed_value(gain)}" for grade, gain in value) + "}"
    number = float(value) if isinstance(value, (int, float)) else 0.0
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _depth(family: Family, settings: Settings) -> int | None:
    if family.looks == "judgments":
        return 0
    # Squeezing unjudged documents out reads on until k judged ones are found.
    return None if settings.judged_only else settings.cutoff


def _family_named(name: str) -> Family:
    from pytest_relevance.measures.families import FAMILIES  # the list of families stands on this file

    return FAMILIES[name]


def _restored(kind: type[Measure], fields: dict[str, Any]) -> Measure:
    # A read-only view of params cannot be pickled.
    measure = kind.__new__(kind)
    measure.__dict__.update({**fields, "params": MappingProxyType(fields["params"])})
    return measure
