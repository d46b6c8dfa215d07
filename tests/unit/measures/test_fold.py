"""Passages to documents: the best part counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.errors import DataError, MeasureError
from pytest_relevance.measures import Fold, fold_qrels, fold_run
from pytest_relevance.records import Qrels, Run


@pytest.mark.parametrize(
    ("rule", "doc_id", "parent"),
    [
        ("before #", "page#2#b", "page"),
        ("before last #", "page#2#b", "page#2"),
        ("before last -", "WAPO_a-b-17", "WAPO_a-b"),
        ("before  last  -", "plain", None),
        ("before -", "-17", None),
        (r"/^(.*)-\d+$/", "a-b-17", "a-b"),
        (r"/^(.*)-\d+$/", "a-b", None),
        (r"/([^.]*)\./", "doc.p1", "doc"),
    ],
)
def test_a_rule_gives_a_document_its_parent(rule: str, doc_id: str, parent: str | None) -> None:
    assert Fold.parse(rule).parent_of(doc_id) == parent


def test_a_parent_scores_as_its_best_part_and_is_ordered_again() -> None:
    run = Run.from_dict({"q": {"a#1": 3.0, "b#1": 2.0, "a#2": 1.0, "c#9": 3.0}, "r": {"b#2": 1.0, "b#1": 7.0}})

    folded = fold_run(run, Fold.parse("before #"))

    assert folded.ranking("q") == ("c", "a", "b")
    assert folded.scores_of("q") == (3.0, 3.0, 2.0)
    assert folded.to_dict()["r"] == {"b": 7.0}


def test_where_the_order_was_given_a_parent_stands_where_its_first_part_stood() -> None:
    run = Run.from_columns(
        ("q",),
        Run.from_rankings({"q": ["x", "y", "z"]}).offsets,
        Run.from_rankings({"q": ["b#1", "a#1", "b#2"]}).doc_ids,
        Run.from_dict({"q": {"a": 1.0, "b": 5.0, "c": 9.0}}).scores[::-1],
        order="given",
    )

    folded = fold_run(run, Fold.parse("before #"))

    assert folded.ranking("q") == ("b", "a")
    assert folded.scores_of("q") == (9.0, 5.0)


def test_a_parent_has_the_best_grade_of_its_parts() -> None:
    qrels = Qrels.from_dict({"q": {"a#1": 0, "a#2": 2, "b": 1}, "r": {"a#1": 1.33}})

    folded = fold_qrels(qrels, {"a#1": "a", "a#2": "a"})

    assert folded.to_dict() == {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.33}}
    assert folded.notes == ("qrels: 1 document has no parent and is kept",)


def test_nothing_to_fold_stays_nothing() -> None:
    assert fold_run(Run.from_dict({"q": {}}), {}).ranking("q") == ()
    assert len(fold_qrels(Qrels.from_dict({}), {})) == 0


def test_a_file_of_parents_is_a_rule_too(tmp_path: Path) -> None:
    file = tmp_path / "parents.tsv"
    file.write_text("p1\tpage one\n\np2\tpage one\n", encoding="utf-8")

    fold = Fold.parse(str(file))

    assert [fold.parent_of(doc_id) for doc_id in ("p1", "p2", "p3")] == ["page one", "page one", None]


@pytest.mark.parametrize(
    ("text", "problem"), [("p1 page", "expected doc_id, tab, parent"), ("a\tb\na\tc", "two parents")]
)
def test_a_bad_file_of_parents_is_an_error_at_its_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "parents.tsv"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(DataError) as caught:
        Fold.parse(str(file))

    assert problem in caught.value.problem
    assert caught.value.place is not None
    assert caught.value.place.line == len(text.splitlines())


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("", "no rule to fold by"),
        ("after #", "no rule to fold by"),
        ("missing.tsv", "no rule to fold by, and no file"),
        ("/(/", "is no regular expression"),
        (r"/-\d+$/", "has no group that is the parent"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_an_error(rule: str, problem: str) -> None:
    with pytest.raises(MeasureError, match=problem):
        Fold.parse(rule)
