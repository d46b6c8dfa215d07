"""Verdict: one sentence and the numbers behind it, as plain data that any report can draw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

Outcome = Literal["pass", "warn", "fail", "error"]
Kind = Literal["threshold", "order", "overlap", "assertion", "report", "set-up"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its interval: one line of the table under the sentence."""

    label: str
    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class QueryValue:
    """What one query contributes."""

    query_id: str
    text: str
    value: float
    judged: int | None = None  # judged documents within the cutoff
    unjudged: int | None = None  # holes within the cutoff
    other: float | None = None  # the value of the retriever it is compared with


@dataclass(frozen=True, slots=True)
class Beside:
    """A measure worth reading beside the one that is gated."""

    measure: str
    mean: float


@dataclass(frozen=True, slots=True)
class Row:
    """One place of a ranking as a failure shows it."""

    rank: int
    doc_id: str
    grade: float | None
    fields: Mapping[str, str]
    mark: str = ""  # why this row matters; empty where it does not


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one check or assertion. Plain data: it travels as JSON from worker to report."""

    suite: str
    retriever: str
    title: str
    kind: Kind
    outcome: Outcome
    sentence: str
    place: str = ""  # file:line:column of what was asked
    measure: str = ""  # canonical notation
    qrels: str = ""  # the judgment set's name
    scope: str = ""  # the slice or the weight scheme; empty for all queries
    value: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    queries: int = 0
    context: str = ""  # one line: how many queries, which judgments, which gain
    means: tuple[Mean, ...] = ()
    beside: tuple[Beside, ...] = ()
    worst: tuple[QueryValue, ...] = ()
    query: str = ""  # the query of an assertion
    rows: tuple[Row, ...] = ()
    remarks: tuple[str, ...] = ()  # plain-language lines under the tables
    node: str = ""  # the pytest node to run it alone

    def to_json(self) -> str:
        """The verdict as one line of JSON; what has its default is left out."""
        told = {name: value for name, value in vars_of(self).items() if value != _DEFAULTS.get(name)}
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=vars_of)

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """The verdict again."""
        plain: dict[str, Any] = json.loads(text)
        for name, record in _NESTED.items():
            if name in plain:
                plain[name] = tuple(record(**one) for one in plain[name])
        plain["remarks"] = tuple(plain.get("remarks", ()))
        return cls(**plain)


def vars_of(record: Any) -> dict[str, Any]:
    """The fields of a record as they are; unlike `asdict` it copies nothing, and 10,000 verdicts are soon told."""
    return {name: getattr(record, name) for name in record.__slots__}


_NESTED: Mapping[str, type[Any]] = {"means": Mean, "beside": Beside, "worst": QueryValue, "rows": Row}
_DEFAULTS: Mapping[str, Any] = {one.name: one.default for one in fields(Verdict) if one.default is not MISSING}
