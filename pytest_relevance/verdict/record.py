"""Verdict: one sentence and the numbers behind it, as plain data that any report can draw."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from pytest_relevance.verdict.diversity import Diversity

Outcome = Literal["pass", "warn", "fail", "known_failure", "inconclusive", "not comparable", "error"]
Kind = Literal[
    "threshold",
    "order",
    "overlap",
    "results",
    "regression",
    "baseline",
    "bias",
    "assertion",
    "report",
    "diversity",
    "set-up",
]
FAILING: frozenset[Outcome] = frozenset(("fail", "not comparable", "error"))  # what makes an exit status other than 0


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
    old: float | None = None  # of what it is compared with


@dataclass(frozen=True, slots=True)
class Gate:
    """A comparison: what it is with, how it fell out, and all that it was decided from. In units of the measure."""

    against: str  # "baseline", a retriever, the name of a run file
    decision: str  # pass, fail, inconclusive; "" where it is only shown
    reason: str
    old: float
    new: float
    low: float  # of the interval of new - old
    high: float
    confidence: float
    better: int  # queries
    same: int
    worse: int
    allowed: float | None = None  # the drop that is allowed, in points
    p_value: float | None = None
    corrected_p: float | None = None  # among all gates of the suite
    detectable: float | None = None  # the smallest drop these queries show with a power of 0.8
    changes: tuple[str, ...] = ()  # what is not as it was, though comparable
    slices: tuple[Mean, ...] = ()  # slices that fell by more than is allowed: the difference and its interval
    made_from: Mapping[str, str] = field(default_factory=dict)  # hashes of contents, commit and time of the baseline

    @property
    def difference(self) -> float:
        """How much higher the new mean is."""
        return self.new - self.old


@dataclass(frozen=True, slots=True)
class Move:
    """One rank of two rankings side by side."""

    rank: int
    old: str  # doc_id; "" beyond the end
    old_grade: float | None  # None: unjudged
    to: int | None  # where the old document stands now; None: it left
    new: str
    new_grade: float | None
    since: int | None  # where the new document stood then; None: it entered


@dataclass(frozen=True, slots=True)
class Side:
    """The two rankings of one query side by side."""

    query_id: str
    text: str
    against: str  # how messages call the ranking that the new one is compared with
    old: float | None  # None where `new` tells how alike the two are
    new: float
    graded: bool  # False where there are no judgments, so that no grade does not mean unjudged
    moves: tuple[Move, ...]  # from the first rank on, or from the first at which they differ


SidesOf: TypeAlias = Callable[[Sequence[QueryValue]], tuple[Side, ...]]  # the worst queries → their rankings


@dataclass(frozen=True, slots=True)
class Row:
    """One place of a ranking as a failure shows it."""

    rank: int
    doc_id: str
    grade: float | None
    fields: Mapping[str, str]
    mark: str = ""  # why this row matters; empty where it does not


@dataclass(frozen=True, slots=True)
class Broken:
    """A query of a table for which an expectation does not hold."""

    query_id: str
    sentence: str


@dataclass(slots=True)
class Verdict:
    """What came of one check or assertion. Plain data: it travels as JSON from worker to report.

    Not frozen: 10,000 are soon made, and whoever asked for one says where it belongs without making another.
    """

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
    broken: tuple[Broken, ...] = ()  # of a table of queries: the worst, worst first; `rows` are of the first
    broken_queries: int = 0  # how many there are in all
    known_failure: str = ""  # why it does not hold yet
    rows: tuple[Row, ...] = ()
    remarks: tuple[str, ...] = ()  # plain-language lines under the tables
    node: str = ""  # the pytest node to run it alone
    position: int = 0  # of what was asked, in the suite
    worst_beside: str = ""  # what the other value of the worst queries is of
    gate: Gate | None = None
    sides: tuple[Side, ...] = ()
    diversity: Diversity | None = None  # of the suite's retrievers, where it was asked for
    notices: tuple[str, ...] = ()  # told at the end of a session even if all passes
    edits: tuple[str, ...] = ()  # what the suite asks otherwise than at the git reference; told at the end too

    @property
    def failing(self) -> bool:
        """Whether it makes the exit status other than 0."""
        return self.outcome in FAILING

    def to_json(self) -> str:
        """The verdict as one line of JSON; what has its default is left out."""
        told = {name: value for name, default in _DEFAULTS.items() if (value := getattr(self, name)) != default}
        return _ENCODER.encode(told)

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """The verdict again."""
        plain: dict[str, Any] = json.loads(text)
        if plain.get("gate"):
            plain["gate"] = _gate(**plain["gate"])
        if plain.get("diversity"):
            plain["diversity"] = Diversity.from_plain(plain["diversity"])
        for name, record in _NESTED.items():
            if name in plain:
                plain[name] = tuple(record(**one) for one in plain[name])
        for name in ("remarks", "notices", "edits"):
            plain[name] = tuple(plain.get(name, ()))
        return cls(**plain)


def vars_of(record: Any) -> dict[str, Any]:
    """The fields of a record as they are; unlike `asdict` it copies nothing, and 10,000 verdicts are soon told."""
    return {name: getattr(record, name) for name in record.__slots__}


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=vars_of)


def _gate(**plain: Any) -> Gate:
    slices = tuple(Mean(**one) for one in plain["slices"])
    return Gate(**{**plain, "changes": tuple(plain["changes"]), "slices": slices})


def _side(**plain: Any) -> Side:
    return Side(**{**plain, "moves": tuple(Move(**one) for one in plain["moves"])})


_NESTED: Mapping[str, Callable[..., Any]] = {
    "means": Mean,
    "beside": Beside,
    "worst": QueryValue,
    "broken": Broken,
    "rows": Row,
    "sides": _side,
}
_DEFAULTS: Mapping[str, Any] = {one.name: one.default for one in fields(Verdict)}  # MISSING where there is none
