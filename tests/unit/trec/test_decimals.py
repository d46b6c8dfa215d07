"""Columns of decimal numbers against Python's own float, number by number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.trec.decimals import FRONT, Numbers, make_exact, parse_numbers
from pytest_relevance.trec.numbers import score_problem

DECIMALS = (
    st.decimals(allow_nan=False, allow_infinity=False).map(str)
    | st.floats(allow_nan=False).map(repr)
    | st.from_regex(r"[+-]?([0-9]{1,22}\.?[0-9]{0,22}|\.[0-9]{1,22})", fullmatch=True).filter(str.isascii)
)


def column(tokens: list[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    lengths = np.array([len(token) for token in tokens], dtype=np.int64)
    starts = FRONT + np.concatenate(([0], np.cumsum(lengths + 1)[:-1])).astype(np.int64)
    data = np.frombuffer(b" " * FRONT + " ".join(tokens).encode() + b" " * 16, dtype=np.uint8)
    return data, starts, lengths


def parsed(tokens: list[str]) -> Numbers | None:
    return parse_numbers(*column(tokens), score_problem)


@given(st.lists(DECIMALS.filter(lambda token: score_problem(token.encode()) is None), min_size=1, max_size=20))
def test_exact_values_are_the_nearest_doubles_and_others_are_close(tokens: list[str]) -> None:
    numbers = parsed(tokens)
    wanted = np.array([float(token) for token in tokens])

    assert numbers is not None
    assert (numbers.values[numbers.exact] == wanted[numbers.exact]).all()
    off = ~numbers.exact
    assert (np.abs(numbers.values[off] - wanted[off]) <= 2 * np.spacing(np.abs(wanted[off]))).all()
    make_exact(numbers, np.flatnonzero(off), *column(tokens))
    assert (numbers.values == wanted).all()


@pytest.mark.parametrize(
    "wrong",
    [".", "-", "+", "1..2", "1.2.3", "a", "1a", "12345678a", "12345678901.2.", "--1", "1_0", "nan", "1e999", "0x1"],
)
def test_one_wrong_number_spoils_the_column(wrong: str) -> None:
    assert parsed(["1.0", wrong, "2.0"]) is None


def test_four_decimals_need_no_second_look() -> None:
    numbers = parsed(["12.3456", "0.0001", "-7.5", "3"])

    assert numbers is not None
    assert numbers.values.tolist() == [12.3456, 0.0001, -7.5, 3.0]
    assert numbers.exact.all()
