"""What has drifted since a recording: as lines, as Markdown and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_relevance.report.markup import safe, table
from pytest_relevance.report.text import columns_of, cut, visible
from pytest_relevance.runs.drift import Drift, Moved
from pytest_relevance.verdict.numbers import listed, plural

SCHEMA = 1
_HEAD = ("query", "RBO", "from rank", "entered", "left", "documents", "total")
_RIGHT = (False, True, True, False, False, True, True)
_NAMED = 3  # documents and query ids named in one place
_WIDEST = 40  # columns of a terminal for some ids


def drift_lines(suite: str, found: Sequence[Drift], *, most: int = 10) -> list[str]:
    """A heading for each retriever, what its services told of themselves, and its queries, the least alike first."""
    lines: list[str] = []
    for one in found:
        lines += [
            "",
            f"{visible(suite)}  {visible(one.retriever)}: {summary(one)}",
            *(f"  {line}" for line in _told(one)),
        ]
        if one.moved:
            rows = [list(_HEAD), *(_row(moved) for moved in one.moved[:most])]
            lines += ["", *(f"  {line}" for line in columns_of(rows, _RIGHT))]
        if len(one.moved) > most:
            lines.append(f"  and {len(one.moved) - most} more")
    return lines[1:]


def drift_markdown(suite: str, found: Sequence[Drift]) -> str:
    """The same as a page, with all queries."""
    lines = [f"## What {safe(suite)} recorded, and what its services answer now"]
    for one in found:
        lines += ["", f"### {safe(one.retriever)}", "", safe(summary(one)), ""]
        lines += [f"- {safe(line)}" for line in _told(one)]
        if one.moved:
            lines += ["", *table(_HEAD, [_row(moved) for moved in one.moved])]
    return "\n".join(lines) + "\n"


def drift_as_dict(suite: str, found: Sequence[Drift]) -> dict[str, Any]:
    """Full precision, with a numbered schema."""
    return {"schema": SCHEMA, "suite": suite, "retrievers": [_plain(one) for one in found]}


def summary(one: Drift) -> str:
    """One sentence."""
    if not one.compared:
        return "none of the recorded requests was answered now."
    asked = plural(one.compared, "recorded request")
    if not one.moved:
        return f"{asked}, all answered as they were recorded."
    return f"{len(one.moved)} of {asked} are answered otherwise now; the mean RBO of all is {one.likeness:.3f}."


def _told(one: Drift) -> list[str]:
    """What else a reader should know, a line each."""
    first, last = (time[:10] for time in one.recorded)
    lines = [f"recorded {first}" + (f" to {last}" if last != first else "")] if first else []
    then, now = (", ".join(map(visible, side)) or "not told" for side in one.engines)
    if (then, now) != ("not told", "not told"):
        lines.append(f"service: {then}" if then == now else f"service: {then} then, {now} now")
    lines += [
        f"did not run now: {visible(query_id)}: {visible(why)}" for query_id, why in [*one.failed.items()][:_NAMED]
    ]
    if len(one.failed) > _NAMED:
        lines.append(f"did not run now: {len(one.failed) - _NAMED} more")
    rest = (
        ("recorded of another request than is made now", one.other_requests),
        ("never recorded", one.unrecorded),
        ("recorded, and not asked any more", one.unasked),
    )
    return [*lines, *(f"{what}: {_ids(query_ids)}" for what, query_ids in rest if query_ids)]


def _row(moved: Moved) -> list[str]:
    return [
        cut(moved.query_id, _WIDEST),
        f"{moved.likeness:.3f}",
        str(moved.first_rank),
        cut(_ids(moved.entered), _WIDEST) or "-",
        cut(_ids(moved.left), _WIDEST) or "-",
        _then_and_now(*moved.documents),
        _then_and_now(*moved.totals),
    ]


def _then_and_now(then: int | None, now: int | None) -> str:
    told = ["-" if one is None else str(one) for one in (then, now)]
    return told[0] if told[0] == told[1] else " → ".join(told)


def _ids(ids: Sequence[str]) -> str:
    return listed([visible(one) for one in ids], _NAMED)


def _plain(one: Drift) -> dict[str, Any]:
    return {
        "retriever": one.retriever,
        "recorded": {"first": one.recorded[0], "last": one.recorded[1]},
        "engines": {"then": list(one.engines[0]), "now": list(one.engines[1])},
        "compared": one.compared,
        "same": one.same,
        "mean_rbo": one.likeness,
        "moved": [_plain_query(moved) for moved in one.moved],
        "failed": dict(one.failed),
        "other_requests": list(one.other_requests),
        "unrecorded": list(one.unrecorded),
        "unasked": list(one.unasked),
        "summary": summary(one),
    }


def _plain_query(moved: Moved) -> dict[str, Any]:
    return {
        "query_id": moved.query_id,
        "rbo": moved.likeness,
        "first_rank": moved.first_rank,
        "entered": list(moved.entered),
        "left": list(moved.left),
        "documents": {"then": moved.documents[0], "now": moved.documents[1]},
        "total": {"then": moved.totals[0], "now": moved.totals[1]},
    }
