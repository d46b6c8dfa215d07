"""Tracebacks that end where the user's own code ends."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

PACKAGE = str(Path(__file__).resolve().parents[1])


def without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback cut before its last frames that are this package's own; whole if there is nothing before them."""
    entries = []
    while traceback:
        entries.append(traceback)
        traceback = traceback.tb_next
    while entries and entries[-1].tb_frame.f_code.co_filename.startswith(PACKAGE):
        entries.pop()
    kept: TracebackType | None = None
    for entry in reversed(entries):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept
