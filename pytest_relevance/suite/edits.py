"""What two versions of a suite ask differently: bounds that were moved, checks that are gone."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pytest_relevance.suite.checks import Check
from pytest_relevance.suite.model import Suite
from pytest_relevance.suite.regressions import EachQuery, EachSlice

_NAMING = frozenset(("place", "title", "of", "measure", "overlap"))  # what a check is about, not how strict it is


def edits_of(check: Check, then: Suite) -> tuple[str, ...]:
    """`at_least was 0.42 and is 0.4`: each bound of a check that another version of its suite has otherwise."""
    before = next((one for one in then.checks if (one.of, one.title) == (check.of, check.title)), None)
    if before is None or type(before) is not type(check):
        return ()
    names = [field.name for field in fields(check) if field.name not in _NAMING]
    moved = [(name, getattr(before, name), getattr(check, name)) for name in names]
    return tuple(f"{name} was {_shown(was)} and is {_shown(now)}" for name, was, now in moved if was != now)


def gone_checks(now: Suite, then: Suite) -> tuple[str, ...]:
    """`nDCG@10 of live`: the checks of another version that this one does not have."""
    kept = {(check.of, check.title) for check in now.checks}
    return tuple(f"{check.title} of {check.of}" for check in then.checks if (check.of, check.title) not in kept)


def _shown(value: Any) -> str:
    if value is None:
        return "unset"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, EachQuery | EachSlice):
        told = [f"{name}: {_shown(one)}" for name, one in vars(value).items() if one is not None]
        return f"{{{', '.join(told)}}}"
    return str(value)
