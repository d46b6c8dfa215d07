from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.baseline import configuration_hash, qrels_hash, query_hash
from pytest_relevance.records import Qrels, Query
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of

QRELS = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"a": 2.5}}


def test_the_order_of_judgments_does_not_matter() -> None:
    backwards = {query_id: dict(reversed(grades.items())) for query_id, grades in reversed(QRELS.items())}

    assert qrels_hash(Qrels.from_dict(QRELS)) == qrels_hash(Qrels.from_dict(backwards))


@pytest.mark.parametrize(
    "other",
    [
        {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.5}},
        {"q1": {"a": 0.0, "b": 1.0}, "q2": {"a": 2.5}},
        {"q1": {"a": 1.0}, "q2": {"a": 2.5, "b": 0.0}},
        {"q1": {"a": 1.0, "b": 0.0}, "q3": {"a": 2.5}},
        {"q1": {"a": 1.0, "b": 0.0}, "q2": {"a": 2.5}, "q3": {}},
        {"q1": {"a": 1.0, "b": 0.0}},
    ],
)
def test_any_other_judgment_is_another_hash(other: dict[str, dict[str, float]]) -> None:
    assert qrels_hash(Qrels.from_dict(QRELS)) != qrels_hash(Qrels.from_dict(other))


def test_text_and_attributes_of_a_query_count() -> None:
    hashes = {
        query_hash(query)
        for query in (
            Query("q1", "red shoes"),
            Query("q1", "Red shoes"),
            Query("q2", "red shoes"),
            Query("q1", "red shoes", {"language": "en"}),
            Query("q1", "red shoes", {"language": "de"}),
        )
    }

    assert len(hashes) == 5


@given(st.text(), st.text())
def test_queries_of_equal_hash_are_equal(one: str, other: str) -> None:
    assert (query_hash(Query("q", one)) == query_hash(Query("q", other))) == (one == other)


def configured(entry: str) -> str:
    text = f"queries: q.tsv\nqrels: q.txt\nreport: [P@1]\nretrievers:\n  live: {entry}\n"
    suite = suite_of(source_of("s.relevance.yaml", text.encode()), Path("s.relevance.yaml"))
    return configuration_hash(suite.retrievers["live"])


def test_what_comes_from_the_environment_counts_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "one")
    first = configured("{type: own, key: '${TOKEN}', size: 10}")
    monkeypatch.setenv("TOKEN", "other")

    assert configured("{type: own, key: '${TOKEN}', size: 10}") == first
    assert configured("{type: own, key: '${TOKEN}', size: 11}") != first
    assert configured("{type: other, key: '${TOKEN}', size: 10}") != first
