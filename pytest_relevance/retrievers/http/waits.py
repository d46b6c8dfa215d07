"""How long to wait before another try: what the service asks for, or a backoff of our own."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

FIRST_WAIT = 0.5  # seconds before the second try, doubled before each further one

_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?")


def retry_after(value: str | None, *, wall: float) -> float | None:
    """Seconds that a `Retry-After` asks for, as a number or as a date; None where it says nothing we can read."""
    if value is None:
        return None
    text = value.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)  # a date of HTTP is in GMT, also where it does not say so
    return max(0.0, date.timestamp() - wall)


def backoff(tried: int, *, chance: float, longest: float) -> float:
    """Seconds to wait after `tried` tries: doubling, and spread so that many clients do not come back at once."""
    wait = FIRST_WAIT * 2.0 ** min(tried - 1, 30)
    return float(min(longest, wait * (0.5 + chance / 2)))
