"""Ids that are one but for their spelling: found by what stays when case, blanks, zeros and look-alikes are gone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pytest_relevance.records import Ids

MOST = 500_000  # ids of a side that are respelled; the first of them where there are more
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_BLANKS = re.compile(r"\s+")
_FRACTION = re.compile(r"(?<=\d)\.0+$")


def _without_blanks(text: str) -> str:
    return _BLANKS.sub("", text)


def _without_fraction(text: str) -> str:
    return _FRACTION.sub("", text)


def _without_zeros(text: str) -> str:
    return text.lstrip("0") or text[-1:]


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


_NUMBERS = "; a program that reads ids as numbers does this, so read them as text"
# From what changes least: the first step that makes two ids equal names the difference.
_STEPS: tuple[tuple[Callable[[str], str], str, str], ...] = (
    (_without_blanks, "blanks", ""),
    (str.casefold, "letter case", ""),
    (_without_fraction, "a trailing .0", _NUMBERS),
    (_without_zeros, "leading zeros", _NUMBERS),
    (_composed, "signs that look alike or are not seen", ""),
)


@dataclass(frozen=True)
class Respelled:
    """Ids of one side, each with the id of the other side that it is but for one kind of difference."""

    difference: str
    pairs: tuple[tuple[str, str], ...]
    wrong_is_first: bool  # whether the first side is the one to mend, as far as the spelling tells
    advice: str


def plain_spelling(text: str) -> str:
    """What stays of an id."""
    return _without_zeros(_without_fraction(_without_blanks(_composed(text)).casefold()))


def respelled(ids: Ids, others: Ids) -> Iterator[Respelled]:
    """The ids that only the first has, and that the others have in another spelling; by kind of difference."""
    lost = ids.take(np.flatnonzero(others.find(ids) < 0)[:MOST])
    if not len(lost):
        return
    left = others.take(np.flatnonzero(ids.find(others) < 0)[:MOST])
    if not len(left):
        return
    by_plain: dict[str, str] = {}
    for text in left:
        by_plain.setdefault(plain_spelling(text), text)
    pairs: dict[int, list[tuple[str, str]]] = {}
    for text in lost:
        other = by_plain.get(plain_spelling(text))
        if other is not None:
            pairs.setdefault(_first_step(text, other), []).append((text, other))
    for step, found in sorted(pairs.items()):
        _, difference, advice = _STEPS[step]
        yield Respelled(difference, tuple(found), _first_is_wrong(difference, *found[0]), advice)


def _first_step(one: str, other: str) -> int:
    for step, (without, _, _) in enumerate(_STEPS):
        if without(one) == without(other):
            return step
    return len(_STEPS) - 1


def _first_is_wrong(difference: str, one: str, other: str) -> bool:
    """Zeros are lost and never added by programs; blanks, `.0` and unseen signs are added and never lost."""
    if difference == "leading zeros":
        return len(one) < len(other)
    if difference == "letter case":
        return True
    return len(one) > len(other)
