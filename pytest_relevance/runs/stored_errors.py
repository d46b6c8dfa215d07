"""Errors as JSON, so that a process can raise what another one met."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_relevance import errors
from pytest_relevance.errors import CombinedError, Place, RelevanceError


def error_to_json(error: RelevanceError) -> dict[str, Any]:
    """The error as plain values."""
    stored: dict[str, Any] = {
        "kind": type(error).__name__,
        "problem": error.problem,
        "place": asdict(error.place) if error.place else None,
        "fix": error.fix,
    }
    if isinstance(error, CombinedError):
        stored["problems"] = [error_to_json(problem) for problem in error.problems]
        stored["total"] = error.total
    return stored


def error_from_json(stored: dict[str, Any]) -> RelevanceError:
    """The error that `error_to_json` was given; a kind that a plugin made its own comes back as `RelevanceError`."""
    if "problems" in stored:
        return CombinedError(map(error_from_json, stored["problems"]), total=stored["total"])
    kind = getattr(errors, stored["kind"], RelevanceError)
    place = Place(**stored["place"]) if stored["place"] else None
    if not issubclass(kind, RelevanceError):
        kind = RelevanceError
    return kind(stored["problem"], place=place, fix=stored["fix"])
