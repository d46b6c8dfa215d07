"""Registry: retrievers and measures that plugins and conftest files offer for one suite, each name once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.errors import UsageError, as_shown


def offered(session: pytest.Session, path: Path, hook_name: str) -> Mapping[str, Any]:
    """What the hook's implementations offer to a suite at `path`; a conftest.py speaks for its folder and below.

    Raises:
        UsageError: two plugins offer one name, or something else than a mapping.
    """
    found: dict[str, Any] = {}
    owners: dict[str, str] = {}
    hook = getattr(session.gethookproxy(path), hook_name)
    for implementation in hook.get_hookimpls():
        owner, things = implementation.plugin_name, implementation.function()
        if not isinstance(things, Mapping):
            raise UsageError(
                f"{hook_name} of {as_shown(owner)} gave {type(things).__name__}", fix="return a mapping: name → object"
            )
        for name, thing in things.items():
            if name in found:
                both = " and ".join(sorted((as_shown(owners[name]), as_shown(owner))))
                raise UsageError(f"{name!r} is offered twice by {hook_name}: by {both}", fix="give one another name")
            found[name], owners[name] = thing, owner
    return found
