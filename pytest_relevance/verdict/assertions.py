"""Deciding assertions: whether an expectation holds of one ranking, or of enough of a table of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nsmallest

from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.suite import Assertion, Expectation, values_at
from pytest_relevance.verdict.record import Broken, Outcome, Row, Verdict
from pytest_relevance.verdict.vocabulary import Finding
from pytest_relevance.verdict.words import Evidence, find

BROKEN_KEPT = 20  # queries of a table that a verdict names


def decide_expectation(
    suite: str, assertion: Assertion, expectation: Expectation, ranking: Ranking, evidence: Evidence
) -> Verdict:
    """Whether one expectation holds of one ranking, with the ranking to the depth that matters if it does not."""
    finding = find(expectation, ranking, evidence)
    known = assertion.known_failure_of(expectation)
    return Verdict(
        suite=suite,
        retriever=ranking.retriever,
        title=expectation.text,
        kind="assertion",
        outcome=_outcome(assertion, expectation, finding.holds),
        sentence=_strict(finding.sentence, known) if finding.holds and known else finding.sentence,
        place=str(expectation.place),
        context=f"expected: {expectation.text}",
        query=ranking.query.query_id,
        queries=1,
        rows=() if finding.holds else rows_of_finding(ranking, finding),
        remarks=finding.remarks,
        known_failure=known,
    )


def decide_table(
    suite: str,
    assertion: Assertion,
    expectation: Expectation,
    retriever: str,
    rankings: Iterable[tuple[Ranking, Evidence]],
) -> Verdict:
    """Whether one expectation holds of enough rankings, with the queries it is furthest from holding for."""
    broken: list[tuple[float, int, Ranking, Finding]] = []
    total = failing = 0
    for ranking, evidence in rankings:
        total += 1
        finding = find(expectation, ranking, evidence)
        if not finding.holds:
            failing += 1
            broken.append((-finding.shortfall, total, ranking, finding))
            if len(broken) > 50 * BROKEN_KEPT:  # rankings are large; only the worst are told
                broken = nsmallest(BROKEN_KEPT, broken)
    broken = nsmallest(BROKEN_KEPT, broken)
    holds = (total - failing) / total >= assertion.mostly
    known = assertion.known_failure_of(expectation)
    sentence = _of_table(expectation.text, total, failing, retriever, assertion.mostly)
    return Verdict(
        suite=suite,
        retriever=retriever,
        title=expectation.text,
        kind="assertion",
        outcome=_outcome(assertion, expectation, holds),
        sentence=_strict(sentence, known) if holds and known else sentence,
        place=str(expectation.place),
        context=f"{assertion.about}   expected: {expectation.text}",
        queries=total,
        broken=() if holds else tuple(Broken(one[2].query.query_id, one[3].sentence) for one in broken),
        broken_queries=failing,
        rows=() if holds else rows_of_finding(broken[0][2], broken[0][3]),
        remarks=() if holds else broken[0][3].remarks,
        known_failure=known,
    )


def rows_of(ranking: Ranking, marks: Mapping[int, str], depth: int, fields: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """The rows of a ranking down to `depth`, and beyond it those with a mark."""
    return rows_of_finding(ranking, Finding(False, "", marks, depth, fields))


def rows_of_finding(ranking: Ranking, finding: Finding) -> tuple[Row, ...]:
    """The rows that a finding asks to be shown, each with its mark."""
    return tuple(
        Row(
            document.rank,
            document.doc_id,
            document.grade,
            {**_shown_fields(document, finding.fields), **finding.beside.get(document.rank, {})},
            finding.marks.get(document.rank, ""),
        )
        for document in ranking
        if document.rank <= finding.depth or document.rank in finding.marks
    )


def _shown_fields(document: RankedDocument, asked: tuple[str, ...]) -> dict[str, str]:
    """The title, and the fields an expectation looks at, by their paths."""
    shown = {"title": _text(document.fields["title"])} if "title" in document.fields else {}
    for path in asked:
        values = values_at(document.fields, path)
        shown[path] = _text(values[0] if len(values) == 1 else values) if values else "-"
    return shown


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(one) for one in value)
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _outcome(assertion: Assertion, expectation: Expectation, holds: bool) -> Outcome:
    if assertion.known_failure_of(expectation):
        return "fail" if holds else "known_failure"
    if holds:
        return "pass"
    return "warn" if assertion.level_of(expectation) == "warn" else "fail"


def _strict(sentence: str, known: str) -> str:
    return f"{sentence}; it is marked as a known failure ({known}), which is over: remove known_failure"


def _of_table(text: str, total: int, failing: int, retriever: str, mostly: float) -> str:
    held = f"all {total}" if not failing else f"{total - failing} of {total}"
    head = f"{text} holds for {held} {'query' if total == 1 else 'queries'} on {retriever}"
    if not failing:
        return head
    if mostly == 1:
        return f"{head}, and should hold for all"
    share = (total - failing) / total
    return f"{head} ({share:.4g}), {'below' if share < mostly else 'at least'} the {mostly:.4g} this suite expects"
