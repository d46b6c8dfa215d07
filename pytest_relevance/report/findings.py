"""The findings of a pre-flight: grouped by level for a terminal, and as plain data for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pytest_relevance.preflight.findings import ORDER, Finding, by_level
from pytest_relevance.report.text import visible

SCHEMA = 1


def finding_lines(findings: Sequence[Finding]) -> list[str]:
    """Each finding as its sentence, its examples and its fix; errors first, and how many there are at the end."""
    lines: list[str] = []
    for finding in by_level(findings):
        lines += [*_of(finding), ""]
    return [*lines, counts_line(findings)]


def counts_line(findings: Iterable[Finding]) -> str:
    """`1 error, 3 warnings, no notes`."""
    counts = Counter(finding.level for finding in findings)
    return ", ".join(f"{counts[level] or 'no'} {level}{'' if counts[level] == 1 else 's'}" for level in ORDER)


def findings_as_dict(findings: Sequence[Finding]) -> dict[str, Any]:
    """`{"schema": 1, "counts": {"error": 0, …}, "findings": [{"level": …, "rule": …}]}`, shares in full precision."""
    counts = Counter(finding.level for finding in findings)
    listed = [asdict(finding) for finding in by_level(findings)]
    return {"schema": SCHEMA, "counts": {level: counts[level] for level in ORDER}, "findings": listed}


def _of(finding: Finding) -> list[str]:
    share = f" ({finding.share:.1%})" if finding.share is not None else ""
    place = f"{visible(finding.place)}: " if finding.place else ""
    lines = [f"{finding.level}: {finding.rule}", f"  {place}{visible(finding.sentence)}{share}"]
    if finding.examples:
        lines.append(f"  such as: {'; '.join(map(visible, finding.examples))}")
    return [*lines, f"  fix: {visible(finding.fix)}"]
