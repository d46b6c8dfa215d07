"""The text of one verdict: the sentence first, then the numbers behind it, then what to try next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.report.labels import judged_label, query_label
from pytest_relevance.report.regression import regression_blocks
from pytest_relevance.report.sides import side_blocks
from pytest_relevance.report.steps import step_lines
from pytest_relevance.report.text import columns_of, cut, width
from pytest_relevance.verdict import Mean, Row, Verdict

BROKEN_SHOWN = 5  # queries of a table shown without -v
ROWS_SHOWN = 20  # rows of a ranking shown without -v


def lines(verdict: Verdict, *, columns: int = 100, verbose: bool = False) -> list[str]:
    """A verdict as lines of at most `columns` columns where its parts can be cut; `verbose` shows all rows, uncut."""
    if verdict.kind == "set-up":
        return verdict.sentence.splitlines()
    blocks: list[list[str]] = [[verdict.sentence]]
    blocks.append([f"  {'   '.join(part for part in (verdict.place, verdict.context) if part)}"])
    if verdict.gate is not None:
        blocks += regression_blocks(verdict, columns, verbose)
        return _joined(block for block in blocks if block and block[0].strip())
    blocks.append(_means(verdict.means))
    blocks.append(_worst(verdict, columns))
    blocks += side_blocks(verdict, verbose=verbose)
    blocks.append(_broken(verdict, columns, verbose))
    blocks.append(ranking_lines(verdict.rows, columns, verbose=verbose))
    blocks.append(_beside(verdict))
    blocks.append(step_lines(verdict))
    return _joined(block for block in blocks if block and block[0].strip())


def _means(means: Sequence[Mean]) -> list[str]:
    if not means:
        return []
    rows = [["", "mean", "95% interval"]]
    for mean in means:
        interval = "" if mean.low is None or mean.high is None else f"{mean.low:.3f} .. {mean.high:.3f}"
        rows.append([mean.label, f"{mean.mean:.3f}", interval])
    return [f"    {line}" for line in columns_of(rows, [False, True, False])]


def _worst(verdict: Verdict, columns: int) -> list[str]:
    if not verdict.worst:
        return []
    cutoff = verdict.measure.rpartition("@")[2] if "@" in verdict.measure else ""
    with_other = any(one.other is not None for one in verdict.worst)
    with_judged = any(one.judged is not None for one in verdict.worst)
    above = verdict.at_most is not None and verdict.value is not None and verdict.value > verdict.at_most
    head = ["highest queries" if above else "lowest queries", verdict.retriever if with_other else verdict.measure]
    head += [verdict.worst_beside or "other"] if with_other else []
    head += [f"judged in top {cutoff}"] if with_judged else []
    rows = [head]
    for one in verdict.worst:
        row = [cut(query_label(one), max(20, columns - 45)), f"{one.value:.3f}"]
        row += [f"{one.other:.3f}" if one.other is not None else ""] if with_other else []
        row += [judged_label(one)] if with_judged else []
        rows.append(row)
    right = [False, True, *([True] * with_other), *([False] * with_judged)]
    return [f"  {line}" for line in columns_of(rows, right)]


def _broken(verdict: Verdict, columns: int, verbose: bool) -> list[str]:
    """The worst queries of a table with their sentences, and whose ranking follows."""
    if not verdict.broken:
        return []
    shown = verdict.broken if verbose else verdict.broken[:BROKEN_SHOWN]
    ids = [cut(one.query_id, 32) for one in shown]
    space = 10_000 if verbose else max(40, columns - 6 - max(map(width, ids)))
    rows = [[query_id, cut(one.sentence, space)] for query_id, one in zip(ids, shown, strict=True)]
    text = ["  worst first:", *(f"    {line}" for line in columns_of(rows, [False, False]))]
    hidden = verdict.broken_queries - len(shown)
    if hidden:
        more = f", {len(verdict.broken)} with -v" if not verbose and len(verdict.broken) > len(shown) else ""
        text.append(f"    … and {hidden} more{more}")
    return [*text, "", f"  {ids[0]}:"] if verdict.rows else text


def ranking_lines(rows: Sequence[Row], columns: int, *, verbose: bool = False) -> list[str]:
    """Rows of a ranking as aligned lines, each with its mark."""
    if not rows:
        return []
    names = list(dict.fromkeys(name for row in rows for name in row.fields))
    shown = rows if verbose else _most_telling(rows)
    space = max(12, (columns - 40) // max(1, len(names)))
    table = [["rank", "doc_id", "grade", *names, ""]]
    for row in shown:
        fields = [row.fields.get(name, "-") for name in names]
        cells = fields if verbose else [cut(cell, space) for cell in fields]
        grade = "unjudged" if row.grade is None else f"{row.grade:g}"
        table.append([str(row.rank), cut(row.doc_id, 40), grade, *(cut(cell, 10_000) for cell in cells), _mark(row)])
    text = columns_of(table, [True, False, False, *([False] * len(names)), False])
    hidden = len(rows) - len(shown)
    return [f"  {line}" for line in text] + ([f"  … {hidden} more rows with -v"] if hidden else [])


def _mark(row: Row) -> str:
    return f"<- {row.mark}" if row.mark else ""


def _most_telling(rows: Sequence[Row]) -> Sequence[Row]:
    if len(rows) <= ROWS_SHOWN:
        return rows
    marked = [row for row in rows if row.mark][:ROWS_SHOWN]
    plain = [row for row in rows if not row.mark][: ROWS_SHOWN - len(marked)]
    return sorted((*marked, *plain), key=lambda row: row.rank)


def _beside(verdict: Verdict) -> list[str]:
    text = []
    if verdict.beside:
        text.append("  beside it: " + ", ".join(f"{one.measure} {one.mean:.3f}" for one in verdict.beside))
    judged = next((one.mean for one in verdict.beside if one.measure.startswith("Judged")), None)
    holes = any(one.unjudged for one in verdict.worst)
    if judged is not None and judged < 0.5 and holes and verdict.outcome != "pass":
        text.append(f"  Only {judged:.0%} of what is ranked there is judged: this may say more of the labels.")
    return text + [f"  {remark}" for remark in verdict.remarks]


def _joined(blocks: Iterable[list[str]]) -> list[str]:
    text: list[str] = []
    for block in blocks:
        text += ["", *block] if text else block
    return text
