"""Pages: the Markdown of a session, written to files or added to the summary of a GitHub Actions job."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

SUMMARY = "summary"
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


def write_pages(page: str, places: Iterable[Path | str]) -> None:
    """Write the page to each place; `summary` outside GitHub Actions, where there is none, writes nothing."""
    for place in places:
        if place != SUMMARY:
            Path(place).write_text(page, encoding="utf-8")
        elif os.environ.get(SUMMARY_VARIABLE):
            with Path(os.environ[SUMMARY_VARIABLE]).open("a", encoding="utf-8") as summary:
                summary.write(page)
