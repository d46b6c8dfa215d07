"""Cases in the manner of wellcomecollection/rank: search terms with expected, forbidden, or ordered ids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_relevance.errors import DataError
from pytest_relevance.formats.converted import Converted, QueryList, Stated
from pytest_relevance.formats.texts import read_json, stem_of

THRESHOLD = 25  # where a case of forbidden ids names no position


def read_rank_cases(path: Path) -> Converted:
    """An assertion for each case.

    `expected_ids` alone are the top ones, with `strict` in that order; with a threshold or forbidden ids they are among
    the top `threshold_position` and the forbidden ones are not; each of `before_ids` stands above each of `after_ids`.

    Raises:
        DataError: it is no JSON, or holds no such cases.
    """
    cases = list(_cases(read_json(path)))
    if not cases:
        raise DataError(f"{path.name} holds no case with search_terms", fix="name a file of cases")
    queries, stated, left_out = QueryList(), list[Stated](), list[str]()
    for case in cases:
        query_id = queries.id_of(str(case["search_terms"]), wanted=str(case.get("id") or ""))
        expect = tuple(_expectations(case))
        if not expect:
            left_out.append(f"the case of {case['search_terms']!r} expects nothing")
            continue
        failing = str(case.get("description") or "known failure") if case.get("known_failure") else None
        stated.append(Stated(query_id, expect, failing))
    return Converted(stem_of(path), path.name, queries.queries, tuple(stated), tuple(left_out))


def _cases(found: Any) -> Iterator[dict[str, Any]]:
    """Every object with search terms, whatever lists and groups stand around it."""
    if isinstance(found, dict) and "search_terms" in found:
        yield found
    elif isinstance(found, dict | list):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from _cases(inner)


def _expectations(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    expected, forbidden = _ids(case, "expected_ids"), _ids(case, "forbidden_ids")
    before, after = _ids(case, "before_ids"), _ids(case, "after_ids")
    top = int(case.get("threshold_position") or (THRESHOLD if forbidden else len(expected)) or THRESHOLD)
    if expected:
        yield {"top": max(top, len(expected)), "contains": expected}
    if case.get("strict") and len(expected) > 1:
        yield {"order": expected}
    if forbidden:
        yield {"top": top, "excludes": forbidden}
    if before and after:
        yield {"tiers": [before, after]}


def _ids(case: dict[str, Any], key: str) -> list[str]:
    return list(dict.fromkeys(str(doc_id) for doc_id in case.get(key) or ()))
