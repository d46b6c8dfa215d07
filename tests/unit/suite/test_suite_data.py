from __future__ import annotations

from pathlib import Path

import pytest
from suite_texts import DATA

from pytest_relevance.errors import RelevanceError, SuiteError
from pytest_relevance.records import Queries, Query
from pytest_relevance.suite import load_data, read_suite, resolve_query

CORPUS = '{"_id": "d1", "text": "red shoes", "category": "footwear"}\n{"_id": "d2", "text": "gift card"}\n'
QUERIES = '{"_id": "q1", "text": "red shoes"}\n{"_id": "q2", "text": "who sells shoes"}\n'
QRELS = "q1 0 d1 2\nq2 0 d1 1\n"
SUITE = """\
corpus: corpus.jsonl
queries: queries.jsonl
qrels: {editors: qrels.txt, clicks: clicks.tsv}
slices: {type: {short: {words: [1, 2]}, question: {starts_with: who}}}
retrievers: {bm25: {type: bm25}}
report: [nDCG@10]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text(QRELS, encoding="utf-8")
    (tmp_path / "clicks.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n", encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    file = folder / "shop.relevance.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, text: str) -> RelevanceError:
    suite = read_suite(written(folder, text))
    with pytest.raises(RelevanceError) as caught:
        load_data(suite)
    return caught.value


def test_queries_judgments_slices_and_documents_are_read(folder: Path) -> None:
    data = load_data(read_suite(written(folder, SUITE)))

    assert data.queries.query_ids == ("q1", "q2")
    assert {name: qrels.to_dict() for name, qrels in data.qrels.items()} == {
        "editors": {"q1": {"d1": 2.0}, "q2": {"d1": 1.0}},
        "clicks": {"q1": {"d2": 1.0}},
    }
    assert [qrels.name for qrels in data.qrels.values()] == ["editors", "clicks"]
    assert data.members == {"type=short": ("q1",), "type=question": ("q2",)}
    assert data.corpus is not None
    assert data.corpus["d1"]["category"] == "footwear"
    assert data.corpus is data.corpus


def test_inline_queries_and_judgments_need_no_file(folder: Path) -> None:
    text = (
        "queries: [{id: 012, query: no, relevant: {d1: 1.33}}, {id: q2, query: on}]\n"
        "retrievers: {bm25: {type: bm25}}\nreport: [nDCG@10]\n"
    )
    data = load_data(read_suite(written(folder, text)))

    assert data.queries.to_dict() == {"012": "no", "q2": "on"}
    assert data.qrels["qrels"].to_dict() == {"012": {"d1": 1.33}}
    assert data.corpus is None


def test_documents_are_not_opened_before_somebody_asks(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text("not json", encoding="utf-8")
    data = load_data(read_suite(written(folder, SUITE)))

    with pytest.raises(RelevanceError):
        _ = data.corpus


@pytest.mark.parametrize(
    ("old", "new", "place", "fix"),
    [
        ("corpus.jsonl", "corpos.jsonl", "1:9", "did you mean 'corpus.jsonl'?"),
        ("queries.jsonl", "'query.jsonl'", "2:10", "did you mean 'queries.jsonl'?"),
        ("qrels.txt", "qrel.txt", "3:18", "did you mean 'qrels.txt'?"),
        ("qrels.txt", "deep/down/qrels.txt", "3:18", "paths begin at the suite's folder"),
        ("qrels.txt", "x" * 3000, "3:18", "paths begin at the suite's folder"),
    ],
)
def test_a_missing_file_is_named_where_the_suite_names_it(
    folder: Path, old: str, new: str, place: str, fix: str
) -> None:
    error = refused(folder, SUITE.replace(old, new))
    name = new.strip("'")

    assert isinstance(error, SuiteError)
    assert error.problem == f"file {name!r} does not exist"
    assert str(error.place) == f"{folder / 'shop.relevance.yaml'}:{place}"
    assert error.fix == fix


def test_a_missing_file_named_by_the_environment_is_shown_as_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_FOLDER", "hunter2")
    error = refused(folder, SUITE.replace("qrels.txt", "'${SECRET_FOLDER}/qrels.txt'"))

    assert error.problem == "file '${SECRET_FOLDER}/qrels.txt' does not exist"
    assert "hunter2" not in str(error)


def test_a_folder_stands_for_the_files_a_beir_folder_has(folder: Path) -> None:
    beir = folder / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")
    (beir / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    (beir / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\n", encoding="utf-8")
    text = "corpus: beir\nqueries: beir\nqrels: beir\nretrievers: {bm25: {type: bm25}}\nreport: [nDCG@10]\n"

    data = load_data(read_suite(written(folder, text)))

    assert data.queries.query_ids == ("q1", "q2")
    assert data.qrels["qrels"].to_dict() == {"q1": {"d1": 1.0}}
    assert data.corpus is not None

    (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "train.tsv")
    error = refused(folder, text)
    assert (error.problem, error.fix) == (
        "this folder holds several files of judgments",
        "name one of dev.tsv, train.tsv",
    )
    (beir / "queries.jsonl").unlink()
    assert refused(folder, text).problem == "this folder holds no queries.jsonl"


def test_a_slice_that_a_check_uses_must_hold_a_query(folder: Path) -> None:
    check = "checks: [{measure: nDCG@10, slice: type=short, at_least: 0.1}]\n"
    long = SUITE.replace("words: [1, 2]", "words: [5, 9]")

    error = refused(folder, long + check)

    assert error.problem == "slice type=short holds no query"
    assert str(error.place) == f"{folder / 'shop.relevance.yaml'}:7:10"
    assert load_data(read_suite(written(folder, long))).members["type=short"] == ()


def test_a_weighted_slice_of_a_total_must_hold_a_query(folder: Path) -> None:
    text = SUITE.replace("words: [1, 2]", "words: [5, 9]") + "weights: {type: {short: 1, question: 2}}\n"

    error = refused(folder, text + "checks: [{measure: nDCG@10, total: type, at_least: 0.1}]\n")

    assert "slice type=short has a weight and holds no query" in error.problem
    assert error.place is not None
    assert error.place.line == 7
    assert load_data(read_suite(written(folder, text)))


def test_an_unknown_attribute_value_of_a_check_is_refused_with_those_there_are(folder: Path) -> None:
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "x", "lang": "en"}\n', encoding="utf-8")
    text = SUITE.replace("{type: {short: {words: [1, 2]}, question: {starts_with: who}}}", "{lang: attribute}")

    error = refused(folder, text + "checks: [{measure: nDCG@10, slice: lang=eng, at_least: 0.1}]\n")

    assert error.problem == "slice lang=eng holds no query"
    assert error.fix == "did you mean 'lang=en'? slices with queries: lang=en"


def test_a_rule_to_fold_by_is_tried_at_once_and_a_file_begins_at_the_suites_folder(folder: Path) -> None:
    assert "rule to fold by" in refused(folder, SUITE + "fold: by page\n").problem
    (folder / "parents.tsv").write_text("d1\tp1\nd2\tp1\n", encoding="utf-8")

    assert read_suite(written(folder, SUITE + "fold: parents.tsv\n")).fold == str(folder / "parents.tsv")
    assert load_data(read_suite(written(folder, SUITE + "fold: parents.tsv\n")))


def test_a_query_is_found_by_its_id_first_and_then_by_its_text() -> None:
    queries = Queries((Query("q1", "red shoes"), Query("red shoes", "blue"), Query("q3", "hat"), Query("q4", "hat")))

    assert resolve_query(queries, "red shoes") == queries["red shoes"]
    assert resolve_query(queries, "blue") == queries["red shoes"]
    assert resolve_query(queries, "no such query") is None
    with pytest.raises(SuiteError) as caught:
        resolve_query(queries, "hat")
    assert caught.value.fix == "name one by its query_id: q3, q4"


def test_a_suite_in_a_folder_of_files_is_read_as_it_stands() -> None:
    data = load_data(read_suite(DATA / "lamps.relevance.yaml"))

    assert data.queries.to_dict()["012"] == "on"
    assert data.queries["q2"].attributes == {"room": "no"}
    assert data.members["room=no"] == ("q2",)
    assert data.qrels["qrels"].to_dict() == {"012": {"007": 1.0, "1e3": 2.0}, "q2": {"no": 1.0}}
