"""NixOS gold files: queries with tiers of relevant documents; between tiers order is a claim, inside one it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_relevance.errors import DataError
from pytest_relevance.formats.converted import Converted, QueryList, Stated
from pytest_relevance.formats.texts import read_json, stem_of


def read_nixos_tiers(path: Path) -> Converted:
    """Judgments whose grade is the tier from below, and an expectation of the tiers where there are several.

    Raises:
        DataError: it is no JSON, or no list of such objects.
    """
    entries = read_json(path)
    if not isinstance(entries, list) or not all(isinstance(one, dict) and "q" in one for one in entries):
        raise DataError(f"{path.name} is no list of objects with q and relevant", fix="name a gold file of tiers")
    queries, stated = QueryList(), list[Stated]()
    for entry in entries:
        tiers = [[str(doc_id) for doc_id in tier] for tier in _tiers(entry, path) if tier]
        grades = {doc_id: float(len(tiers) - place) for place, tier in enumerate(tiers) for doc_id in tier}
        known = {key: entry[key] for key in ("category", "exhaustive") if key in entry}
        query_id = queries.id_of(str(entry["q"]), wanted=str(entry.get("id", "")), grades=grades, **known)
        if len(tiers) > 1:
            stated.append(Stated(query_id, ({"tiers": tiers},)))
    return Converted(stem_of(path), path.name, queries.queries, tuple(stated))


def _tiers(entry: dict[str, Any], path: Path) -> list[list[Any]]:
    tiers = entry.get("relevant", [])
    if not isinstance(tiers, list) or not all(isinstance(tier, list) for tier in tiers):
        raise DataError(f"{path.name}: relevant of {entry['q']!r} is no list of lists", fix="write [[best], [next]]")
    return tiers
