"""How alike two runs are, query by query. No judgments are needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np

from pytest_relevance.errors import DataError, Place, nearest
from pytest_relevance.measures.kendall import tau_of_shared
from pytest_relevance.measures.matching import Shared, shared_documents
from pytest_relevance.measures.measure import printed_value
from pytest_relevance.measures.notation import Reader, Written
from pytest_relevance.measures.parameters import PARAMETERS, Parameter, one_of, read_cutoff, read_parameter, truth
from pytest_relevance.measures.rank_biased import Kind, rank_biased_overlap
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.evaluation import Values
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.run import Run

Alike = Literal["RBO", "Jaccard", "Overlap", "Kendall", "Changed"]
_FAMILIES: dict[str, Alike] = {
    "rbo": "RBO",
    "jaccard": "Jaccard",
    "overlap": "Overlap",
    "kendall": "Kendall",
    "changed": "Changed",
}
_KIND = Parameter(one_of("ext", "min", "res", "truncated"), "'ext', 'min', 'res' or 'truncated'", "'min'")
_ORDER = Parameter(truth, "True or False", "False")
_TAKES = {"RBO": {"p": PARAMETERS["p"], "kind": _KIND}, "Changed": {"order": _ORDER}}


@dataclass(frozen=True)
class OverlapMeasure:
    """A function from two rankings to how alike (`Changed`: how different) they are. Equal when the names are."""

    name: str
    family: Alike = field(compare=False)
    cutoff: int | None = field(compare=False, default=None)  # both lists are cut to it first; None = whole lists
    p: float = field(compare=False, default=0.9)
    kind: Kind = field(compare=False, default="ext")
    order: bool = field(compare=False, default=True)  # whether the same documents in another order are a change
    version: int = field(compare=False, default=1)
    higher_is_better: bool = field(compare=False, default=True)

    def __str__(self) -> str:
        return self.name

    @property
    def depth(self) -> int | None:
        """The deepest rank it looks at; None = the whole list."""
        return self.cutoff

    @property
    def lower(self) -> float:
        """The lowest value."""
        return -1.0 if self.family == "Kendall" else 0.0

    @property
    def upper(self) -> float:
        """The highest value."""
        return 1.0

    def per_pair(self, shared: Shared) -> Floats:
        """One value for each pair of rankings; shape (q,). Two empty ones are the same, one empty shares nothing."""
        if self.family == "RBO":
            return rank_biased_overlap(shared, self.p, self.kind)
        if self.family == "Kendall":
            return tau_of_shared(shared)
        number = shared.counts
        if self.family == "Changed":
            return _changed(shared, self.order)
        if self.family == "Jaccard":
            whole = shared.lengths + shared.other_lengths - number
        else:
            whole = np.maximum(shared.lengths, shared.other_lengths)
        return np.where(whole > 0, number / np.maximum(whole, 1), 1.0)


def parse_overlap(text: str, place: Place | None = None) -> OverlapMeasure:
    """The overlap a notation names: `RBO(p=0.9)`, `RBO(p=0.9,kind='min')@50`, `Jaccard@10`, `Overlap@10`, `Kendall`.

    `Changed@10` is 1 for a query whose first ten documents changed, `Changed(order=False)@10` if others stand there.
    Letter case does not matter; after @ stands the depth both lists are cut to.

    Raises:
        MeasureError: the name, a parameter, a value or the depth is none; placed at the part that is wrong.
    """
    reader = Reader(text, place, kind="overlap")
    written = reader.written()
    family = _FAMILIES.get(written.name.text.casefold())
    if family is None:
        near = nearest(written.name.text, _FAMILIES.values())
        guess = f"did you mean {near!r}? " if near else ""
        known = ", ".join(("RBO(p=0.9)", "Jaccard@10", "Overlap@10", "Kendall", "Changed@10"))
        raise reader.error(f"unknown overlap {text.strip()!r}", written.name, f"{guess}known are: {known}")
    given = _given(family, written, reader)
    cutoff = None if written.at is None else read_cutoff(written.at, reader)
    p, kind = cast("float", given.get("p", 0.9)), cast("Kind", given.get("kind", "ext"))
    order = cast("bool", given.get("order", True))
    inside = f"(p={printed_value(p)}{'' if kind == 'ext' else f',kind={kind!r}'})" if family == "RBO" else ""
    inside += "" if order else "(order=False)"
    return OverlapMeasure(
        f"{family}{inside}{'' if cutoff is None else f'@{cutoff}'}",
        family,
        cutoff,
        p,
        kind,
        order,
        higher_is_better=family != "Changed",
    )


def overlap(run: Run, other: Run, measure: str | OverlapMeasure) -> Values:
    """How alike two runs are for each query of either, in the order of `run`, then of `other`.

    A query that one run does not have counts as answered with nothing there: 1.0 where both have nothing, 0.0 where one
    has. A query that failed in either has no value and is in no mean.

    Raises:
        DataError: the runs have no query in common.
        MeasureError: `measure` is text that names none.
    """
    chosen = parse_overlap(measure) if isinstance(measure, str) else measure
    _refuse_nothing_in_common(run, other)
    if chosen.cutoff is not None:
        run, other = run.cut(chosen.cutoff), other.cut(chosen.cutoff)
    query_ids = tuple(
        query_id
        for query_id in dict.fromkeys((*run.query_ids, *other.query_ids))
        if query_id not in run.failures and query_id not in other.failures
    )
    values = np.zeros(len(query_ids))
    for shared in shared_documents(run, other, _places(run, query_ids), _places(other, query_ids)):
        values[shared.queries] = chosen.per_pair(shared)
    return Values(chosen.name, query_ids, values)


def _changed(shared: Shared, order: bool) -> Floats:
    """1.0 for each pair that is not the same, in the same order or (`order=False`) in any; shape (q,)."""
    same = (shared.counts == shared.lengths) & (shared.counts == shared.other_lengths)
    if order:
        moved = np.bincount(shared.pair, weights=shared.ranks != shared.other_ranks, minlength=len(same))
        same &= moved == 0
    return np.where(same, 0.0, 1.0)


def _given(family: Alike, written: Written, reader: Reader) -> dict[str, object]:
    takes = _TAKES.get(family, {})
    given: dict[str, object] = {}
    for argument in written.arguments:
        key = argument.key.text.casefold()
        if key not in takes:
            listed = f"{family} takes {', '.join(takes) or 'no parameters'}"
            raise reader.error(f"unknown parameter {argument.key.text!r}", argument.key, listed)
        given[key] = read_parameter(takes[key], argument, reader)
    return given


def _places(run: Run, query_ids: tuple[str, ...]) -> Integers:
    if run.query_ids == query_ids:
        return np.arange(len(query_ids))
    return np.array([run.positions.get(query_id, -1) for query_id in query_ids], dtype=np.int64)


def _refuse_nothing_in_common(run: Run, other: Run) -> None:
    ours, theirs = {*run.query_ids, *run.failures}, {*other.query_ids, *other.failures}
    if ours and theirs and not ours & theirs:
        one, two = next(iter(run.query_ids), min(ours)), next(iter(other.query_ids), min(theirs))
        raise DataError(
            f"no query in common: {one!r} in {run.name}, {two!r} in {other.name}",
            fix="write query ids the same way in both runs",
        )
