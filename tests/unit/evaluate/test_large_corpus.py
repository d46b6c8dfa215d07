"""A suite over a corpus that stays in its file decides as over one in memory, and holds nothing of its documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_relevance.evaluate import SuiteFlow
from pytest_relevance.records import StoredDocuments
from pytest_relevance.suite import read_suite
from pytest_relevance.trec import corpus_files

EXAMPLES = Path(__file__).resolve().parents[3] / "example_suites"


@pytest.fixture(autouse=True)
def _modules_forgotten() -> Iterator[None]:
    """What an example suite imports is forgotten: other tests run copies of it, with modules of the same names."""
    yield
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").is_relative_to(EXAMPLES):
            del sys.modules[name]


def decided(flow: SuiteFlow) -> list[object]:
    """Every verdict of a suite but those on how long its searches took, and what the pre-flight warned of."""
    tasks = list(flow.tasks())
    for task in tasks:
        flow.expect(task)
    verdicts = [json.loads(flow.decide(task).to_json()) for task in tasks]
    return [*(one for one in verdicts if "latency" not in one["title"]), *flow.untold_findings()]


@pytest.mark.parametrize("suite", ["shop/shop.relevance.yaml", "vocabulary/vocabulary.relevance.yaml"])
def test_the_same_is_decided_however_large_the_corpus(suite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = SuiteFlow(read_suite(EXAMPLES / suite))
    expected = decided(kept)
    monkeypatch.setattr(corpus_files, "IN_MEMORY", 0)
    stored = SuiteFlow(read_suite(EXAMPLES / suite))

    assert decided(stored) == expected
    assert kept.data.corpus is not None
    assert stored.data.corpus is not None
    assert isinstance(kept.data.corpus.documents, dict)
    assert isinstance(stored.data.corpus.documents, StoredDocuments)
    assert stored.retrieval.corpus_hash() == kept.retrieval.corpus_hash() != ""
