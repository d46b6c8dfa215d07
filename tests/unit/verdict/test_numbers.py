"""How numbers read in a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.verdict.numbers import listed, plural, shown


def test_three_decimals_are_enough_where_they_tell_the_difference() -> None:
    assert shown(0.3912, 0.42) == "0.391"


def test_more_decimals_are_shown_where_three_would_hide_the_difference() -> None:
    assert shown(0.41999, 0.42) == "0.41999"
    assert shown(0.42, 0.41999) == "0.42000"


def test_counts_are_whole() -> None:
    assert shown(12.0, 15.0) == "12"
    assert shown(1.0) == "1.000"


def test_words_agree_with_their_number() -> None:
    assert plural(1, "query", "queries") == "1 query"
    assert plural(3, "query", "queries") == "3 queries"
    assert listed(["a", "b", "c"], most=2) == "a, b and 1 more"


@given(st.floats(0, 1), st.floats(0, 1))
def test_two_values_that_differ_by_a_millionth_never_read_the_same(one: float, other: float) -> None:
    if abs(one - other) > 1e-6:
        assert shown(one, other) != shown(other, one)
