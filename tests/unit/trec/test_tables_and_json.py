"""Judgments, rankings, queries and documents in CSV, TSV, JSON and JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.trec import read_corpus, read_qrels, read_queries, read_run


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", "query,docid,rating\nred shoes,d1,3\nred shoes,d2,1.5\n"),
        ("r.csv", 'query,docid,rating\r\n"red shoes","d1",3\r\n"red shoes",d2,"1.5"'),
        ("r.csv", "docid;rating;query\nd1;3;red shoes\nd2;1.5;red shoes\n"),
        ("r.csv", "red shoes,d1,3\nred shoes,d2,1.5\n"),
        ("r.tsv", "query-id\tcorpus-id\tscore\nred shoes\td1\t3\nred shoes\td2\t1.5\n"),
        ("r.txt", "query\tdoc_id\trating\nred shoes\td1\t3\nred shoes\td2\t1.5\n"),
        ("r.tsv", "red shoes\td1\t3\nred shoes\td2\t1.5\n"),
        ("r.json", '{"red shoes": {"d1": 3, "d2": 1.5}}'),
        ("r.json", '{"red shoes": [{"id": "d1", "rating": 3}, {"doc_id": "d2", "grade": "1.5"}]}'),
        ("r.txt", ' {"red shoes": {"d1": 3, "d2": 1.5}}'),
        (
            "r.jsonl",
            '{"query-id": "red shoes", "corpus-id": "d1", "score": 3}\n'
            '{"query": "red shoes", "docid": "d2", "rating": 1.5}\n',
        ),
    ],
)
def test_every_format_of_the_same_judgments_reads_alike(tmp_path: Path, name: str, content: str) -> None:
    assert read_qrels(written(tmp_path, name, content)).to_dict() == {"red shoes": {"d1": 3.0, "d2": 1.5}}


def test_four_tab_separated_columns_without_a_header_are_trec_text(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, "qrels.dev.tsv", "q1\t0\td1\t1\n")).to_dict() == {"q1": {"d1": 1.0}}


def test_a_query_that_nobody_rated_is_skipped(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, "r.csv", "query,docid,rating\na,d1,1\nb,,\nc\n")).query_ids == ("a",)


def test_a_bad_cell_is_named_by_its_place_after_line_breaks_in_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, "r.csv", 'query,docid,rating\n"two\nlines",d1,1\nred,d2,many\n')

    with pytest.raises(DataError) as caught:
        read_qrels(path)

    assert f"{path}:4:8: grade 'many' is not a number" in str(caught.value)


def test_two_grades_in_a_table_name_both_places(tmp_path: Path) -> None:
    path = written(tmp_path, "r.csv", "query,docid,rating\nred,d1,1\nred,d1,2\n")

    with pytest.raises(
        DataError, match=r"r\.csv:3:5: duplicate judgment of 'd1' .* first at .*r\.csv:2:5 with grade 1"
    ):
        read_qrels(path)


def test_a_quote_that_is_not_closed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r":2:1: a quoted field is not closed"):
        read_qrels(written(tmp_path, "r.csv", 'query,docid,rating\n"red,d1,1\n'))


def test_json_scores_decide_and_a_list_without_scores_is_in_order(tmp_path: Path) -> None:
    content = '{"a": {"x": 0.2, "y": 0.9}, "b": [{"id": 7}, {"id": "x"}], "c": ["y", 12], "d": [], "e": {}}'

    run = read_run(written(tmp_path, "run.json", content))

    assert {query_id: run.ranking(query_id) for query_id in run.query_ids} == {
        "a": ("y", "x"),
        "b": ("7", "x"),
        "c": ("y", "12"),
        "d": (),
        "e": (),
    }


@pytest.mark.parametrize("wrong", ["true", "null", "7.0", "[]", '""', '"\\ud800"'])
def test_an_id_that_is_not_text_or_whole_is_refused(tmp_path: Path, wrong: str) -> None:
    path = written(tmp_path, "run.json", f'{{"q": [{{"id": {wrong}, "score": 1}}]}}')

    with pytest.raises(DataError, match=r"run\.json:1:15: "):
        read_run(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"q": {"d": 1, "d": 2}}', "duplicate key 'd': first at"),
        ('{"q": {"d": 1}, "q": {}}', "duplicate key 'q'"),
        ('{"q": {"d": NaN}}', "is not a number that can be used"),
        ('{"q": {"d": true}}', "is not a number that can be used"),
        ('{"q": {"d": 1}', "not valid JSON"),
        ('{"q": {"d": 1}} {}', "more text after the end"),
        ('{"q": 1}', "expected documents of query"),
        ("[" * 100_000, "nested too deep"),
        ('{"q": {"d": ' + "9" * 5000 + "}}", "not usable JSON"),
    ],
)
def test_json_that_cannot_be_meant_is_refused_with_its_place(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(DataError, match=rf"qrels\.json:1:\d+: .*{problem}"):
        read_qrels(written(tmp_path, "qrels.json", content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "q.jsonl",
            '{"_id": "q1", "text": "what is\\niOS", "type": "short"}\n\n{"id": 7, "query": "plain", "type": "long"}\n',
        ),
        ("q.json", '{"q1": {"text": "what is\\niOS", "type": "short"}, "7": {"query": "plain", "type": "long"}}'),
        (
            "q.json",
            '[{"query_id": "q1", "text": "what is\\niOS", "type": "short"},'
            ' {"_id": "7", "text": "plain", "type": "long"}]',
        ),
        ("q.csv", 'query_id,query,type\nq1,"what is\niOS",short\n7,plain,long\n'),
        ("q.csv", 'type,text,qid\nshort,"what is\niOS",q1\nlong,plain,7'),
    ],
)
def test_every_format_of_the_same_queries_reads_alike(tmp_path: Path, name: str, content: str) -> None:
    queries = read_queries(written(tmp_path, name, content))

    assert queries.to_dict() == {"q1": "what is\niOS", "7": "plain"}
    assert [query.attributes for query in queries] == [{"type": "short"}, {"type": "long"}]


def test_quotes_are_letters_in_tsv(tmp_path: Path) -> None:
    path = written(tmp_path, "q.tsv", 'q1\t"exact phrase" tv 32"\n012\t#hashtag, with comma\n')

    assert read_queries(path).to_dict() == {"q1": '"exact phrase" tv 32"', "012": "#hashtag, with comma"}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("q.tsv", "q1\ta\nq2\tb\nq1\tc\n", r":3:1: duplicate query 'q1': first at .*q\.tsv:1:1"),
        ("q.tsv", "q1\t\n", "1:1: query 'q1' has no text"),
        ("q.tsv", "\ttext\n", "1:1: the query_id is empty"),
        ("q.tsv", "q1 no tab\n", r"expected 2 columns \(query_id, text\), found 1 column without a header"),
        ("q.tsv", "query_id\ten\tfr\nq1\ta\tb\n", "the header names no column text"),
        ("q.csv", "query_id,query\nq1,a,b\n", r"2:1: expected 2 columns \(query_id, query\), found 3"),
        ("q.jsonl", '{"_id": "q1"}\n', "expected a text"),
        ("q.jsonl", '{"_id": "q1", "text": 5}\n', "1:23: the text of query 'q1' is not text"),
        ("q.jsonl", '{"_id": "q1", "text": "a"}\n[]\n', "2:1: expected an object in braces"),
        ("q.txt", "", "the file holds no queries"),
    ],
)
def test_queries_that_cannot_be_used_are_named(tmp_path: Path, name: str, content: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_queries(written(tmp_path, name, content))


def test_documents_keep_their_fields_and_their_ids(tmp_path: Path) -> None:
    lines = [{"_id": "012", "title": "a", "tags": ["x"], "in_stock": True}, {"doc_id": 12, "text": "b"}]
    path = written(tmp_path, "corpus.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    corpus = read_corpus(path)

    assert dict(corpus.documents) == {"012": {"title": "a", "tags": ["x"], "in_stock": True}, "12": {"text": "b"}}
    table = read_corpus(written(tmp_path, "corpus.csv", 'id,title\n012,"a, b"\n'))
    assert dict(table.documents) == {"012": {"title": "a, b"}}


def test_a_document_twice_names_both_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "corpus.jsonl", '{"_id": "d", "t": 1}\n{"_id": "d", "t": 2}\n')

    with pytest.raises(DataError, match=r":2:9: duplicate document 'd': first at .*corpus\.jsonl:1:9"):
        read_corpus(path)


def test_a_run_in_a_table_needs_scores_or_ranks(tmp_path: Path) -> None:
    ranked = written(tmp_path, "run.csv", "qid,docid,rank\nq,b,2\nq,a,1\n")

    assert read_run(ranked).ranking("q") == ("a", "b")
    with pytest.raises(DataError, match="expected a header"):
        read_run(written(tmp_path, "run.tsv", "q\td\t1\n"))
