"""Reading for the pre-flight: each file on its own, repeats as findings, and the command's exit status."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_relevance.cli import main
from pytest_relevance.preflight import Files, gather_files, gather_suite, look
from pytest_relevance.suite import read_suite

SUITE = """corpus: corpus.jsonl
queries: queries.tsv
qrels: qrels.txt
retrievers: {stored: {type: run, file: stored.run}, live: {type: function, function: 'no_such_module:search'}}
report: [nDCG@1]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite that is well."""
    texts = {
        "shoes.relevance.yaml": SUITE,
        "corpus.jsonl": '{"id": "d1", "text": "red shoes"}\n{"id": "d2", "text": "hats"}\n',
        "queries.tsv": "q1\tred shoes\n",
        "qrels.txt": "q1 0 d1 1\nq1 0 d2 0\n",
        "stored.run": "q1 Q0 d1 1 2.0 r\nq1 Q0 d2 2 1.0 r\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "shoes.relevance.yaml"


def check(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def test_a_suite_that_is_well_ends_with_0_and_asks_no_retriever(suite: Path) -> None:
    result = check(suite)

    assert result.exit_code == 0
    assert result.output.endswith("no errors, no warnings, no notes\n")


def test_options_that_would_change_nothing_are_refused(suite: Path) -> None:
    qrels = suite.parent / "qrels.txt"
    idle = {
        "--run is for bare files, and a suite is named": (suite, "--run", suite.parent / "stored.run"),
        "--relevant is for bare files, and a suite is named": (suite, "--relevant", 1),
        "--of does nothing without --bias": ("--qrels", qrels, "--of", "stored.run"),
        "--cutoff does nothing without --health": (suite, "--cutoff", 10),
    }
    for problem, arguments in idle.items():
        result = check(*arguments)

        assert (result.exit_code, result.stderr.splitlines()[0]) == (2, problem)


def test_errors_end_with_1_and_are_counted(suite: Path) -> None:
    (suite.parent / "qrels.txt").write_text("q1 0 D1 1\nq1 0 d2 0\n", encoding="utf-8")

    result = check(suite, "--json")

    told = json.loads(result.output)
    assert result.exit_code == 1
    assert told["counts"]["error"] == 1
    assert told["findings"][0]["rule"] == "id-mismatch"


def test_a_file_that_cannot_be_read_ends_with_2_and_hides_nothing_of_the_others(suite: Path) -> None:
    (suite.parent / "qrels.txt").write_text("q1 0 d1\n", encoding="utf-8")
    (suite.parent / "queries.tsv").write_text("q1\tred shoes\nq2\tred shoes\n", encoding="utf-8")

    result = check(suite)

    assert result.exit_code == 2
    assert "error: unreadable-file" in result.output
    assert "expected 4 columns" in result.output
    assert "warning: repeated-query" in result.output


def test_a_file_that_is_not_there_is_told_with_its_place_in_the_suite(suite: Path) -> None:
    (suite.parent / "qrels.txt").unlink()

    _, unread = gather_suite(read_suite(suite))

    assert [one.rule for one in unread] == ["unreadable-file"]
    assert "file 'qrels.txt' does not exist" in unread[0].sentence
    assert unread[0].place.endswith("shoes.relevance.yaml:3:8")


def test_ids_that_stand_twice_are_told_with_whether_their_text_is_another(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("q1\tone\nq2\ttwo\nq1\tone\nq2\tother\n", encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_text('{"id": "d", "text": "x"}\n{"id": "d", "text": "x"}\n', encoding="utf-8")

    material, read = gather_files(Files(queries=tmp_path / "queries.tsv", corpus=tmp_path / "corpus.jsonl"))

    assert [(one.rule, one.count) for one in read] == [("repeated-id", 2), ("repeated-id", 1)]
    assert "2 queries repeat an id that stands earlier (2 ids; 1 of them with another text)" in read[0].sentence
    assert read[0].examples[0].startswith("q2 at ")
    assert "all with the same text" in read[1].sentence
    assert material.queries is not None
    assert material.queries.to_dict() == {"q1": "one", "q2": "two"}


def test_ids_of_a_table_that_stand_twice_are_told_too(tmp_path: Path) -> None:
    (tmp_path / "corpus.tsv").write_text("doc_id\ttext\nd\tx\nd\ty\n", encoding="utf-8")

    _, (repeat,) = gather_files(Files(corpus=tmp_path / "corpus.tsv"))

    assert repeat.rule == "repeated-id"
    assert "1 of them with another text" in repeat.sentence


def test_a_list_of_doc_ids_may_be_gzipped(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n", encoding="utf-8")
    with gzip.open(tmp_path / "ids.gz", "wt", encoding="utf-8") as file:
        file.write("a\n\nc\n")

    material, read = gather_files(Files(qrels={"qrels": tmp_path / "qrels.txt"}, doc_ids=tmp_path / "ids.gz"))

    assert read == ()
    assert [one.examples for one in look(material)] == [("b",)]


def test_nothing_to_check_and_no_suite_are_faults(tmp_path: Path) -> None:
    assert check().exit_code == 2
    assert check(tmp_path / "missing.relevance.yaml").exit_code == 2


def test_two_files_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n", encoding="utf-8")

    both = [argument for folder in ("one", "two") for argument in ("--qrels", tmp_path / folder / "qrels.txt")]
    result = check(*both, "--health", "--json")

    assert len(json.loads(result.output)["health"]) == 2
