"""bm25s as we want it: without the compilers, accelerators and progress bars it would load where they are installed."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType

# numba costs half a second, jax may take hold of a graphics card, tqdm writes to the terminal; none is used by us.
_UNWANTED = ("numba", "jax", "scipy", "tqdm")


@cache
def bm25s() -> ModuleType:
    """The library, imported once for us alone, so that a user's own `import bm25s` gets it with all it can do.

    Raises:
        ModuleNotFoundError: bm25s is not installed.
    """
    logger = logging.getLogger("bm25s")
    level = logger.level
    theirs = _taken_out("bm25s")
    try:
        with _hidden(_UNWANTED):
            return import_module("bm25s")
    finally:
        _taken_out("bm25s")
        sys.modules.update(theirs)
        logger.setLevel(level)  # importing sets it to DEBUG


@contextmanager
def _hidden(names: Sequence[str]) -> Iterator[None]:
    """Make importing these fail for a moment; what is imported already comes back untouched."""
    before = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]  # None is Python's own sign for "not there"
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _taken_out(package: str) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}
