"""The verdict where what was stored cannot be compared with what there is now: never a pass."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.suite import DropCheck, OverlapCheck
from pytest_relevance.verdict.record import Outcome, Verdict


def not_comparable(suite: str, check: DropCheck | OverlapCheck, changes: Sequence[str], renew: str) -> Verdict:
    """`changes`: what differs, what forbids the comparison first. `renew`: the command that stores a new baseline."""
    name = check.subject.name
    outcome: Outcome = "warn" if check.level == "warn" else "not comparable"
    remarks = list(changes[1:])
    if changes[0].startswith("the queries"):
        remarks.append("to compare the queries that both have, add 'shared_queries: allow' to the check")
    if check.against.kind == "baseline":
        remarks.append(f"to store a new baseline: {renew}")
    sentence = f"{name} of {check.of} is not comparable with {check.against}: {changes[0]}"
    return Verdict(
        suite=suite,
        retriever=check.of,
        title=check.title,
        kind="overlap" if isinstance(check, OverlapCheck) else "regression",
        outcome=outcome,
        sentence=sentence,
        place=str(check.place),
        measure=name,
        scope=check.slice or "",
        remarks=tuple(remarks),
    )
