"""Text in columns: how wide a string stands on a terminal, cut and padded by that width, and never scrambled."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len, get_character_cell_size

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"  # first-strong isolate: right-to-left text keeps to its own column


def width(text: str) -> int:
    """Columns a terminal uses for `text`: two for East Asian wide signs and most emoji, none for combining marks."""
    return cell_len(text)


def cut(text: str, most: int) -> str:
    """`text` in at most `most` columns, with an ellipsis where something was cut; control characters made visible."""
    plain = visible(text)
    if width(plain) <= most:
        return plain
    kept, used = [], 0
    for sign in plain:
        used += get_character_cell_size(sign)
        if used > most - 1:
            break
        kept.append(sign)
    return "".join(kept) + "…"


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `columns`; right-to-left text is isolated so that its neighbours stay in place."""
    blanks = " " * max(0, columns - width(text))
    shielded = f"{_ISOLATE}{text}{_END_ISOLATE}" if is_right_to_left(text) else text
    return blanks + shielded if right else shielded + blanks


def visible(text: str) -> str:
    """`text` on one line: line breaks and control characters as their escapes, so that none can move the cursor."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in _JOINERS else _escaped(sign) for sign in text)


def is_right_to_left(text: str) -> bool:
    """Whether any sign is Hebrew, Arabic or of another script written from the right."""
    return not text.isascii() and any(unicodedata.bidirectional(sign) in {"R", "AL"} for sign in text)


def columns_of(rows: Sequence[Sequence[str]], right: Sequence[bool], gap: str = "  ") -> list[str]:
    """Rows as lines with aligned columns; `right` tells which are aligned to the right."""
    widths = [max((width(row[place]) for row in rows), default=0) for place in range(len(right))]
    return [
        gap.join(
            padded(cell, columns, right=to_right) for cell, columns, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]


_JOINERS = frozenset("\u200c\u200d")  # not printable by Python's rule, but part of words and emoji


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
