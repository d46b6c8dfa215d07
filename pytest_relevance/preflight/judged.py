"""Rules about judgments: grades off the scale, queries that cannot be measured, sets without negatives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import counted, some
from pytest_relevance.records import Qrels
from pytest_relevance.records.columns import Floats, Truths

STEEPEST = 10  # 2^10 - 1 = 1023: above this grade an exponential gain leaves nothing for the grades below


def query_without_relevant(material: Material) -> Iterator[Seen]:
    """Judged queries without a relevant document: measures that divide by their number count them 0."""
    for name, qrels in material.folded_qrels.items():
        poor = np.flatnonzero(_by_query(qrels, qrels.grades >= material.grades.relevant) == 0)
        if len(poor):
            yield Seen(
                f"{counted(len(poor), 'judged query', 'judged queries')} of {len(qrels)} have no document of grade "
                f"{material.grades.relevant:g} or more",
                len(poor),
                len(qrels),
                some([qrels.query_ids[int(place)] for place in poor]),
                material.name(f"qrels.{name}"),
                "judge more of their documents, or leave these queries out: they count 0 whatever comes back",
            )


def grade_outside_scale(material: Material) -> Iterator[Seen]:
    """Grades below 0, which count as judged and gain nothing, and grades above the scale's declared top."""
    top = material.grades.max
    for name, qrels in material.qrels.items():
        outside = qrels.grades < 0
        if top is not None:
            outside |= qrels.grades > top
        if outside.any():
            values, counts = np.unique(qrels.grades[outside], return_counts=True)
            told = ", ".join(f"{value:g} ({count:,})" for value, count in zip(values, counts, strict=True))
            scale = f"0 to {top:g}" if top is not None else "0 and up"
            yield Seen(
                f"{counted(int(outside.sum()), 'judgment')} of {len(qrels.grades):,} have grades outside {scale}: "
                f"{told}",
                int(outside.sum()),
                len(qrels.grades),
                _pairs(qrels, outside),
                material.name(f"qrels.{name}"),
                "a grade below 0 is judged and gains nothing: make it 0 if that is meant"
                if (values < 0).any()
                else "raise 'grades: {max: …}', or mend the grades",
            )


def gain_out_of_proportion(material: Material) -> Iterator[Seen]:
    """An exponential gain over high grades: 2^100 - 1 beside 2^10 - 1 makes the top grade the only one that counts."""
    if not material.exponential:
        return
    for name, qrels in material.qrels.items():
        steep = qrels.grades > STEEPEST
        if steep.any():
            yield Seen(
                f"grades reach {qrels.max_grade:g} and the gain is 2^grade - 1: the highest grade outweighs all others",
                int(steep.sum()),
                len(qrels.grades),
                _pairs(qrels, steep),
                material.name(f"qrels.{name}"),
                "write 'gain: linear', or a gain for each grade",
            )


def all_one_grade(material: Material) -> Iterator[Seen]:
    """Queries whose judged documents all have one grade: in what order they come makes no difference to nDCG-f."""
    for name, qrels in material.folded_qrels.items():
        several = qrels.counts > 1
        lowest, highest = _least_and_most(qrels)
        same = np.flatnonzero(several & (lowest == highest))
        if len(same):
            yield Seen(
                f"{counted(len(same), 'query has', 'queries have')} two judged documents or more, all of one grade "
                f"(of {counted(len(qrels), 'query', 'queries')})",
                len(same),
                len(qrels),
                some([qrels.query_ids[int(place)] for place in same]),
                material.name(f"qrels.{name}"),
                "judge documents that are better and worse, or do not read nDCG-f and Bpref of them",
            )


def no_judged_negatives(material: Material) -> Iterator[Seen]:
    """Judgments without any document that is not relevant: Bpref and nDCG-f are then perfect whatever comes back.

    Of a suite it is told where it asks for one of these; many collections have positives only, and other measures.
    """
    for name, qrels in material.folded_qrels.items() if material.needs_negatives else ():
        if len(qrels.grades) and not (qrels.grades < material.grades.relevant).any():
            yield Seen(
                f"all {counted(len(qrels.grades), 'judgment')} are relevant: Bpref and nDCG-f cannot tell good "
                "rankings from bad ones here, and a perfect value of theirs says nothing",
                len(qrels.grades),
                len(qrels.grades),
                (),
                material.name(f"qrels.{name}"),
                "judge documents that are not relevant too, or read nDCG, recall and precision only",
            )


def _by_query(qrels: Qrels, chosen: Truths) -> Floats:
    """How many rows of each query are chosen; shape (queries,)."""
    return np.bincount(qrels.query_of_row[chosen], minlength=len(qrels)).astype(np.float64)


def _least_and_most(qrels: Qrels) -> tuple[Floats, Floats]:
    """The lowest and the highest grade of each query; NaN where it has no rows; shapes (queries,)."""
    lowest, highest = np.full(len(qrels), np.nan), np.full(len(qrels), np.nan)
    filled = np.flatnonzero(qrels.counts > 0)
    if len(filled):
        starts = qrels.offsets[:-1][filled]
        lowest[filled] = np.minimum.reduceat(qrels.grades, starts)
        highest[filled] = np.maximum.reduceat(qrels.grades, starts)
    return lowest, highest


def _pairs(qrels: Qrels, chosen: Truths) -> tuple[str, ...]:
    rows = np.flatnonzero(chosen)[:5]
    queries = qrels.query_of_row
    return some([f"{qrels.query_ids[int(queries[row])]} {qrels.doc_ids[int(qrels.codes[row])]}" for row in rows])


RULES = (
    Rule("query-without-relevant", query_without_relevant),
    Rule("grade-outside-scale", grade_outside_scale),
    Rule("gain-out-of-proportion", gain_out_of_proportion),
    Rule("all-one-grade", all_one_grade),
    Rule("no-judged-negatives", no_judged_negatives),
)
