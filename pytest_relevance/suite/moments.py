"""Moment: a date, or a date with a time of day, as ISO 8601 writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}){0,2}(\.\d+)?(Z|[+-]\d{2}(:?\d{2})?)?)?")


@dataclass(frozen=True)
class Moment:
    """A day, or a moment of it. A time without an offset is taken as UTC."""

    time: datetime  # aware; the start of the day where only a day is written
    whole_day: bool

    def compared_with(self, bound: Moment) -> float:
        """Below 0 where this is earlier, above 0 where it is later. A day as the bound is compared with days."""
        if bound.whole_day:
            return (self.time.date() - bound.time.date()).days
        return (self.time - bound.time).total_seconds()


def moment_of(value: object) -> Moment | None:
    """The moment that an ISO text (`2024-01-31`, `2024-01-31T10:00Z`), a date or a datetime tells; None for others."""
    if isinstance(value, str):
        if not _ISO.fullmatch(value):
            return None
        try:
            return Moment(_aware(datetime.fromisoformat(value)), len(value) == len("2024-01-31"))
        except ValueError:  # the 31st of February
            return None
    if isinstance(value, datetime):
        return Moment(_aware(value), whole_day=False)
    if isinstance(value, date):
        return Moment(datetime(value.year, value.month, value.day, tzinfo=UTC), whole_day=True)
    return None


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)
