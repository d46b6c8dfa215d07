"""`pytest-relevance cache`: what is kept between runs, how large it is, and taking some of it away."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_relevance.cli.located import FAULT, located
from pytest_relevance.errors import UsageError

if TYPE_CHECKING:
    from pytest_relevance.retrievers.dense import Stored

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


@dataclass(frozen=True)
class Seen:
    """One folder, all it holds, and what of that the wishes name."""

    folder: Path
    kept: tuple[Stored, ...]
    chosen: frozenset[Path]


@click.command(short_help="What is kept between runs; prune it.")
@click.option("--folder", "folders", multiple=True, type=click.Path(path_type=Path), help="A cache folder, by itself.")
@click.option("--older-than", type=click.FloatRange(0), metavar="DAYS", help="What was not used for so many days.")
@click.option("--keep", metavar="SIZE", help="The longest unused, until so much is left: 500MB, 2GB, 0.")
@click.option("--model", metavar="NAME", help="Vectors of this model, as suites name it.")
@click.option("--prune", is_flag=True, help="Delete it. Without this it is only marked in the list.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@located
def cache(
    folders: Sequence[Path], older_than: float | None, keep: str | None, model: str | None, prune: bool, as_json: bool
) -> None:
    """List what is kept between runs: vectors, indexes, judged rows, findings; and prune it.

    Looks where a session in this folder keeps things: pytest's cache, or what its configuration or
    PYTEST_RELEVANCE_CACHE names, and the user's cache. What is deleted is made again when it is next needed.

    Ends with 0; with 2 if something cannot be deleted or the wishes cannot be used.
    """
    room = None if keep is None else bytes_of(keep)
    if prune and older_than is None and room is None and model is None:
        raise UsageError("nothing says what to prune", fix="add --older-than DAYS, --keep SIZE or --model NAME")
    seen = _seen(_named(folders), older_than, room, model)
    left = _pruned(seen) if prune else ()
    if as_json:
        click.echo(json.dumps(_as_dict(seen, left, pruned=prune), ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(seen, pruned=prune)))
    for path in left:
        click.echo(f"could not be deleted: {path}", err=True)
    if left:
        sys.exit(FAULT)


def bytes_of(text: str) -> int:
    """Bytes of a size such as `500MB` or `2 g`; units are powers of 1,000.

    Raises:
        UsageError: it is none.
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"--keep is {text!r}, and no size", fix="write a number and a unit, such as 500MB or 2GB")
    return round(float(found[1]) * _UNITS[found[2].lower()])


def shown_size(count: int) -> str:
    """Bytes in the unit people read: `512 B`, `3.4 MB`."""
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"


def _named(folders: Sequence[Path]) -> tuple[Path, ...]:
    from pytest_relevance.cli.folders import cache_folders

    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r}", fix="name a cache folder, or leave out --folder")
    return tuple(dict.fromkeys(folder.resolve() for folder in folders)) or cache_folders(Path.cwd())


def _seen(folders: Sequence[Path], older_than: float | None, room: int | None, model: str | None) -> tuple[Seen, ...]:
    from pytest_relevance.cli.kept import kept_in
    from pytest_relevance.retrievers.dense import expendable

    kept = {folder: kept_in(folder) for folder in folders}
    everything = [one for listed in kept.values() for one in listed]  # --keep is of all folders together
    chosen = {one.path for one in expendable(everything, unused_days=older_than, keep_bytes=room, model=model)}
    return tuple(
        Seen(folder, listed, frozenset(one.path for one in listed if one.path in chosen))
        for folder, listed in kept.items()
    )


def _pruned(seen: Sequence[Seen]) -> tuple[Path, ...]:
    """Delete what is chosen; gives what could not be."""
    from pytest_relevance.retrievers.dense import delete

    wanted = [one for folder in seen for one in folder.kept if one.path in folder.chosen]
    return tuple(one.path for one in wanted if not delete(one))


def _lines(seen: Sequence[Seen], *, pruned: bool) -> list[str]:
    from pytest_relevance.errors import as_shown
    from pytest_relevance.report.text import columns_of

    lines: list[str] = []
    for folder in seen:
        rows = [[shown_size(size), used, what] for size, used, what in _rows(folder, pruned=pruned)]
        lines += [as_shown(str(folder.folder)), *columns_of(rows or [["", "", "nothing"]], [True, True, False])]
    whole = [one for folder in seen for one in folder.kept]
    gone = sum(one.size for folder in seen for one in folder.kept if one.path in folder.chosen)
    said = f"{shown_size(sum(one.size for one in whole) - (gone if pruned else 0))} in all"
    if gone or any(folder.chosen for folder in seen):
        said += f", {shown_size(gone)} {'deleted' if pruned else 'would be deleted with --prune'}"
    return [*lines, said if seen else "nothing is kept for this folder"]


def _rows(folder: Seen, *, pruned: bool) -> list[tuple[int, str, str]]:
    """Size, last use and name of each line: things alike that share a fate are one line."""
    from pytest_relevance.verdict.numbers import plural

    groups: dict[tuple[str, bool], list[Stored]] = {}
    for one in folder.kept:
        groups.setdefault((one.what, one.path in folder.chosen), []).append(one)
    rows = []
    for (what, chosen), members in groups.items():
        many = f" ×{len(members)}" if len(members) > 1 else ""
        mark = ("  deleted" if pruned else "  would be deleted") if chosen else ""
        days = min(one.unused_days for one in members)
        used = f"unused for {plural(round(days), 'day')}"
        rows.append((sum(one.size for one in members), used, f"{what}{many}{mark}"))
    return sorted(rows, key=lambda row: -row[0])


def _as_dict(seen: Sequence[Seen], left: Sequence[Path], *, pruned: bool) -> Mapping[str, object]:
    entries = [
        {
            "folder": str(folder.folder),
            "path": str(one.path),
            "what": one.what,
            "bytes": one.size,
            "unused_days": one.unused_days,
            "chosen": one.path in folder.chosen,
            "deleted": pruned and one.path in folder.chosen and one.path not in left,
            **({"description": dict(one.description)} if one.description else {}),
        }
        for folder in seen
        for one in folder.kept
    ]
    return {"schema": 1, "folders": [str(folder.folder) for folder in seen], "kept": entries}
