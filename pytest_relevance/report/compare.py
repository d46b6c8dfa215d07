"""Two runs compared, as lines, as Markdown and as plain data for JSON, with a summary in plain words."""

from __future__ import annotations

from typing import Any

from pytest_relevance.evaluate.pairwise import Difference, RunComparison
from pytest_relevance.report.markup import safe, table
from pytest_relevance.report.sides import folded_side, side_lines
from pytest_relevance.report.text import columns_of, visible
from pytest_relevance.verdict.numbers import listed, plural

SCHEMA = 1
_HEAD = ("measure", "slice", "old", "new", "change", "95% interval", "better/same/worse", "p")


def compare_lines(found: RunComparison, *, movers: int = 3) -> list[str]:
    """The summary first, then a table of measures, how alike the rankings are, and the biggest movers."""
    lines = [summary(found), ""]
    if found.differences:
        rows = [list(_HEAD), *(_row(one) for one in found.differences)]
        lines += columns_of(rows, [False, False, True, True, True, False, False, True])
    rows = [["rankings", "mean"], *([name, f"{mean:.3f}"] for name, mean in found.overlaps.items())]
    lines += ["", *columns_of(rows, [False, True])]
    lines += _notes(found)
    for mover in found.movers[:movers]:
        lines += ["", *side_lines(mover)]
    return lines


def compare_markdown(found: RunComparison, *, movers: int = 3) -> str:
    """The same as a page."""
    old, new = map(safe, found.names)
    lines = [f"## {old} and {new}", "", safe(summary(found)), ""]
    if found.differences:
        lines += [*table(_HEAD, [_row(one) for one in found.differences]), ""]
    lines += table(("rankings", "mean"), [(name, f"{mean:.3f}") for name, mean in found.overlaps.items()])
    notes = _notes(found)
    lines += ["", *(f"- {safe(note)}" for note in notes)] if notes else []
    for mover in found.movers[:movers]:
        lines += folded_side(mover)
    return "\n".join(lines) + "\n"


def _notes(found: RunComparison) -> list[str]:
    """What is not in the numbers: queries of one run only, and those nobody judged."""
    only = []
    for name, query_ids in zip(found.names, found.only, strict=True):
        if query_ids:
            ids = listed([visible(query_id) for query_id in query_ids])
            only.append(f"only in {visible(name)}: {plural(len(query_ids), 'query', 'queries')} ({ids})")
    return [*only, *found.notes]


def compare_as_dict(found: RunComparison) -> dict[str, Any]:
    """Full precision, with a numbered schema."""
    return {
        "schema": SCHEMA,
        "old": found.names[0],
        "new": found.names[1],
        "queries": found.queries,
        "only_old": list(found.only[0]),
        "only_new": list(found.only[1]),
        "overlaps": dict(found.overlaps),
        "measures": [_plain(one) for one in found.differences],
        "movers": [{"query_id": one.query_id, "old": one.old, "new": one.new} for one in found.movers],
        "summary": summary(found),
    }


def summary(found: RunComparison) -> str:
    """One paragraph in plain words."""
    old, new = map(visible, found.names)
    sentences = [_sentence(one, new) for one in found.differences if not one.slice]
    changed = found.overlaps["Changed@10"]
    same = "No query has" if changed == 0 else f"{changed:.0%} of the {found.queries} queries have"
    sentences.append(f"{same} another first ten than in {old}; RBO is {found.overlaps['RBO(p=0.9)@100']:.2f}.")
    judged = next((one for one in found.differences if one.measure == "Judged@10" and not one.slice), None)
    if judged is not None and judged.comparison.difference < -0.01:
        sentences.append("Fewer of the documents shown are judged than before: a fall may be missing judgments.")
    return " ".join(sentences)


def _sentence(one: Difference, new: str) -> str:
    result = one.comparison
    moved = f"{one.measure} of {new} is {result.new_mean:.3f}, {result.difference:+.3f}"
    if result.better == result.worse == 0:
        return f"{one.measure} is the same for every query ({result.new_mean:.3f})."
    low, high = result.interval.low, result.interval.high
    if low > 0 or high < 0:
        return f"{moved}, and noise does not explain it ({low:+.3f} .. {high:+.3f})."
    return f"{moved}: not to be told from noise ({low:+.3f} .. {high:+.3f})."


def _row(one: Difference) -> list[str]:
    result = one.comparison
    return [
        one.measure,
        one.slice,
        f"{result.old_mean:.4f}",
        f"{result.new_mean:.4f}",
        f"{result.difference:+.4f}",
        f"{result.interval.low:+.4f} .. {result.interval.high:+.4f}",
        f"{result.better} / {result.same} / {result.worse}",
        f"{result.p_randomisation:.3g}",
    ]


def _plain(one: Difference) -> dict[str, Any]:
    result = one.comparison
    return {
        "measure": one.measure,
        "slice": one.slice or None,
        "queries": result.queries,
        "old": result.old_mean,
        "new": result.new_mean,
        "difference": result.difference,
        "interval": [result.interval.low, result.interval.high],
        "bootstrap": [result.bca.low, result.bca.high],
        "better": result.better,
        "same": result.same,
        "worse": result.worse,
        "p_randomisation": result.p_randomisation,
        "p_student": result.p_student,
        "p_wilcoxon": result.p_wilcoxon,
        "effect": result.effect,
    }
