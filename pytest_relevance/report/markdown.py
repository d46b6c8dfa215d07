"""A session as one page of Markdown: the verdict line, values and changes, what fell, what could not be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.report.failures import failure_sections
from pytest_relevance.report.markup import marked_table, safe, table
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.numbers import plural
from pytest_relevance.verdict.record import Mean

_OUTCOMES = ("fail", "error", "not comparable", "inconclusive", "warn", "known_failure", "pass")
_WORDS = {"fail": "failed", "pass": "passed", "error": "errors", "warn": "warnings", "known_failure": "known failures"}


def markdown_page(verdicts: Iterable[Verdict]) -> str:
    """The page a release manager reads; every section is left out that would be empty."""
    listed = list(verdicts)
    sections = [
        _head(listed),
        _edits(listed),
        _values(listed),
        _failed(listed, ("fail",), "What fell or failed"),
        _failed(listed, ("error", "not comparable"), "What could not be decided"),
        _sentences(listed, ("inconclusive", "warn", "known_failure"), "Worth a look"),
        _notices(listed),
        _coverage(listed),
        _made_from(listed),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _head(verdicts: Sequence[Verdict]) -> list[str]:
    counts = {outcome: sum(one.outcome == outcome for one in verdicts) for outcome in _OUTCOMES}
    told = ", ".join(f"{count} {_WORDS.get(outcome, outcome)}" for outcome, count in counts.items() if count)
    return [f"## Relevance: {_verdict(verdicts, counts['inconclusive'])}", "", told]


def _verdict(verdicts: Sequence[Verdict], unsure: int) -> str:
    if any(one.failing for one in verdicts):
        return "not to be released as it is"
    if unsure:
        return f"nothing failed, and of {plural(unsure, 'check')} noise hides whether something got worse"
    return "nothing that was checked got worse"


def _edits(verdicts: Sequence[Verdict]) -> list[str]:
    """What the change under review asks otherwise: read before any green line is believed."""
    told = list(dict.fromkeys(edit for one in verdicts for edit in one.edits))
    return ["### What this change asks otherwise", "", *(f"- {safe(edit)}" for edit in told)] if told else []


def _values(verdicts: Sequence[Verdict]) -> list[str]:
    checked = [one for one in verdicts if one.kind in {"threshold", "regression"} and one.value is not None]
    known = {(one.suite, one.retriever, one.measure) for one in checked if not one.scope}
    rows = [_row(one) for one in checked]
    rows += [
        [safe(one.suite), safe(one.retriever), safe(mean.label), f"{mean.mean:.3f}", _interval(mean), "", "", "", ""]
        for one in verdicts
        if one.kind == "report"
        for mean in one.means
        if (one.suite, one.retriever, mean.label) not in known
    ]
    head = ["suite", "retriever", "measure", "value", "95 % interval", "asked", "before", "change", "outcome"]
    return ["### Values", "", *marked_table(head, rows)] if rows else []


def _row(verdict: Verdict) -> list[str]:
    now = next(iter(verdict.means), Mean("", verdict.value or 0.0))
    gate = verdict.gate
    label = f"{verdict.measure} ({verdict.scope})" if verdict.scope else verdict.measure
    before = f"{gate.old:.3f} {gate.against}" if gate else ""
    change = f"{gate.difference:+.3f} ({gate.low:+.3f} .. {gate.high:+.3f})" if gate else ""
    texts = [
        verdict.suite,
        verdict.retriever,
        label,
        f"{now.mean:.3f}",
        _interval(now),
        _asked(verdict),
        before,
        change,
    ]
    outcome = f"**{verdict.outcome}**" if verdict.failing else verdict.outcome
    return [*map(safe, texts), outcome]


def _asked(verdict: Verdict) -> str:
    """The bound in a few words."""
    bounds = [f"at least {verdict.at_least:g}"] if verdict.at_least is not None else []
    bounds += [f"at most {verdict.at_most:g}"] if verdict.at_most is not None else []
    if verdict.gate is not None and verdict.gate.allowed is not None:
        bounds.append(f"a drop of at most {verdict.gate.allowed:.3f}")
    return ", ".join(bounds)


def _interval(mean: Mean) -> str:
    return "" if mean.low is None or mean.high is None else f"{mean.low:.3f} .. {mean.high:.3f}"


def _failed(verdicts: Sequence[Verdict], outcomes: Sequence[str], title: str) -> list[str]:
    chosen = [one for one in verdicts if one.outcome in outcomes]
    return ["### " + title, *failure_sections(chosen)] if chosen else []


def _sentences(verdicts: Sequence[Verdict], outcomes: Sequence[str], title: str) -> list[str]:
    chosen = [one for one in verdicts if one.outcome in outcomes]
    told = [f"- {one.outcome}: {safe(one.sentence)} ({safe(one.place)})" for one in chosen]
    return [f"### {title}", "", *told] if told else []


def _notices(verdicts: Sequence[Verdict]) -> list[str]:
    told = list(dict.fromkeys(notice for one in verdicts for notice in one.notices))
    return ["### Notes", "", *(f"- {safe(notice)}" for notice in told)] if told else []


def _coverage(verdicts: Sequence[Verdict]) -> list[str]:
    """The share of judged documents of each retriever, beside that of before where any check tells it."""
    found: dict[tuple[str, ...], list[str]] = {}
    for one in verdicts:
        for beside in one.beside:
            if beside.measure.startswith("Judged"):
                key = (one.suite, one.retriever, one.qrels, beside.measure, f"{beside.mean:.3f}")
                before = found.setdefault(key, [])
                before += [f"{beside.old:.3f}"] if beside.old is not None else []
    rows = [[*key, before[0] if before else ""] for key, before in found.items()]
    head = ["suite", "retriever", "judgments", "measure", "now", "before"]
    return ["### Judged documents", "", *table(head, rows)] if rows else []


def _made_from(verdicts: Sequence[Verdict]) -> list[str]:
    rows = [
        [one.suite, one.retriever, name, text]
        for one in verdicts
        if one.gate
        for name, text in one.gate.made_from.items()
    ]
    unique = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    head = ["suite", "retriever", "what", "then -> now, where it changed"]
    return ["### Made from", "", *table(head, unique)] if unique else []
