"""Replaying: what is left over of the recordings of search APIs once a whole session has been replayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from pytest_relevance.evaluate import SuiteFlow
from pytest_relevance.runs import RecordingFolder

Asked: TypeAlias = dict[str, dict[str, list[str]]]  # folder of recordings → retriever → keys asked for


def asked_of(flows: Iterable[SuiteFlow]) -> Asked:
    """What the flows of this process asked the recordings for; JSON holds it."""
    found: Asked = {}
    for flow in flows:
        folder = flow.recordings
        if folder is not None:
            merge(found, {str(folder.folder): folder.asked()})
    return found


def merge(into: Asked, more: Mapping[str, Mapping[str, Iterable[str]]]) -> None:
    """Add what another flow or process asked for."""
    for folder, asked in more.items():
        known = into.setdefault(folder, {})
        for retriever, keys in asked.items():
            known[retriever] = sorted({*known.get(retriever, ()), *keys})


def unused_lines(asked: Asked) -> list[str]:
    """A line for each retriever whose recordings hold what nobody asked for; none where all were used."""
    lines = []
    for folder, by_retriever in sorted(asked.items()):
        for retriever, queries in RecordingFolder(Path(folder), "replay").unused(by_retriever).items():
            shown = ", ".join(queries[:10]) + (f" and {len(queries) - 10} more" if len(queries) > 10 else "")
            lines.append(f"recordings of {retriever} that nobody asked for: {shown}")
    return lines


def plan_lines(flows: Iterable[SuiteFlow]) -> list[str]:
    """How many requests would go where: a line for each retriever that asks over a network, and a sum."""
    lines, requests, most = [], 0, 0
    for flow in flows:
        for retriever, planned in flow.plan().items():
            for one in planned:
                bound = f" (at most {one.most} with all pages)" if one.most > one.requests else ""
                lines.append(f"{flow.suite.name}  {retriever}  {one.requests} requests to {one.service}{bound}")
                requests, most = requests + one.requests, most + one.most
    if not lines:
        return ["nothing would be asked over a network"]
    return [*lines, f"in all {requests} requests" + (f", at most {most}" if most > requests else "")]
