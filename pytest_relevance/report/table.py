"""The table at the end of a session: retrievers by measures, one look a suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.report.text import columns_of, cut
from pytest_relevance.verdict import Verdict

NAME_COLUMNS = 32
CHECKS = frozenset(("threshold", "order", "overlap", "results", "regression", "baseline", "bias"))


def table(verdicts: Iterable[Verdict]) -> list[str]:
    """Means by suite, retriever and measure; `!` marks one that a check found out of bounds, `~` one that warns."""
    by_suite: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_suite.setdefault(verdict.suite, []).append(verdict)
    text: list[str] = []
    for suite, members in by_suite.items():
        text += ["", *_of_suite(suite, members)] if text else _of_suite(suite, members)
    return text


def _of_suite(suite: str, verdicts: Sequence[Verdict]) -> list[str]:
    usual = _usual_judgments(verdicts)
    cells: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        row = cells.setdefault(verdict.retriever, {})
        if verdict.kind == "report":
            for mean in verdict.means:
                row.setdefault(mean.label, f"{mean.mean:.3f}")
        elif verdict.kind == "threshold" and verdict.value is not None and not verdict.scope:
            label = verdict.measure if verdict.qrels == usual else f"{verdict.measure} {verdict.qrels}"
            row[label] = f"{verdict.value:.3f}{_sign(verdict, row.get(label, ''))}"
    measures = list(dict.fromkeys(measure for row in cells.values() for measure in row))
    moved = {retriever: _moved(verdicts, retriever) for retriever in cells}
    compared = ["vs baseline"] if any(moved.values()) else []
    rows = [[suite, *measures, *compared, "checks", "assertions"]]
    for retriever in cells:
        mine = [verdict for verdict in verdicts if verdict.retriever == retriever]
        values = [cells[retriever].get(measure, "-") for measure in measures]
        change = [moved[retriever] or "-"] if compared else []
        rows.append([f"  {cut(retriever, NAME_COLUMNS)}", *values, *change, _checks(mine), _assertions(mine)])
    return columns_of(rows, [False] + [True] * (len(measures) + len(compared) + 2), gap="   ")


def _moved(verdicts: Sequence[Verdict], retriever: str) -> str:
    """`nDCG@10 -0.037 !`: what the first check against the baseline found, a failing one first."""
    against = [
        verdict
        for verdict in verdicts
        if verdict.retriever == retriever and verdict.gate and verdict.gate.against == "baseline" and not verdict.scope
    ]
    shown = next((one for one in against if one.failing), against[0] if against else None)
    if shown is None or shown.gate is None:
        return ""
    return f"{shown.measure} {shown.gate.difference:+.3f}{_sign(shown, '')}"


def _usual_judgments(verdicts: Sequence[Verdict]) -> str | None:
    """The judgment set that needs no name in the table: the report's, or the only one; None if each must be named."""
    reported = {verdict.qrels for verdict in verdicts if verdict.kind == "report"}
    sets = reported or {verdict.qrels for verdict in verdicts if verdict.kind == "threshold"}
    return sets.pop() if len(sets) == 1 else None


def _sign(verdict: Verdict, before: str) -> str:
    """The mark of a value; a better verdict on the same value does not take a worse one's mark away."""
    if verdict.outcome == "fail" or before.endswith("!"):
        return " !"
    return " ~" if verdict.outcome == "warn" or before.endswith("~") else ""


def _checks(verdicts: Sequence[Verdict]) -> str:
    return _counted([one for one in verdicts if one.kind in CHECKS], verdicts)


def _assertions(verdicts: Sequence[Verdict]) -> str:
    return _counted([one for one in verdicts if one.kind == "assertion"], ())


def _counted(asked: Sequence[Verdict], all_of_them: Sequence[Verdict]) -> str:
    if not asked:
        return "not retrieved" if any(one.kind == "set-up" for one in all_of_them) else "-"
    held = sum(one.outcome == "pass" for one in asked)
    known = sum(one.outcome == "known_failure" for one in asked)
    told = f"{held} of {len(asked)}" if held < len(asked) else f"all {held}"
    return f"{told} ({known} known)" if known else told
