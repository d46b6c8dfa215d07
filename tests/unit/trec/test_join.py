"""The streaming join gives what reading everything and joining gives."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.records import Qrels, RankedGrades
from pytest_relevance.trec import join as join_module
from pytest_relevance.trec import join_run_file, read_run
from pytest_relevance.trec.cuts import last_query, query_blocks
from pytest_relevance.trec.judged import HashTroubleError, Judged
from pytest_relevance.trec.source import Source

QRELS = Qrels.from_dict({"q2": {"d1": 1, "d3": 2}, "q1": {"d2": 1}, "absent": {"d1": 1}})


def written(folder: Path, content: str) -> Path:
    path = folder / "bm25.run"
    path.write_bytes(content.encode())
    return path


def assert_agrees(path: Path, qrels: Qrels) -> RankedGrades:
    run, joined = read_run(path), join_run_file(path, qrels)
    wanted = RankedGrades.join(run, qrels)
    assert joined.ranked.query_ids == wanted.query_ids
    for column in ("retrieved", "in_run", "offsets", "ranks", "grades", "judged_offsets", "judged_grades"):
        assert np.array_equal(getattr(joined.ranked, column), getattr(wanted, column)), column
    assert (joined.name, joined.notes) == (run.name, run.notes)
    return joined.ranked


def test_ranks_grades_and_counts_stand_in_the_order_of_the_qrels(tmp_path: Path) -> None:
    path = written(
        tmp_path, "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 5 t\nq2 Q0 d9 2 5 t\nq2 Q0 d3 3 9 t\nq3 Q0 d1 1 1 t\n"
    )

    ranked = assert_agrees(path, QRELS)

    assert ranked.query_ids == ("q2", "q1", "absent")
    assert ranked.retrieved.tolist() == [3, 2, 0]
    assert ranked.in_run.tolist() == [True, True, False]
    assert ranked.offsets.tolist() == [0, 2, 3, 3]
    assert ranked.ranks.tolist() == [1, 3, 2]  # q2: d3 (9), then d9 before d1 (equal scores, later id first)
    assert ranked.grades.tolist() == [2, 1, 1]
    assert join_run_file(path, QRELS).unjudged == ("q3",)


@pytest.mark.parametrize("decimals", [0, 1, 4, 17])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("odd", ["", "crlf", "tabs", "comments", "exponents", "long ids", "extra"])
def test_every_shape_of_file_agrees(tmp_path: Path, decimals: int, shuffled: bool, odd: str) -> None:
    chance = random.Random(f"{decimals}{shuffled}{odd}")
    lines, judged = [], {}
    for query in range(40):
        documents = chance.sample(range(10**6), chance.randint(1, 60))
        scores = sorted((chance.random() * 10 for _ in documents), reverse=not shuffled)
        name = "a-long-document-id-é-" if odd == "long ids" else "d"
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True)):
            shown = f"{score:.{decimals}e}" if odd == "exponents" else f"{score:.{decimals}f}"
            lines.append(f"q{query} Q0 {name}{document} {rank} {shown} t{' more' if odd == 'extra' else ''}\n")
        if odd == "comments" and query % 7 == 0:
            lines.append("# between two queries\n\n")
        judged[f"q{query}"] = {f"{name}{document}": float(chance.randint(0, 3)) for document in documents[::3]}
    content = "".join(lines)
    content = (
        content.replace("\n", "\r\n") if odd == "crlf" else content.replace(" ", "\t") if odd == "tabs" else content
    )

    assert_agrees(written(tmp_path, content), Qrels.from_dict(judged))


def test_scattered_rows_and_one_bad_block_agree_too(tmp_path: Path) -> None:
    scattered = written(tmp_path, "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 5 t\nq1 Q0 d2 2 1 t\n")
    assert_agrees(scattered, QRELS)
    lone_return = written(tmp_path, "q1 Q0 d1 1 2 t\rq1 Q0 d2 2 1 t\n")
    assert_agrees(lone_return, QRELS)


def test_a_bad_line_deep_in_a_large_file_is_named_by_its_number(tmp_path: Path) -> None:
    lines = [f"q{row // 100} Q0 d{row} 1 {row % 100}.5 t\n" for row in range(60_000)]
    lines[54_321] = "q543 Q0 d 1 oops t\n"

    with pytest.raises(DataError, match=r":54322:13: score 'oops' is not a number"):
        join_run_file(written(tmp_path, "".join(lines)), QRELS)


def test_a_repeat_is_refused_or_dropped_as_reading_does(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 Q0 d2 1 9 t\nq1 Q0 d1 2 5 t\nq1 Q0 d2 3 1 t\n")

    with pytest.raises(DataError, match=r":3:7: duplicate document 'd2' .* first at .*:1:7"):
        join_run_file(path, QRELS)
    joined = join_run_file(path, QRELS, duplicates="first")
    assert joined.ranked.ranks.tolist() == [1]
    assert "1 duplicate document dropped" in joined.notes[0]


def test_colliding_hashes_never_give_a_wrong_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def worst_hash(words: object, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        return np.full(len(starts), 7, dtype=np.uint64)

    monkeypatch.setattr(join_module, "hash_words", worst_hash)
    path = written(tmp_path, "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d3 1 5 t\n")

    assert_agrees(path, QRELS)


def test_a_hash_that_two_judged_ids_share_is_noticed() -> None:
    qrels = Qrels.from_dict({"q": {"a": 1, "b": 1}})
    qrels.doc_ids.__dict__["hashes"] = np.array([5, 5], dtype=np.uint64)
    judged = Judged.of(qrels)

    with pytest.raises(HashTroubleError):
        judged.matches(None, np.array([5], dtype=np.uint64), np.array([0]), np.array([1], dtype=np.uint64))  # type: ignore[arg-type]  # never looked at


def test_an_empty_run_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing was retrieved"):
        join_run_file(written(tmp_path, "# nothing\n"), QRELS)


def test_a_block_ends_where_a_query_does() -> None:
    block = b"".join(b"q%d Q0 d%d 1 1 t\n" % (query, row) for query in range(5) for row in range(400))

    cut = last_query(block, len(block))

    assert block[cut:].startswith(b"q4 Q0 d0 ")
    assert last_query(block[:cut], cut) == block.index(b"q3 ")
    assert last_query(b"q1 a\nq1 b\n", 10) == 0


def test_a_query_longer_than_a_block_is_never_parted(tmp_path: Path) -> None:
    counts = (3, 9000, 1, 9000, 2)
    content = "".join(f"q{query} Q0 d{row} 1 1 t\n" for query, rows in enumerate(counts) for row in range(rows))

    blocks = [block.text for block in query_blocks(Source.of(written(tmp_path, content)), 1 << 10)]

    assert b"".join(blocks).decode() == content
    firsts = [{line.split()[0] for line in block.splitlines()} for block in blocks]
    assert sum(map(len, firsts)) == len(counts)


@pytest.mark.parametrize("size", [1, 7, 64, 1000, 1 << 20])
def test_blocks_put_together_are_the_file(tmp_path: Path, size: int) -> None:
    content = "".join(f"q{query} Q0 d{row} 1 1 t\n" for query in range(7) for row in range(query * 5 + 1))
    path = written(tmp_path, "\ufeff" + content + "q7 Q0 last 1 1 t")

    blocks = [block.text for block in query_blocks(Source.of(path), size)]

    assert b"".join(blocks).decode() == content + "q7 Q0 last 1 1 t"
    firsts = [block.split()[0] for block in blocks]
    assert len(set(firsts)) == len(firsts)
