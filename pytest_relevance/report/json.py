"""Verdicts as JSON with a numbered schema, for other tools."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from pytest_relevance.verdict import Verdict
from pytest_relevance.verdict.record import vars_of

SCHEMA = 1


def verdicts_as_json(verdicts: Iterable[Verdict]) -> str:
    """`{"schema": 1, "outcomes": {"pass": 3}, "verdicts": [{"suite": …}]}`, in order, with full precision."""
    listed = list(verdicts)
    outcomes = Counter(verdict.outcome for verdict in listed)
    whole = {"schema": SCHEMA, "outcomes": dict(sorted(outcomes.items())), "verdicts": listed}
    return json.dumps(whole, ensure_ascii=False, indent=1, default=vars_of) + "\n"
