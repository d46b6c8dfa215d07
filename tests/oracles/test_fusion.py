"""Fusion against published values: reciprocal ranks worked out by other programs and by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_relevance.records import Ids, Run
from pytest_relevance.retrievers import fuse_runs

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def oracle_cases() -> Iterator[Any]:
    """Every case of the oracle file, found when tests are collected."""
    file = SHARED / "data" / "oracles" / "rrf.json"
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"] if file.is_file() else ():
        yield pytest.param(case, id=case["id"])


def list_cases() -> Iterator[Any]:
    """Every folder of cases that holds lists and expects fused scores."""
    for file in sorted(SHARED.glob("cases/*/expected.json")):
        expected = json.loads(file.read_text(encoding="utf-8"))
        if any(value.get("measure") == "rrf" for value in expected.get("values", ())):
            yield pytest.param(file.parent, id=file.parent.name)


def run_of_lists(ranking: Sequence[str]) -> Run:
    """A run of one query that holds the list as it is, a document that stands twice in it twice."""
    vocabulary, codes = Ids.of(ranking).distinct()
    offsets = np.array([0, len(ranking)], dtype=np.int64)
    return Run(("q",), offsets, vocabulary, codes, np.arange(len(ranking), 0, -1, dtype=np.float64))


@pytest.mark.parametrize("case", list(oracle_cases()))
def test_reciprocal_rank_fusion_equals_the_oracle(case: Mapping[str, Any]) -> None:
    if "runs" in case:
        runs, expected = [Run.from_dict(run) for run in case["runs"]], case["expected"]
    else:
        runs, expected = [run_of_lists(ranking) for ranking in case["lists"]], {"q": case["expected"]}

    fused = fuse_runs(runs, k=case["k"]).to_dict()

    assert set(fused) == set(expected)
    for query_id, scores in expected.items():
        assert fused[query_id] == pytest.approx(scores, abs=1e-12)


@pytest.mark.parametrize("case", [case for case in oracle_cases() if "expected_order" in case.values[0]])
def test_the_order_equals_the_oracle_but_for_ties(case: Mapping[str, Any]) -> None:
    ranking = fuse_runs([run_of_lists(one) for one in case["lists"]], k=case["k"]).ranking("q")

    expected = [case["expected"][doc_id] for doc_id in case["expected_order"]]
    assert [case["expected"][doc_id] for doc_id in ranking] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("folder", list(list_cases()))
def test_a_list_case_has_the_scores_it_must_have(folder: Path) -> None:
    given = json.loads((folder / "lists.json").read_text(encoding="utf-8"))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["values"]

    fused = fuse_runs([run_of_lists(ranking) for ranking in given["lists"]], k=given["k"]).to_dict()["q"]

    assert set(fused) == {value["query"] for value in expected}
    for value in expected:
        assert fused[value["query"]] == pytest.approx(value["value"], abs=value["tolerance"])


def test_the_oracles_are_found(shared: Path) -> None:
    assert shared.is_dir()
    assert len(list(oracle_cases())) >= 2
    assert len(list(list_cases())) >= 2
