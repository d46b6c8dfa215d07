"""A session as one page of Markdown: the verdict line, values and changes, what fell, what could not be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pytest_relevance.report.regression import side_lines
from pytest_relevance.report.text import visible
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.record import Gate, Mean

_OUTCOMES = ("fail", "error", "not comparable", "inconclusive", "warn", "known_failure", "pass")
_WORDS = {"fail": "failed", "pass": "passed", "error": "errors", "warn": "warnings", "known_failure": "known failures"}
_WORST = 5
_CALL = re.compile(r"(?<![A-Za-z0-9])@")  # where a page is posted as a comment, nobody is called by it


def markdown_page(verdicts: Iterable[Verdict]) -> str:
    """The page a release manager reads; every section is left out that would be empty."""
    listed = list(verdicts)
    sections = [
        _head(listed),
        _table(listed),
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
    red = any(one.failing for one in verdicts)
    verdict = "not to be released as it is" if red else "nothing that was checked got worse"
    return [f"## Relevance: {verdict}", "", told]


def _table(verdicts: Sequence[Verdict]) -> list[str]:
    rows = [_row(one) for one in verdicts if one.kind in {"threshold", "regression"} and one.value is not None]
    rows += [
        [one.suite, one.retriever, mean.label, f"{mean.mean:.3f}", _interval(mean), "", "", ""]
        for one in verdicts
        if one.kind == "report"
        for mean in one.means
    ]
    head = ["suite", "retriever", "measure", "value", "95 % interval", "before", "change", "outcome"]
    return ["### Values", "", *table(head, rows)] if rows else []


def _row(verdict: Verdict) -> list[str]:
    now = next(iter(verdict.means), Mean("", verdict.value or 0.0))
    scope = f" ({verdict.scope})" if verdict.scope else ""
    gate = verdict.gate
    before = f"{gate.old:.3f} {gate.against}" if gate else ""
    change = f"{gate.difference:+.3f} ({gate.low:+.3f} .. {gate.high:+.3f})" if gate else ""
    label = f"{verdict.measure}{scope}"
    value = f"{now.mean:.3f}"
    return [verdict.suite, verdict.retriever, label, value, _interval(now), before, change, verdict.outcome]


def _interval(mean: Mean) -> str:
    return "" if mean.low is None or mean.high is None else f"{mean.low:.3f} .. {mean.high:.3f}"


def _failed(verdicts: Sequence[Verdict], outcomes: Sequence[str], title: str) -> list[str]:
    chosen = [one for one in verdicts if one.outcome in outcomes]
    lines = ["### " + title] if chosen else []
    for one in chosen:
        first, *more = one.sentence.splitlines() or [""]
        lines += ["", f"**{safe(first)}**"]
        lines += ["", "```text", *(f"    {visible(line)}" for line in more), "```"] if more else []
        lines += ["", *_details(one)]
    return lines


def _details(verdict: Verdict) -> list[str]:
    lines = [f"- {safe(verdict.suite)}, {safe(verdict.retriever)}, {safe(verdict.title)}, {safe(verdict.place)}"]
    gate = verdict.gate
    if gate:
        lines.append(f"- queries better/same/worse: {gate.better} / {gate.same} / {gate.worse}")
        lines += [f"- p = {gate.p_value:.3g}"] if gate.p_value is not None and gate.decision else []
        lines += [f"- smallest drop these queries show: {gate.detectable:.3f}"] if gate.detectable is not None else []
        lines += [f"- not as it was: {safe(change)}" for change in gate.changes]
    lines += [f"- {safe(remark)}" for remark in verdict.remarks]
    return [*lines, *_worst(verdict, gate), *_sides(verdict, gate)]


def _worst(verdict: Verdict, gate: Gate | None) -> list[str]:
    rows = []
    for one in verdict.worst[:_WORST]:
        before = "" if one.other is None else f"{one.other:.3f}"
        judged = "" if one.judged is None else f"{one.judged} ({one.unjudged} unjudged)"
        rows.append([one.query_id, one.text, before, f"{one.value:.3f}", judged])
    return ["", *table(["query", "text", gate.against if gate else "other", "now", "judged"], rows)] if rows else []


def _sides(verdict: Verdict, gate: Gate | None) -> list[str]:
    lines = []
    for side in verdict.sides if gate else ():
        shown = side_lines(side, gate.against if gate else "")
        if shown:
            lines += ["", f"<details><summary>{safe(side.query_id)} then and now</summary>", "", "```text"]
            lines += [*shown, "```", "", "</details>"]
    return lines


def _sentences(verdicts: Sequence[Verdict], outcomes: Sequence[str], title: str) -> list[str]:
    chosen = [one for one in verdicts if one.outcome in outcomes]
    told = [f"- {one.outcome}: {safe(one.sentence)} ({safe(one.place)})" for one in chosen]
    return [f"### {title}", "", *told] if told else []


def _notices(verdicts: Sequence[Verdict]) -> list[str]:
    told = list(dict.fromkeys(notice for one in verdicts for notice in one.notices))
    return ["### Notes", "", *(f"- {safe(notice)}" for notice in told)] if told else []


def _coverage(verdicts: Sequence[Verdict]) -> list[str]:
    rows = []
    for one in verdicts:
        for beside in one.beside:
            if beside.measure.startswith("Judged"):
                before = "" if beside.old is None else f"{beside.old:.3f}"
                rows.append([one.suite, one.retriever, one.qrels, beside.measure, f"{beside.mean:.3f}", before])
    unique = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    head = ["suite", "retriever", "judgments", "measure", "now", "before"]
    return ["### Judged documents", "", *table(head, unique)] if unique else []


def _made_from(verdicts: Sequence[Verdict]) -> list[str]:
    rows = [
        [one.suite, one.retriever, name, text]
        for one in verdicts
        if one.gate
        for name, text in one.gate.made_from.items()
    ]
    unique = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    return ["### Made from", "", *table(["suite", "retriever", "what", "content hash"], unique)] if unique else []


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as lines of Markdown; its cells are text, whatever signs are in them."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(safe, row)) + " |" for row in rows]


def safe(text: str) -> str:
    """Text that stands in a table or a line as it is: nothing of a query or an id becomes markup."""
    escaped = visible(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    for sign in "*_`[]#":
        escaped = escaped.replace(sign, f"\\{sign}")
    return _CALL.sub("&#64;", escaped)
