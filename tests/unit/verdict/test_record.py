"""A verdict travels as JSON and arrives as it was."""

from __future__ import annotations

from pytest_relevance.verdict import Beside, Mean, QueryValue, Row, Verdict


def test_a_verdict_survives_the_way_from_worker_to_report() -> None:
    verdict = Verdict(
        suite="shoes",
        retriever="live",
        title="nDCG@10",
        kind="threshold",
        outcome="fail",
        sentence="nDCG@10 is 0.391 for live, below the 0.420 this suite expects (-0.029)",
        value=0.1 + 0.2,
        means=(Mean("this run", 0.391, 0.35, 0.43),),
        beside=(Beside("Judged@10", 0.8),),
        worst=(QueryValue("q1", "赤い靴", 0.1, 3, 7),),
        rows=(Row(1, "A1", None, {"title": "Größe"}, "first"),),
        remarks=("2 queries without judgments left out",),
    )

    assert Verdict.from_json(verdict.to_json()) == verdict
