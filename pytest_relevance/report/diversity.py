"""The table of what each retriever adds to the others, under the table of a session."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance.report.text import columns_of, cut
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.diversity import Diversity
from pytest_relevance.verdict.numbers import plural

NAME_COLUMNS = 32


def diversity_lines(verdicts: Iterable[Verdict]) -> list[str]:
    """For each suite where it was asked for: positives found and found by no other, and the overlap of each pair."""
    lines: list[str] = []
    for verdict in verdicts:
        if verdict.diversity is not None:
            lines += ["", *_of_suite(verdict, verdict.diversity)]
    return lines


def _of_suite(verdict: Verdict, diversity: Diversity) -> list[str]:
    head = (
        f"diversity: {plural(diversity.relevant, 'positive')} of {plural(diversity.queries, 'query', 'queries')} "
        f"in {verdict.qrels}, within the first {diversity.depth}; overlap of each pair"
    )
    overlaps = {(pair.one, pair.other): pair.overlap for pair in diversity.pairs}
    overlaps |= {(other, one): value for (one, other), value in overlaps.items()}
    names = [finder.retriever for finder in diversity.finders]
    rows = [[cut(verdict.suite, NAME_COLUMNS), "found", "unique", *(cut(name, NAME_COLUMNS) for name in names)]]
    for finder in diversity.finders:
        alike = [_shown(overlaps.get((finder.retriever, name))) for name in names]
        rows.append([f"  {cut(finder.retriever, NAME_COLUMNS)}", str(finder.found), str(finder.unique), *alike])
    rows.append(["  together", str(diversity.together), "", *("" for _ in names)])
    return [head, *columns_of(rows, [False] + [True] * (len(names) + 2), gap="   ")]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
