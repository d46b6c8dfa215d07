"""Text in columns of a terminal, in any script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.report.text import columns_of, cut, padded, visible, width


def test_east_asian_signs_take_two_columns_and_combining_marks_none() -> None:
    assert width("赤い靴") == 6
    assert width("cafe\u0301") == 4


def test_a_long_text_is_cut_at_the_columns_it_takes() -> None:
    assert cut("red running shoes", 8) == "red run…"
    assert cut("赤い靴と青い靴", 7) == "赤い靴…"
    assert cut("short", 8) == "short"


def test_control_signs_are_shown_and_cannot_move_the_cursor() -> None:
    assert visible("a\nb\x1b[31mc") == "a\\nb\\x1b[31mc"


def test_right_to_left_text_is_kept_in_its_own_column() -> None:
    assert padded("سياسة", 7) == "\u2068سياسة\u2069  "


def test_columns_line_up_whatever_the_script() -> None:
    text = columns_of([["q1", "0.5"], ["赤い", "10.25"]], [False, True])

    assert text == ["q1      0.5", "赤い  10.25"]


@given(st.text(max_size=40), st.integers(2, 30))
def test_a_cut_text_never_takes_more_columns_than_asked(text: str, columns: int) -> None:
    assert width(cut(text, columns)) <= columns
    assert cut(text, columns).isprintable() or "\u200c" in text or "\u200d" in text
