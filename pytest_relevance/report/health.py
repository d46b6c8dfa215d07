"""The health of judgments: bars for a terminal, and plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pytest_relevance.preflight.health import POOR, Health, Spread
from pytest_relevance.report.text import columns_of, cut

BAR = 40  # columns of the longest bar


def health_lines(health: Health) -> list[str]:
    """A page on one judgment set."""
    lines = [f"judgments {health.qrels}: {health.judgments:,} of {health.queries:,} queries", ""]
    lines += ["  grades", *_bars(health.grades, health.judgments), ""]
    lines += [f"  judged documents per query    {_spread(health.judged)}"]
    lines += [f"  relevant documents per query  {_spread(health.positives)}", ""]
    lines += [f"  best(nDCG-m@{health.cutoff}) = {health.ceiling:.3f}: no ranking can reach more on these judgments"]
    poorest = f", poorest: {', '.join(health.poorest)}" if health.poorest else ""
    lines += [f"  {health.poor:.1%} of the queries have an ideal below {POOR:g}{poorest}"]
    if health.slices:
        lines += ["", *(f"  {line}" for line in _slices(health))]
    if health.coverage:
        lines += ["", f"  Judged@{health.cutoff} of stored runs"]
        lines += [f"    {line}" for line in columns_of(_shares(health.coverage), [False, True, False])]
    return lines


def health_as_dict(health: Health) -> dict[str, Any]:
    """The page as data, with full precision; `iqr` beside the quantiles."""
    plain = asdict(health)
    for name, spread in (("judged", health.judged), ("positives", health.positives)):
        plain[name]["iqr"] = spread.iqr
    return plain


def _bars(counts: Mapping[str, int], total: int) -> list[str]:
    most = max(counts.values(), default=1)
    rows = [
        [grade, f"{count:,}", f"{count / total:.1%}", "#" * max(1, round(BAR * count / most))]
        for grade, count in counts.items()
    ]
    return [f"    {line}" for line in columns_of(rows, [True, True, True, False])]


def _spread(spread: Spread) -> str:
    return (
        f"median {spread.median:g}, IQR {spread.iqr:g} ({spread.p25:g} to {spread.p75:g}), "
        f"5 to 95 %: {spread.p5:g} to {spread.p95:g}"
    )


def _slices(health: Health) -> Iterator[str]:
    rows = [["slice", "queries", "judged", "judgments"]]
    rows += [
        [name, f"{part.queries:,}", f"{part.judged_queries:,}", f"{part.judgments:,}"]
        for name, part in health.slices.items()
    ]
    yield from columns_of(rows, [False, True, True, True])


def _shares(shares: Mapping[str, float]) -> list[list[str]]:
    return [[cut(name, 60), f"{share:.3f}", "#" * round(BAR * share)] for name, share in shares.items()]
