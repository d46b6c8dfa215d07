"""How findings count and give examples, and what a word of a text is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice

from pytest_relevance.errors import quoted

EXAMPLES = 5
_ASCII_WORD = re.compile("[a-z0-9]+")
_LONGEST = 60  # characters of an example


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 query`, `1,200 queries`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def some(ids: Sequence[str], most: int = EXAMPLES) -> tuple[str, ...]:
    """The first few of them; what a terminal could not show is escaped, and long ones are cut."""
    return tuple(shown(text) for text in islice(ids, most))


def shown(text: str) -> str:
    """A text as an example: as it is where it is short and plain, else quoted."""
    plain = text.isprintable() and text == text.strip() and 0 < len(text) <= _LONGEST
    return text if plain else quoted(text, _LONGEST)


def words_in(text: str) -> list[str]:
    """The words of a text in lower case: letters and digits of any script, with the marks that belong to them."""
    plain = text.casefold()
    if plain.isascii():  # the same, many times faster
        return _ASCII_WORD.findall(plain)
    return "".join(sign if _in_word(sign) else " " for sign in plain).split()


def _in_word(sign: str) -> bool:
    return sign.isalnum() or (not sign.isascii() and unicodedata.category(sign).startswith("M"))
