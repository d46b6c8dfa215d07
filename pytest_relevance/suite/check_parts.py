"""What checks of every kind share: their place, title, level and retriever, the words of their keys, allowed drops."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, PlainValidator, Tag, ValidationInfo, WithJsonSchema

from pytest_relevance.errors import Place, suggestion
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import Text, kind_tag, retriever_names

Level = Literal["fail", "warn"]
OnInconclusive = Literal["notice", "warn", "fail"]

OF = "the retriever, or a list of them; default: every one"
SLICE = "only the queries of this slice, such as type=question"
TOTAL = "the mean over slices by their weights, such as 'weighted by type'"
QRELS = "the judgment set by name, or 'each'; default: the first"
LEVEL = "'fail', or 'warn' to report only"
NAME = "a title of your own"
AGAINST = "what it is compared with: baseline, another retriever, or {run: FILE}"
CONFIDENCE = "of the paired interval, between 0 and 1; default: 0.95"
ON_INCONCLUSIVE = "what to do if noise may explain it: notice (pass, and say so), warn or fail"
SHARED_QUERIES = "'allow': compare the queries that both have, where queries were added, dropped or reworded"

BASELINE = "baseline"


@dataclass(frozen=True)
class CheckBase:
    """What every check has."""

    needs_judgments: ClassVar[bool] = True

    place: Place
    title: str  # unique among the checks of the same retriever
    level: Level
    of: str

    @property
    def retrievers(self) -> tuple[str, ...]:
        """Every retriever whose run it reads."""
        return (self.of,)

    @property
    def needs_baseline(self) -> bool:
        """Whether it is against the stored baseline."""
        against = getattr(self, "against", None)
        return isinstance(against, Against) and against.kind == "baseline"


@dataclass(frozen=True)
class Against:
    """What a retriever is compared with."""

    kind: Literal["baseline", "retriever", "run"]
    name: str  # the retriever; the run's file as the suite has it; "baseline"

    @property
    def retrievers(self) -> tuple[str, ...]:
        """The retriever that has to be asked for it, if it is one."""
        return (self.name,) if self.kind == "retriever" else ()

    def __str__(self) -> str:
        return Path(self.name).name if self.kind == "run" else self.name


@dataclass(frozen=True)
class Drop:
    """How much lower something may be: so many points, or a share of what it was."""

    value: float  # 0 or more
    relative: bool = False  # a share of the old value

    def of(self, old: float) -> float:
        """In points, for this old value."""
        return self.value * abs(old) if self.relative else self.value

    def __str__(self) -> str:
        return f"{self.value * 100:g} %" if self.relative else f"{self.value:g}"


def _drop(written: object) -> object:
    if isinstance(written, Drop):
        return written
    text = str(written).strip() if isinstance(written, str) else ""
    relative = text.endswith("%")
    try:
        value = float(text[:-1]) / 100 if relative else float(text)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value < 0 or (relative and value > 1):
        raise misfit("{path} needs a drop of 0 or more, found {written}", "write points as 0.01, a share as 2%")
    return Drop(value, relative)


def _other(name: str, info: ValidationInfo) -> str:
    known = retriever_names(info)
    if name == BASELINE and BASELINE in known:
        raise misfit(
            "{path}: 'baseline' is what was stored, and a retriever of this suite has that name too",
            "give the retriever another name",
        )
    if name != BASELINE and known and name not in known:
        hint = suggestion(name, (BASELINE, *known), label="or {run: FILE}; known here")
        raise misfit("unknown retriever {written} in {owner}", hint)
    return name


def _text_or_table(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<list>" else tag


class RunForm(Form):
    """`{run: runs/released.run}`"""

    example: ClassVar[str] = "run: FILE"

    run: Text = Field(description="a run file, or a stored baseline", examples=["runs/released.run"])


_DROP_SCHEMA = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^\s*[0-9.]+\s*%?\s*$"}]}

AllowedDrop: TypeAlias = Annotated[Drop, PlainValidator(_drop), WithJsonSchema(_DROP_SCHEMA)]
AgainstWritten: TypeAlias = Annotated[
    Annotated[str, AfterValidator(_other), Tag("<text>")] | Annotated[RunForm, Tag("<table>")],
    Discriminator(_text_or_table),
]


def against_of(written: str | RunForm) -> Against:
    """What was written after `against:`, resolved."""
    if isinstance(written, RunForm):
        return Against("run", written.run)
    return Against("baseline" if written == BASELINE else "retriever", written)


def title_of(
    what: str,
    slice_: str | None = None,
    total: str | None = None,
    qrels: str | None = None,
    default_qrels: str | None = None,
) -> str:
    """`nDCG@10 type=question`, `nDCG@10 weighted by type`, `nDCG@10 clicks`."""
    parts = [
        what,
        slice_,
        total and f"weighted by {total}",
        "under each qrels" if qrels == "each" else qrels if qrels != default_qrels else None,
    ]
    return " ".join(part for part in parts if part)


def refuse_two_scopes(slice_: str | None, total: str | None) -> None:
    """Refuse a check of a slice and of a total at once."""
    if slice_ is not None and total is not None:
        raise misfit("{path} has a slice and a total", "write one check for each", key="total")
