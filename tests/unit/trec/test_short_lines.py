"""Lines cut by the bits of their separators stand where their text does, and odd ones are left to the careful way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.records.words import ROOM
from pytest_relevance.trec.read import read_judged, read_qrels
from pytest_relevance.trec.short_lines import LONGEST, Ends, cut_short_lines


def cut(text: bytes, columns: int) -> Ends | None:
    data = np.frombuffer(text + b"x" * ROOM, dtype=np.uint8)
    return cut_short_lines(data, 0, np.flatnonzero(data == ord("\n")), columns)


def test_columns_end_where_their_separators_stand() -> None:
    found = cut(b"q1 0 d1 1\nq22\t0 doc 3\n", 4)

    assert found is not None
    assert found.begins.tolist() == [0, 10]
    assert found.ends.T.tolist() == [[2, 4, 7, 9], [13, 15, 19, 21]]


@pytest.mark.parametrize("place", range(8))
def test_the_longest_short_line_is_found_at_every_bit_of_a_byte(place: int) -> None:
    line = b"q 0 " + b"d" * (LONGEST - 7) + b" 1\n"
    assert len(line) == LONGEST
    before = b"q 0 " + b"d" * (place + 1) + b" 1\n"

    found = cut(before + line, 4)

    assert found is not None
    assert found.ends[:, 1].tolist() == [len(before) + end for end in (1, 3, LONGEST - 3, LONGEST - 1)]
    assert cut(before + b"q" + line, 4) is None


@pytest.mark.parametrize("odd", [b"q 0 d\n", b"q 0 d 1 more\n", b"q  d 1\n", b" q 0 d\n", b"q 0 d \n", b"\n"])
def test_a_line_without_exactly_its_columns_is_not_cut(odd: bytes) -> None:
    assert cut(b"q 0 d 1\n" + odd, 4) is None
    assert cut(odd + b"q 0 d 1\n", 4) is None


@pytest.mark.parametrize(
    "content",
    [
        "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n",
        "q1 0 d1 1\nq2 0 d1 2\nq1 0 d2 0\n",  # rows of q1 apart
        "q1 0 d1 1\nq1 0 d1 1\nq2 0 d1 2\n",  # a row twice
    ],
)
def test_judgments_for_a_join_are_those_of_the_record(tmp_path: Path, content: str) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(content, encoding="utf-8")
    judged, qrels = read_judged(path), read_qrels(path)

    assert judged.qrels.to_dict() == qrels.to_dict()
    assert (judged.name, judged.notes) == (qrels.name, qrels.notes)


def test_two_grades_for_one_pair_are_refused_though_no_run_has_the_query(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 d1 1\nq1 0 d1 2\n", encoding="utf-8")

    with pytest.raises(DataError, match=r":2:6: duplicate judgment of 'd1' for query 'q1': first at .*:1:6"):
        read_judged(path)
