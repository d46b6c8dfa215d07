"""Converting: which reader a file of another tool needs, by name or by what is in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_relevance.errors import DataError, suggestion
from pytest_relevance.formats.converted import Converted
from pytest_relevance.formats.nixos_tiers import read_nixos_tiers
from pytest_relevance.formats.rank_cases import read_rank_cases
from pytest_relevance.formats.rating_csv import DOCUMENT, RATING, read_rating_csv, table_rows
from pytest_relevance.formats.rspec_table import WORDS, read_rspec_table
from pytest_relevance.formats.texts import read_json
from pytest_relevance.formats.wikimedia_sanity import read_wikimedia_sanity

KINDS: Mapping[str, Callable[[Path], Converted]] = {
    "rspec": read_rspec_table,
    "rank": read_rank_cases,
    "nixos": read_nixos_tiers,
    "wikimedia": read_wikimedia_sanity,
    "ratings": read_rating_csv,
}


def convert(path: Path, kind: str | None = None) -> Converted:
    """A file of another tool in our words; without a kind, what is in it decides.

    Raises:
        DataError: the kind is unknown or cannot be told, or the file is not of it.
    """
    chosen = kind or _kind_of(path)
    if chosen not in KINDS:
        raise DataError(f"unknown kind {chosen!r}", fix=suggestion(chosen, KINDS, label="kinds"))
    return KINDS[chosen](path)


def _kind_of(path: Path) -> str:
    if path.suffix.casefold() == ".json":
        found = read_json(path)
        first = found[0] if isinstance(found, list) and found else found
        if isinstance(first, dict) and "q" in first:
            return "nixos"
        return "wikimedia" if isinstance(first, dict) and isinstance(first.get("queries"), dict) else "rank"
    columns = next(table_rows(path), (0, {}))[1]
    if any(name in columns for name in DOCUMENT) and any(name in columns for name in RATING):
        return "ratings"
    if "query" in columns and any(name in columns for name in WORDS):
        return "rspec"
    raise DataError(f"cannot tell what {path.name} is", fix=f"say it with --from: {', '.join(KINDS)}")
