"""Labels: what a query of a verdict is called, and how much of its top is judged."""

from __future__ import annotations

from pytest_relevance.verdict import QueryValue
from pytest_relevance.verdict.record import Side


def query_label(one: QueryValue | Side) -> str:
    """Its id, and its text where that tells more."""
    return one.query_id if one.text in {"", one.query_id} else f"{one.query_id} {one.text}"


def judged_label(one: QueryValue) -> str:
    """`10`, `4 (6 unjudged)`; "" where it is not known."""
    if one.judged is None:
        return ""
    return f"{one.judged} ({one.unjudged} unjudged)" if one.unjudged else str(one.judged)
