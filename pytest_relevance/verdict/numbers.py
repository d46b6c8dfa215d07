"""How a number reads in a sentence: three decimals, and more only where three would hide a difference."""

from __future__ import annotations


def shown(value: float, *others: float | None) -> str:
    """`value` with three decimals, or as many as it takes (ten at most) to differ from the others."""
    if value == int(value) and abs(value) >= 2:
        return f"{value:.0f}" if all(other is None or other == int(other) for other in others) else f"{value:.3f}"
    compared = [other for other in others if other is not None and other != value]
    for digits in range(3, 10):
        text = f"{value:.{digits}f}"
        if all(f"{other:.{digits}f}" != text for other in compared):
            return text
    return f"{value:.10f}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 query`, `3 queries`."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def listed(names: list[str], most: int = 5) -> str:
    """`a, b and 3 more`."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
