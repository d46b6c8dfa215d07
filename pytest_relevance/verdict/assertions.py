"""Deciding assertions: what a suite states about one query's ranking. One function a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.suite import Assertion, DocAbove, Expectation, FieldCondition, First, QueryMeasure, Results, Top
from pytest_relevance.verdict.numbers import listed, plural, shown
from pytest_relevance.verdict.record import Outcome, Row, Verdict

ValueOf = Callable[[QueryMeasure], float]  # the measure's value for the assertion's query

ROWS_SHOWN = 10  # rows of a ranking shown where no rank asks for more


@dataclass(frozen=True)
class Finding:
    """What an expectation found in a ranking."""

    holds: bool
    sentence: str
    marks: Mapping[int, str] = field(default_factory=dict)  # rank → why it matters
    depth: int = ROWS_SHOWN  # ranks that matter
    fields: tuple[str, ...] = ()  # fields the expectation looks at


def decide_expectation(
    suite: str, assertion: Assertion, expectation: Expectation, ranking: Ranking, value_of: ValueOf
) -> Verdict:
    """Whether one expectation holds of one ranking, with the ranking to the depth that matters if it does not."""
    finding = _DECIDERS[type(expectation)](expectation, ranking, value_of)
    failed: Outcome = "warn" if assertion.level == "warn" else "fail"
    return Verdict(
        suite=suite,
        retriever=ranking.retriever,
        title=expectation.text,
        kind="assertion",
        outcome="pass" if finding.holds else failed,
        sentence=finding.sentence,
        place=str(expectation.place),
        query=ranking.query.query_id,
        queries=1,
        rows=() if finding.holds else rows_of(ranking, finding.marks, finding.depth, finding.fields),
    )


def rows_of(ranking: Ranking, marks: Mapping[int, str], depth: int, fields: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """The rows of a ranking down to `depth`, and beyond it those with a mark."""
    return tuple(
        Row(
            document.rank,
            document.doc_id,
            document.grade,
            {name: _text(document.fields[name]) for name in _shown_fields(document, fields)},
            marks.get(document.rank, ""),
        )
        for document in ranking
        if document.rank <= depth or document.rank in marks
    )


def _first(expectation: First, ranking: Ranking, _: ValueOf) -> Finding:
    rank = ranking.ranks.get(expectation.first)
    if rank == 1:
        return Finding(True, f"{_whose(ranking)}: the first document is {expectation.first}")
    if not len(ranking):
        return Finding(False, f"{_whose(ranking)}: nothing came back, but {expectation.first} should be first")
    found = f"found at rank {rank}" if rank else _not_there(ranking)
    sentence = (
        f"{_whose(ranking)}: the first document is {ranking.documents[0].doc_id}, not {expectation.first} ({found})"
    )
    marks = {1: f"{expectation.first} should stand here"}
    if rank:
        marks[rank] = "should be first"
    return Finding(False, sentence, marks)


def _top(expectation: Top, ranking: Ranking, _: ValueOf) -> Finding:
    if expectation.contains is not None:
        return _contains(expectation.top, expectation.contains, ranking)
    if isinstance(expectation.excludes, FieldCondition):
        return _excludes_fields(expectation.top, expectation.excludes, ranking)
    if expectation.excludes is not None:
        return _excludes_documents(expectation.top, expectation.excludes, ranking)
    assert expectation.all is not None  # the model holds exactly one of the four
    return _all(expectation.top, expectation.all, ranking)


def _contains(top: int, wanted: tuple[str, ...], ranking: Ranking) -> Finding:
    late = {doc_id: ranking.ranks[doc_id] for doc_id in wanted if ranking.ranks.get(doc_id, 0) > top}
    lost = [doc_id for doc_id in wanted if doc_id not in ranking.ranks]
    if not late and not lost:
        return Finding(True, f"{_whose(ranking)}: the top {top} contains {listed(list(wanted))}")
    missing = [f"{doc_id} (rank {rank})" for doc_id, rank in late.items()]
    missing += [f"{doc_id} ({_not_there(ranking)})" for doc_id in lost]
    marks = dict.fromkeys(late.values(), f"should be in the top {top}")
    return Finding(False, f"{_whose(ranking)}: the top {top} lacks {listed(missing)}", marks, top)


def _excludes_documents(top: int, unwanted: tuple[str, ...], ranking: Ranking) -> Finding:
    found = {ranking.ranks[doc_id]: doc_id for doc_id in unwanted if 0 < ranking.ranks.get(doc_id, 0) <= top}
    return _excludes(top, listed(list(unwanted)), found, ranking)


def _excludes_fields(top: int, condition: FieldCondition, ranking: Ranking) -> Finding:
    found = {document.rank: document.doc_id for document in ranking.top(top) if condition.holds(document.fields)}
    return _excludes(top, condition.text, found, ranking, condition.names)


def _excludes(top: int, what: str, found: Mapping[int, str], ranking: Ranking, fields: tuple[str, ...] = ()) -> Finding:
    if not found:
        return Finding(True, f"{_whose(ranking)}: the top {top} excludes {what}")
    culprits = listed([f"{doc_id} at rank {rank}" for rank, doc_id in sorted(found.items())])
    sentence = f"{_whose(ranking)}: the top {top} should exclude {what}, but holds {culprits}"
    return Finding(False, sentence, dict.fromkeys(found, "should not be here"), top, fields)


def _all(top: int, condition: FieldCondition, ranking: Ranking) -> Finding:
    documents = ranking.top(top)
    if not documents:
        return Finding(False, f"{_whose(ranking)}: nothing came back, so no document is {condition.text}")
    offenders = [document.rank for document in documents if not condition.holds(document.fields)]
    if not offenders:
        return Finding(True, f"{_whose(ranking)}: the top {top} is all {condition.text}")
    ranks = listed([str(rank) for rank in offenders], most=10)
    sentence = (
        f"{_whose(ranking)}: {len(offenders)} of the top {len(documents)} "
        f"{'is' if len(offenders) == 1 else 'are'} not {condition.text} (rank{'s' * (len(offenders) > 1)} {ranks})"
    )
    return Finding(False, sentence, dict.fromkeys(offenders, f"not {condition.text}"), top, condition.names)


def _above(expectation: DocAbove, ranking: Ranking, _: ValueOf) -> Finding:
    upper, lower = ranking.ranks.get(expectation.doc), ranking.ranks.get(expectation.above)
    if upper and (lower is None or upper < lower):
        where = f"rank {lower}" if lower else _not_there(ranking)
        return Finding(
            True, f"{_whose(ranking)}: {expectation.doc} (rank {upper}) stands above {expectation.above} ({where})"
        )
    found = f"rank {upper}" if upper else _not_there(ranking)
    other = f"rank {lower}" if lower else _not_there(ranking)
    sentence = (
        f"{_whose(ranking)}: {expectation.doc} ({found}) should stand above {expectation.above} ({other}), but does not"
    )
    marks = {rank: why for rank, why in ((lower, "should stand below"), (upper, "should stand above")) if rank}
    return Finding(False, sentence, marks)


def _results(expectation: Results, ranking: Ranking, _: ValueOf) -> Finding:
    count = len(ranking)
    sentence = f"{_whose(ranking)}: {plural(count, 'document')} came back"
    if count == expectation.results:
        return Finding(True, f"{sentence}, as expected")
    return Finding(False, f"{sentence}, but this suite expects {expectation.results}")


def _measure(expectation: QueryMeasure, ranking: Ranking, value_of: ValueOf) -> Finding:
    value = value_of(expectation)
    low, high = expectation.at_least, expectation.at_most
    number = shown(value, low, high)
    head = f"{_whose(ranking)}: {expectation.measure.name} is {number}"
    depth = expectation.measure.cutoff or ROWS_SHOWN
    if low is not None and value < low:
        return Finding(False, f"{head}, below the {shown(low, value)} this suite expects", depth=depth)
    if high is not None and value > high:
        return Finding(False, f"{head}, above the {shown(high, value)} this suite allows", depth=depth)
    return Finding(True, f"{head}, as this suite expects")


def _whose(ranking: Ranking) -> str:
    return f"{ranking.query.text!r} on {ranking.retriever}"


def _not_there(ranking: Ranking) -> str:
    return f"not among the {plural(len(ranking), 'document')} retrieved"


def _shown_fields(document: RankedDocument, asked: tuple[str, ...]) -> list[str]:
    names = [name for name in ("title", *asked) if name in document.fields]
    return list(dict.fromkeys(names))


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(one) for one in value)
    return str(value)


_DECIDERS: Mapping[type, Callable[[Any, Ranking, ValueOf], Finding]] = {
    First: _first,
    Top: _top,
    DocAbove: _above,
    Results: _results,
    QueryMeasure: _measure,
}
