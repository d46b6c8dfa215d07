"""Registry: retrievers and measures that plugins and conftest files offer for one suite, each name once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.errors import UsageError, as_shown


class Offered(Mapping[str, Any]):
    """Objects by name, each taken from the mapping that offers it when it is looked up: some are imported only then."""

    def __init__(self) -> None:
        self._sources: dict[str, Mapping[str, Any]] = {}
        self._owners: dict[str, str] = {}

    def add(self, things: Mapping[str, Any], owner: str, hook_name: str) -> None:
        """Take in what one plugin offers.

        Raises:
            UsageError: another plugin offers one of the names.
        """
        for name in things:
            if name in self._sources:
                both = " and ".join(sorted((self._owners[name], owner)))
                raise UsageError(f"{name!r} is offered twice by {hook_name}: by {both}", fix="give one another name")
            self._sources[name], self._owners[name] = things, owner

    def __getitem__(self, name: str) -> Any:
        return self._sources[name][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def offered(session: pytest.Session, path: Path, hook_name: str) -> Mapping[str, Any]:
    """What the hook's implementations offer to a suite at `path`; a conftest.py speaks for its folder and below.

    Raises:
        UsageError: two plugins offer one name, or something else than a mapping.
    """
    found = Offered()
    for implementation in getattr(session.gethookproxy(path), hook_name).get_hookimpls():
        owner, things = as_shown(implementation.plugin_name), implementation.function()
        if not isinstance(things, Mapping):
            raise UsageError(
                f"{hook_name} of {owner} gave {type(things).__name__}", fix="return a mapping: name → object"
            )
        found.add(things, owner, hook_name)
    return found
