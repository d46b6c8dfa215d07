"""An audit of bias: the sentence, the bins with what is judged of each, and the pairs to label next."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_relevance.preflight.bias import BiasAudit
from pytest_relevance.report.text import columns_of, visible

BAR = 30  # columns of a bar that is judged whole
PAIRS_SHOWN = 10


def bias_lines(audit: BiasAudit) -> list[str]:
    """A page on one feature."""
    lines = [f"bias in {audit.feature}: {audit.sentence}"]
    unknown = f", {audit.unknown} pairs have no value" if audit.unknown else ""
    lines += [f"  judged mean {audit.judged_mean:g} ({audit.judged} pairs), unjudged mean {audit.unjudged_mean:g} "]
    lines[-1] += f"({audit.unjudged} pairs){unknown}; chance alone reaches a KS distance of {audit.chance:.2f}"
    rows = [["from", "to", "judged", "unjudged", "share judged"]]
    rows += [
        [f"{one.low:g}", f"{one.high:g}", str(one.judged), str(one.unjudged), "#" * round(BAR * one.share)]
        for one in audit.bins
        if one.judged + one.unjudged
    ]
    lines += ["", *(f"  {line}" for line in columns_of(rows, [True, True, True, True, False]))]
    if audit.biased and audit.label_next:
        lines += ["", "  label next:"]
        lines += [f"    {visible(query_id)} {visible(doc_id)}" for query_id, doc_id in audit.label_next[:PAIRS_SHOWN]]
    return lines


def bias_as_dict(audit: BiasAudit) -> dict[str, Any]:
    """The audit as data, with full precision, and what it comes to."""
    return {**asdict(audit), "biased": audit.biased, "sentence": audit.sentence}
