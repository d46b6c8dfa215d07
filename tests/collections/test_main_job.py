"""The main job on real collections: BM25 over the documents, gated, with values that are those of pytrec_eval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import pytrec_eval

from pytest_relevance.evaluate import SuiteFlow
from pytest_relevance.suite import read_suite

# collection → qrels file, fields indexed, what BM25 reaches: nDCG@10, R@100, Judged@10 (rounded down)
COLLECTIONS = {
    "cranfield": ("qrels.graded.txt", "[title, text]", (0.35, 0.72, 0.29)),
    "vaswani-npl": ("qrels.txt", "[text]", (0.42, 0.57, 0.35)),
    "chorus-ecommerce": ("qrels.txt", "[title, description]", (0.44, 0.41, 0.50)),
}
SUITE = """
corpus: {folder}/corpus.jsonl
queries: {folder}/queries.tsv
qrels: {folder}/{qrels}
retrievers:
  bm25: {{type: bm25, fields: {fields}}}
report: [nDCG@10, R@100, Judged@10, AP, RR@10]
checks:
  - {{measure: nDCG@10, of: bm25, at_least: {bounds[0]}}}
  - {{measure: R@100, of: bm25, at_least: {bounds[1]}}}
  - {{measure: Judged@10, of: bm25, at_least: {bounds[2]}}}
"""
TREC_EVAL = {"nDCG@10": "ndcg_cut_10", "R@100": "recall_100", "AP": "map"}


def write_suite(folder: Path, name: str, to: Path) -> Path:
    qrels, fields, bounds = COLLECTIONS[name]
    path = to / f"{name}.relevance.yaml"
    path.write_text(SUITE.format(folder=folder, qrels=qrels, fields=fields, bounds=bounds), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", COLLECTIONS)
def test_bm25_over_a_real_collection_passes_its_gates(shared: Path, pytester: pytest.Pytester, name: str) -> None:
    write_suite(shared / "data" / name, name, pytester.path)

    result = pytester.runpytest_subprocess("--relevance", "--relevance-json=out.json", "-p", "no:randomly")

    result.assert_outcomes(passed=4)
    verdicts = json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))["verdicts"]
    assert {verdict["measure"]: verdict["value"] >= verdict["at_least"] for verdict in verdicts[1:]} == dict.fromkeys(
        ("nDCG@10", "R@100", "Judged@10"), True
    )


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_value_is_that_of_pytrec_eval_on_the_same_run(shared: Path, tmp_path: Path, name: str) -> None:
    flow = SuiteFlow(read_suite(write_suite(shared / "data" / name, name, tmp_path)))
    tasks = list(flow.tasks())
    for task in tasks:
        flow.expect(task)
    for task in tasks:
        flow.decide(task)
    run = flow.retrieval.run_of("bm25").to_dict()
    judgments = {
        query_id: {doc_id: int(grade) for doc_id, grade in grades.items()}
        for query_id, grades in flow.data.qrels["qrels"].to_dict().items()
    }
    expected = pytrec_eval.RelevanceEvaluator(judgments, set(TREC_EVAL.values())).evaluate(run)

    evaluation = flow.measuring.evaluation("bm25", "qrels")

    for measure, theirs in TREC_EVAL.items():
        for query_id, values in expected.items():
            assert evaluation[measure][query_id] == pytest.approx(values[theirs], abs=1e-9), (measure, query_id)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_judged_at_ten_is_the_share_of_judged_documents_in_the_first_ten(
    shared: Path, tmp_path: Path, name: str
) -> None:
    flow = SuiteFlow(read_suite(write_suite(shared / "data" / name, name, tmp_path)))
    tasks = list(flow.tasks())
    for task in tasks:
        flow.expect(task)
    flow.decide(tasks[0])
    run, qrels = flow.retrieval.run_of("bm25"), flow.data.qrels["qrels"]
    judged = flow.measuring.evaluation("bm25", "qrels")["Judged@10"]

    for query_id in list(qrels.query_ids)[:25]:
        top, grades = run.ranking(query_id)[:10], qrels.grades_of(query_id)
        assert judged[query_id] == pytest.approx(sum(doc_id in grades for doc_id in top) / max(len(top), 1))
