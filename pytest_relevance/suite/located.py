"""YAML text as a tree of texts with places: nothing is coerced, `no`, `012` and `1e-3` stay what was written."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite.source import Source, Spot


class Nothing:
    """The type of `NOTHING`: what `~`, `null` and an empty place say. No text, and never the text 'None'."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = Nothing()


class Table(dict[str, "Tree"]):
    """A mapping in written order. `spans` holds for each key where the key and its value stand."""

    __slots__ = ("end", "source", "spans", "start")

    def __init__(self, source: Source, start: int) -> None:
        super().__init__()
        self.source = source
        self.start = self.end = start
        self.spans: dict[str, tuple[int, int, int, int]] = {}

    @property
    def spot(self) -> Spot:
        return Spot(self.source, self.start, self.end)

    def key_spot(self, key: str) -> Spot:
        """Where the key stands."""
        start, end, _, _ = self.spans[key]
        return Spot(self.source, start, end)

    def value_spot(self, key: str) -> Spot:
        """Where the key's value stands; an empty value stands at its key."""
        key_start, key_end, start, end = self.spans[key]
        return Spot(self.source, start, end) if end > start else Spot(self.source, key_start, key_end)


class Series(list["Tree"]):
    """A list in written order. `spans` holds where each item stands."""

    __slots__ = ("end", "source", "spans", "start")

    def __init__(self, source: Source, start: int) -> None:
        super().__init__()
        self.source = source
        self.start = self.end = start
        self.spans: list[tuple[int, int]] = []

    @property
    def spot(self) -> Spot:
        return Spot(self.source, self.start, self.end)

    def item_spot(self, index: int) -> Spot:
        """Where the item stands."""
        return Spot(self.source, *self.spans[index])


Tree: TypeAlias = str | Nothing | Table | Series


def load(source: Source) -> Table:
    """The one document of a suite file, whose top is a mapping.

    Raises:
        SuiteError: the text is no YAML we read (see `builder`), is empty, or holds two documents.
    """
    from pytest_relevance.suite.builder import documents

    found = documents(source)
    if not found:
        place = source.place(0, 0)
        raise SuiteError("no suite here: the file is empty", place=place, fix="write at least retrievers and checks")
    first, *others = found
    if others:
        place = Spot(source, *others[0][1:]).place
        raise SuiteError("a second YAML document begins here", place=place, fix="give each suite a file of its own")
    if not isinstance(first[0], Table):
        place = Spot(source, *first[1:]).place
        raise SuiteError(
            f"a suite is keys and values, found {kind_of(first[0])}", place=place, fix="begin with 'suite: NAME'"
        )
    return first[0]


def plain(tree: Tree) -> Any:
    """The tree as dict, list, str and None."""
    if isinstance(tree, Table):
        return {key: plain(value) for key, value in tree.items()}
    if isinstance(tree, Series):
        return [plain(value) for value in tree]
    return None if isinstance(tree, Nothing) else tree


def kind_of(value: object) -> str:
    """What a value is, in a message's words."""
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list | tuple):
        return "a list"
    return "nothing" if isinstance(value, Nothing) or value is None else "text"


@contextmanager
def collector_paused() -> Iterator[None]:
    """Python's garbage collector at rest, which costs three times the parsing while a tree of live objects grows."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
