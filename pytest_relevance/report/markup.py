"""Markup: tables of Markdown, and text of which nothing becomes markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_relevance.report.text import visible

_CALL = re.compile(r"(?<![A-Za-z0-9])@")  # where a page is posted as a comment, nobody is called by it


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table; cells are text of any kind."""
    return marked_table(head, [[safe(cell) for cell in row] for row in rows])


def marked_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The same of cells that are Markdown already."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def safe(text: str) -> str:
    """Text that stands in a table or a line as it is: nothing of a query or an id becomes markup."""
    escaped = visible(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    for sign in "*_`[]#":
        escaped = escaped.replace(sign, f"\\{sign}")
    return _CALL.sub("&#64;", escaped)


def code(text: str) -> str:
    """Text as code in a line, whatever backticks it has itself."""
    shown = visible(text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"
