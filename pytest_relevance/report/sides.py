"""Two rankings of a query side by side: as lines, and as a part of a page that is folded away."""

from __future__ import annotations

from pytest_relevance.report.labels import query_label
from pytest_relevance.report.markup import safe
from pytest_relevance.report.text import columns_of, cut
from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.record import Move, Side

_QUERIES = 2  # shown without -v
_DOC_COLUMNS = 24


def side_blocks(verdict: Verdict, *, verbose: bool) -> list[list[str]]:
    """A block of lines for each of the worst queries; for the worst two where not all are wanted."""
    return [side_lines(side, verbose=verbose) for side in (verdict.sides if verbose else verdict.sides[:_QUERIES])]


def side_lines(side: Side, *, verbose: bool = False) -> list[str]:
    """Both rankings of a query, rank by rank: grades, unjudged marks, where each document went or came from."""
    space = 80 if verbose else _DOC_COLUMNS
    values = f"{side.new:.3f}" if side.old is None else f"{side.old:.3f} -> {side.new:.3f}"
    grade = ["grade"] if side.graded else []
    rows = [["rank", cut(side.against, 16), *grade, "went to", "now", *grade, "was"]]
    rows += [_row(move, space, graded=side.graded) for move in side.moves]
    right = [True, *([False] * (len(rows[0]) - 1))]
    return [f"  {query_label(side)}   {values}", *(f"    {line}" for line in columns_of(rows, right))]


def folded_side(side: Side) -> list[str]:
    """The same for a page of Markdown: one line, and the rankings where somebody opens it."""
    head = f"<details><summary>{safe(side.query_id)} then and now</summary>"
    return ["", head, "", "```text", *side_lines(side), "```", "", "</details>"]


def _row(move: Move, space: int, *, graded: bool) -> list[str]:
    old = _cells(move.old, move.old_grade, _went(move), space, graded=graded)
    new = _cells(move.new, move.new_grade, _came(move), space, graded=graded)
    return [str(move.rank), *old, *new]


def _cells(doc_id: str, grade: float | None, moved: str, space: int, *, graded: bool) -> list[str]:
    """What one side has at a rank: a document, its grade where there are judgments, and its move."""
    told = [] if not graded else ["unjudged" if grade is None else f"{grade:g}"]
    return [cut(doc_id, space), *told, moved] if doc_id else ["-", *("" for _ in told), ""]


def _went(move: Move) -> str:
    if move.to is None:
        return "left"
    return "" if move.to == move.rank else str(move.to)


def _came(move: Move) -> str:
    if move.since is None:
        return "entered"
    return "" if move.since == move.rank else str(move.since)
