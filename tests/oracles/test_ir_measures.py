"""Names that ir_measures and we both know mean the same."""

from __future__ import annotations

import random
import sys

import ir_measures
import pytest

from pytest_relevance.measures import evaluate, parse_measure
from pytest_relevance.records import Qrels, Run

pytestmark = [
    # Its parser names classes and an attribute that Python 3.14 dropped.
    pytest.mark.filterwarnings("ignore:ast:DeprecationWarning", "ignore:Attribute:DeprecationWarning"),
    pytest.mark.skipif(sys.version_info >= (3, 14), reason="the parser of ir_measures does not run on Python 3.14"),
]

# Computed there by a library whose values can be had here too.
NAMES = [
    "nDCG",
    "nDCG@10",
    "NDCG@5",
    "nDCG(dcg='log2')@10",
    "nDCG(gains={1:4,2:1})@5",
    "nDCG(judged_only=True)@5",
    "P@5",
    "P(rel=2)@5",
    "P(judged_only=True)@5",
    "Precision@3",
    "R@10",
    "Recall@5",
    "R(rel=2)@10",
    "RR",
    "RR(rel=2)",
    "RR@5",
    "MRR@10",
    "AP",
    "MAP@5",
    "AP(rel=2)",
    "Rprec",
    "Bpref",
    "BPref(rel=2)",
    "Success@3",
    "Judged@10",
    "Judged",
    "SetP",
    "SetP(relative=True)",
    "SetRelP",
    "SetR",
    "SetF",
    "SetAP",
    "infAP",
    "NumRet",
    "NumRet(rel=1)",
    "NumRelRet",
    "NumRel",
]


def _collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(7)
    documents = [f"d{number}" for number in range(40)]
    qrels, run = {}, {}
    for number in range(20):
        qrels[f"q{number}"] = {doc_id: rng.choice([0, 0, 1, 2]) for doc_id in rng.sample(documents, 15)}
        ranked = rng.sample(documents, rng.randint(5, 20))  # scores of their own: ir_measures breaks ties two ways
        run[f"q{number}"] = {doc_id: float(len(ranked) - place) for place, doc_id in enumerate(ranked)}
    return qrels, run


@pytest.mark.parametrize("name", NAMES)
def test_a_name_means_what_it_means_in_ir_measures(name: str) -> None:
    qrels, run = _collection()
    theirs = ir_measures.parse_measure(name)
    ours = parse_measure(name)

    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([theirs], qrels, run)}

    assert parse_measure(str(theirs)) == ours
    evaluation = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), [ours])
    assert dict(evaluation[ours.name].values) == pytest.approx(values, abs=1e-9)
