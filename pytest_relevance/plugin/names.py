"""Node names: any text as a part of a node id that pytest prints, splits and finds again."""

from __future__ import annotations

import re
from urllib.parse import quote

# What pytest splits node ids at, what it cannot print on one line, and what would read as an escape of ours.
_SPECIAL = re.compile(r"%(?=[0-9A-Fa-f]{2})|:(?=:)|(?<=:):|^:|:$|^\s+|\s+$|[\[\]\\]|[^\S ]")
_EMPTY = "%80"  # no text is encoded to this: it is no UTF-8
_JOINERS = "\u200c\u200d"  # part of words and emoji, though not printable by themselves


def node_name(text: str) -> str:
    """`text` as one part of a node id; readable in any script, and different texts stay different.

    Colons in a row or at an end, brackets, backslashes, blanks at an end and control characters are percent-encoded.
    """
    if not text:
        return _EMPTY
    escaped = _SPECIAL.sub(lambda found: quote(found.group(), safe="") if found.group() != "%" else "%25", text)
    if escaped.isprintable():  # nearly always, and ten thousand names are made before the first test
        return escaped
    return "".join(sign if sign.isprintable() or sign in _JOINERS else _encoded(sign) for sign in escaped)


class UniqueNames:
    """Gives each name once: the second `first A` becomes `first A (2)`."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}  # name → how often it was asked for

    def __call__(self, name: str) -> str:
        """`name`, or `name (n)` where it was given before."""
        unique = name
        while unique in self._given:
            self._given[name] += 1
            unique = f"{name} ({self._given[name]})"
        self._given[unique] = 1
        return unique


def keyword_of(name: str) -> str:
    """A measure's name as a word that `-k` takes: `nDCG@10` → `nDCG-10`."""
    return re.sub(r"[^\w.]+", "-", name).strip("-")


def _encoded(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass"))
