"""TREC qrels and runs: what a line may look like, and what is said of one that cannot be meant."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_relevance.errors import CombinedError, DataError, RelevanceError
from pytest_relevance.trec import read_corpus, read_qrels, read_queries, read_run


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "q1 0 d1 2\nq1 0 d2 0\n",
        "q1\t0\td1\t2\nq1 \t 0  d2\t0",
        "q1 0 d1 2\r\nq1 0 d2 0\r\n",
        "q1 0 d1 2\rq1 0 d2 0\r",
        "\ufeffq1 0.5 d1 2\n\n   \nq1 Q0 d2 0\n",
        "# ir_metadata.start\n# tag: x\n# ir_metadata.end\nq1 0 d1 2 # sure\n # why\nq1 0 d2 0 extra field\n",
        "  q1 0 d1 2\n  q1 0 d2 0\n",
    ],
)
def test_every_way_to_write_the_same_judgments_reads_alike(tmp_path: Path, content: str) -> None:
    assert read_qrels(written(tmp_path, "qrels.txt", content)).to_dict() == {"q1": {"d1": 2.0, "d2": 0.0}}


def test_ids_stay_text_to_the_letter(tmp_path: Path) -> None:
    path = written(tmp_path, "qrels.txt", "012 0 1e3 1\n12 0 no 1\n#not 0 x 1\nq#1 0 d#1 1\ngröße 0 \u00a0x 1\n")

    assert read_qrels(path).to_dict() == {
        "012": {"1e3": 1},
        "12": {"no": 1},
        "q#1": {"d#1": 1},
        "größe": {"\u00a0x": 1},
    }


def test_grades_may_be_fractions_negative_and_large(tmp_path: Path) -> None:
    path = written(tmp_path, "qrels.txt", "q 0 a 1.33\nq 0 b -2\nq 0 c 1e2\nq 0 d +.5\nq 0 e 123456789012345678\n")

    assert read_qrels(path).grades_of("q") == {"a": 1.33, "b": -2.0, "c": 100.0, "d": 0.5, "e": 123456789012345678.0}


def test_a_short_line_is_named_with_the_columns_it_should_have(tmp_path: Path) -> None:
    path = written(tmp_path, "qrels.txt", "q16 0 D1 1\nq17 0 B08L3B9B9P\n")

    with pytest.raises(DataError) as caught:
        read_qrels(path)

    assert str(caught.value).splitlines() == [
        f"{path}:2:1: expected 4 columns (query_id iteration doc_id grade), found 3",
        "  2 | q17 0 B08L3B9B9P",
        "    | ^^^^^^^^^^^^^^^^",
        "  fix: write query_id, iteration, doc_id and grade, for example 'q17 0 B08L3B9B9P 2'",
    ]


@pytest.mark.parametrize("score", ["nan", "1_0", "0x1p3", "٣", "1e999", "--1", "1.2.3", "abc"])
def test_a_score_that_is_no_number_is_named_by_its_column(tmp_path: Path, score: str) -> None:
    path = written(tmp_path, "r.run", f"q1 Q0 d1 1 2.5 t\nq1 Q0 ü 2 {score} t\n")

    with pytest.raises(DataError) as caught:
        read_run(path)

    assert f"{path}:2:11: score {score!r} is" in str(caught.value)


@pytest.mark.parametrize("grade", ["nan", "inf", "-inf", "1e999", "yes"])
def test_a_grade_is_a_finite_number(tmp_path: Path, grade: str) -> None:
    with pytest.raises(DataError, match=":1:8: "):
        read_qrels(written(tmp_path, "q.txt", f"q1 0 d {grade}\n"))


def test_infinite_scores_are_put_in_order(tmp_path: Path) -> None:
    path = written(tmp_path, "r.run", "q Q0 a 1 -inf t\nq Q0 b 1 0 t\nq Q0 c 1 inf t\nq Q0 d 1 Infinity t\n")

    assert read_run(path).ranking("q") == ("d", "c", "b", "a")


def test_ten_problems_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    with pytest.raises(CombinedError) as caught:
        read_qrels(written(tmp_path, "q.txt", "q 0 d x\n" * 25))

    assert str(caught.value).count("is not a number") == 10
    assert str(caught.value).splitlines()[-1] == "and 15 more problems of this kind or others"


def test_bytes_that_are_not_utf8_are_named_and_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_qrels(written(tmp_path, "q.txt", "é 0 d1 1\nq 0 schl\u00fc 1\n".encode().replace(b"\xc3\xbc", b"\xfc")))

    assert ":2:9: byte 0xfc is not valid UTF-8" in str(caught.value)
    assert "re-encode" in str(caught.value)
    assert "\ufffd" not in str(caught.value)


def test_what_a_terminal_would_act_on_is_shown_escaped(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_qrels(written(tmp_path, "q.txt", "q\x1b[31m 0 d\n"))

    assert "\x1b" not in str(caught.value)
    assert "\\x1b[31m" in str(caught.value)


def test_a_long_line_is_shown_around_the_place(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_qrels(written(tmp_path, "q.txt", f"q 0 {'d' * 100_000} x\n"))

    assert max(map(len, str(caught.value).splitlines())) < 300


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", "\ufeff"])
def test_an_empty_file_says_so(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, "empty.txt", content)
    with pytest.raises(DataError, match="the file holds no judgments"):
        read_qrels(path)
    with pytest.raises(DataError, match="the file holds no rankings: nothing was retrieved"):
        read_run(path)


@pytest.mark.parametrize("read", [read_qrels, read_run, read_queries, read_corpus])
@pytest.mark.parametrize("name", ["rows.txt", "lines.jsonl", "value.json", "table.tsv"])
def test_a_file_that_was_never_written_is_not_read_to_its_end(
    tmp_path: Path, read: Callable[[Path], object], name: str
) -> None:
    path = written(tmp_path, name, b"")
    os.truncate(path, 1 << 34)  # zeros that take no room; nobody could read them all

    with pytest.raises(DataError, match=f"{name}: begins with zero bytes"):
        read(path)


def test_faults_of_the_file_system_are_errors_of_ours(tmp_path: Path) -> None:
    broken = written(tmp_path, "broken.gz", gzip.compress(b"q 0 d 1\n")[:-6])
    for path, problem in (
        (tmp_path, "is a folder"),
        (tmp_path / "absent", "no such file"),
        (broken, "the gzip data is broken"),
        (written(tmp_path, "plain.gz", b"q 0 d 1\n"), "is named .gz but is not"),
    ):
        with pytest.raises(RelevanceError, match=problem):
            read_qrels(path)


def test_a_packed_file_needs_no_particular_name(tmp_path: Path) -> None:
    path = written(tmp_path, "qrels.packed", gzip.compress(b"q 0 d 1\n"))

    assert read_qrels(path).to_dict() == {"q": {"d": 1.0}}


def test_rows_of_a_query_may_be_scattered(tmp_path: Path) -> None:
    path = written(tmp_path, "r.run", "q1 Q0 a 1 1 t\nq2 Q0 a 1 5 t\nq1 Q0 b 2 3 t\nq2 Q0 c 1 7 t\n")

    run = read_run(path)

    assert run.query_ids == ("q1", "q2")
    assert run.ranking("q1") == ("b", "a")
    assert run.ranking("q2") == ("c", "a")


def test_a_rank_column_against_the_scores_is_noted_once(tmp_path: Path) -> None:
    path = written(tmp_path, "r.run", "q Q0 d3 1 1.0 t\nq Q0 d1 2 3.0 t\np Q0 d3 1 1.0 t\np Q0 d1 2 3.0 t\n")

    assert read_run(path).notes == ("r: the rank column disagrees with the scores; the scores decide",)


@pytest.mark.parametrize("ranks", ["9 10 11", "1 1 1", "A B C", "0 0 0"])
def test_ranks_that_fit_or_are_no_numbers_are_not_worth_a_note(tmp_path: Path, ranks: str) -> None:
    lines = [f"q Q0 d{place} {rank} {9 - place} t\n" for place, rank in enumerate(ranks.split())]

    assert read_run(written(tmp_path, "r.run", "".join(lines))).notes == ()


def test_a_document_twice_in_a_ranking_names_both_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "r.run", "q Q0 d1 1 3 t\nq Q0 d2 2 2 t\nq  Q0 d1 3 1 t\n")

    with pytest.raises(DataError) as caught:
        read_run(path)

    assert f"{path}:3:7: duplicate document 'd1' in the ranking of query 'q': first at {path}:1:6" in str(caught.value)
    first = read_run(path, duplicates="first")
    assert first.ranking("q") == ("d1", "d2")
    assert first.notes == ("r: 1 duplicate document dropped, best rank kept",)


def test_two_grades_for_a_pair_name_both_lines_and_a_repeat_counts_once(tmp_path: Path) -> None:
    repeated = written(tmp_path, "same.txt", "q 0 d 1\nq 0 d 1\n")
    other = written(tmp_path, "other.txt", "q 0 d 1\n# comment\nq 0 d 2\n")

    assert read_qrels(repeated).to_dict() == {"q": {"d": 1.0}}
    assert "1 duplicate judgment dropped" in read_qrels(repeated).notes[0]
    with pytest.raises(DataError) as caught:
        read_qrels(other)
    assert (
        f"{other}:3:5: duplicate judgment of 'd' for query 'q': first at {other}:1:5 with grade 1, here with 2"
        in str(caught.value)
    )
    assert read_qrels(other, duplicates="first").to_dict() == {"q": {"d": 1.0}}


def test_the_name_is_the_file_name_without_endings_unless_given(tmp_path: Path) -> None:
    path = written(tmp_path, "bm25.v2.run.gz", gzip.compress(b"q Q0 d 1 1 t\n"))

    assert read_run(path).name == "bm25.v2"
    assert read_run(path, name="mine").name == "mine"


def test_real_qrels_with_comments_read_as_those_without(shared: Path) -> None:
    folder = shared / "data/oracles/trec_eval"
    plain, commented = (read_qrels(folder / name).to_dict() for name in ("qrels.test", "qrels.test.with-comments"))

    assert commented.keys() == plain.keys()
    assert sum(map(len, commented.values())) == sum(map(len, plain.values()))
