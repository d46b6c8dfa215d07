"""Text: a scalar of a suite that still knows whether it stood in quotes and what of it came from the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self


class Reference(NamedTuple):
    """One `${NAME}` that the environment filled. A default is written in the file, and so no reference."""

    name: str
    value: str


class Text(str):
    """A text like any other; what it knows besides survives where a model takes `Any`, and is gone in a plain `str`."""

    __slots__ = ("quoted", "references")

    quoted: bool  # `"10"` is text where `10` may become a number
    references: tuple[Reference, ...]

    def __new__(cls, text: str, *, quoted: bool = False, references: tuple[Reference, ...] = ()) -> Self:
        made = super().__new__(cls, text)
        made.quoted = quoted
        made.references = references
        return made

    def __repr__(self) -> str:
        return "'…'" if self.references else super().__repr__()

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (str(self), self.quoted, self.references)


def references_in(tree: object) -> Iterator[Reference]:
    """What came from the environment anywhere in a tree of mappings, lists and texts."""
    if isinstance(tree, Text):
        yield from tree.references
    elif isinstance(tree, Mapping):
        for value in tree.values():
            yield from references_in(value)
    elif isinstance(tree, list | tuple):
        for value in tree:
            yield from references_in(value)


def _restored(text: str, quoted: bool, references: tuple[Reference, ...]) -> Text:
    return Text(text, quoted=quoted, references=references)
