"""Pages: what a session leaves, written to files or added to the summary of a GitHub Actions job."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

SUMMARY = "summary"
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


def write_pages(page: str, places: Iterable[Path | str]) -> list[str]:
    """Write the page to each place, and say of which it could not be written, and why.

    `summary` outside GitHub Actions, where there is none, writes nothing.
    """
    problems = []
    for place in places:
        target = os.environ.get(SUMMARY_VARIABLE) if place == SUMMARY else place
        if not target:
            continue
        try:
            with Path(target).open("a" if place == SUMMARY else "w", encoding="utf-8") as file:
                file.write(page)
        except OSError as error:  # a disk that filled up, a folder that went: the session's other outputs still count
            problems.append(f"{place} cannot be written ({error.strerror}): make room for it, or name another place")
    return problems
