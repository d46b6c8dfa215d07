"""Deciding a check of bias: the audit of a retriever's run, as a verdict."""

from __future__ import annotations

from pytest_relevance.preflight.bias import BiasAudit
from pytest_relevance.suite.biases import BiasCheck
from pytest_relevance.verdict import Outcome, Verdict


def decide_bias(suite: str, check: BiasCheck, qrels: str, audit: BiasAudit | None) -> Verdict:
    """Whether judged pairs are like the unjudged ones; a difference that may be chance holds.

    `audit` is None where the top ranks hold no unjudged document whose feature is known: there is nothing to differ.
    """
    holds = audit is None or abs(audit.difference) <= check.at_most or audit.distance <= audit.chance
    failed: Outcome = "warn" if check.level == "warn" else "fail"
    return Verdict(
        suite=suite,
        retriever=check.of,
        title=check.title,
        kind="bias",
        outcome="pass" if holds else failed,
        sentence=_sentence(check, audit, holds),
        place=str(check.place),
        measure=check.what,
        qrels=qrels,
        value=None if audit is None else audit.difference,
        at_most=check.at_most,
        context=""
        if audit is None
        else f"{audit.judged} judged pairs, {audit.unjudged} unjudged in the top {check.top}",
        remarks=() if audit is None or holds else _label_next(audit),
    )


def _sentence(check: BiasCheck, audit: BiasAudit | None, holds: bool) -> str:
    if audit is None:
        return f"every document in the top {check.top} of {check.of} is judged, so no bias of {check.bias} can be told"
    what = f"judged pairs differ from the unjudged ones of {check.of} in {audit.feature} by {audit.difference:+.2f}"
    told = f"{what} standard deviations (KS distance {audit.distance:.2f})"
    if not holds:
        return f"{told}, more than the {check.at_most:g} this suite allows"
    return f"{told}, as this suite allows" if abs(audit.difference) <= check.at_most else f"{told}, which may be chance"


def _label_next(audit: BiasAudit) -> tuple[str, ...]:
    pairs = ", ".join(f"{query_id} {doc_id}" for query_id, doc_id in audit.label_next[:5])
    outside = f"{audit.outside:.0%} of the unjudged pairs are outside the range of the judged ones"
    return (outside, f"label next: {pairs}") if pairs else (outside,)
