"""What a field may be expected to be, beyond equal text and /regex/."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_texts import problems, refused_more, underlined

from pytest_relevance.suite import FieldCondition


def holds(written: object, value: object) -> bool:
    return FieldCondition.of({"a": written}).holds({"a": value})


@pytest.mark.parametrize(
    ("written", "value", "fits"),
    [
        (["boots", "/^shoe/"], "shoes", True),
        (["boots", "/^shoe/"], "socks", False),
        (["boots"], ["socks", "boots"], True),
        (["present"], "present", True),
        ([1, True], True, True),
        ({"at_most": 100}, 100, True),
        ({"at_most": 100}, 100.5, False),
        ({"at_most": "100"}, "99.5", True),
        ({"at_most": 100}, "cheap", False),
        ({"at_most": 100}, True, False),
        ({"at_most": 100}, None, False),
        ({"above": 3}, 3, False),
        ({"above": 3}, 3.1, True),
        ({"below": 3}, [7, 2], True),
        ({"above": 3, "below": 6}, [7, 2], False),
        ({"at_least": -1, "at_most": 0}, 0, True),
        ({"after": "2024-01-01"}, "2024-01-01", False),
        ({"after": "2024-01-01"}, "2024-01-01T23:59:59Z", False),
        ({"after": "2024-01-01"}, "2024-01-02", True),
        ({"at_least": "2024-01-01"}, "2024-01-01T00:00:00", True),
        ({"before": "2024-01-01T12:00"}, "2024-01-01", True),
        ({"before": "2024-01-01T12:00:00+02:00"}, "2024-01-01T11:00:00Z", False),
        ({"before": "2024-01-01"}, "soon", False),
        ({"before": "2024-01-01"}, "2023-02-31", False),
        ({"before": date(2024, 1, 1)}, date(2023, 12, 31), True),
        ({"after": "2024-01-01"}, datetime(2024, 1, 2, 8), True),
        ({"equals": "present"}, "present", True),
        ({"equals": "present"}, "x", False),
        ({"equals": "/x/"}, "/x/", True),
        ("present", "x", True),
        ("present", 0, True),
        ("present", False, True),
        ("present", None, False),
        ("present", "", False),
        ("present", [], False),
        ("absent", None, True),
        ("absent", "absent", False),
        (20, 20.0, True),
        (True, True, True),
        (date(2024, 1, 1), "2024-01-01", True),
    ],
)
def test_a_value_fits_what_is_written(written: object, value: object, fits: bool) -> None:
    assert holds(written, value) is fits


def test_a_missing_field_is_absent_and_nothing_else() -> None:
    for written in ("x", ["x"], {"at_most": 1}, "present", {"equals": "absent"}):
        assert not FieldCondition.of({"a": written}).holds({})
    assert FieldCondition.of({"a": "absent"}).holds({})
    assert FieldCondition.of({"a.b": "absent"}).holds({"a": [{"c": 1}]})
    assert FieldCondition.of({"a.b": "present"}).holds({"a": [{"c": 1}, {"b": 2}]})


def test_a_condition_reads_like_what_is_stated() -> None:
    condition = FieldCondition.of(
        {
            "category": ["boots", "/^shoe/i"],
            "price": {"at_least": 10, "below": 100},
            "released": {"after": "2024-01-01"},
            "cover": "present",
            "brand": {"equals": "absent"},
        }
    )

    assert condition.text == (
        "category=boots|/^shoe/i, price>=10 and price<100, released>2024-01-01, cover present, brand=absent"
    )
    assert FieldCondition.of(condition) is condition


@pytest.mark.parametrize(
    ("written", "problem", "under"),
    [
        ("[]", "a is an empty list", "[]"),
        ("[{b: c}]", "a needs texts, numbers or dates in it", "[{b: c}]"),
        ("[a, /(/]", "this is no regular expression", "[a, /(/]"),
        ("{}", "a is empty", "{}"),
        ("{at_moost: 3}", "a has unknown key 'at_moost'", "at_moost"),
        ("{at_most: cheap}", "a needs a number or a date for 'at_most', found 'cheap'", "cheap"),
        ("{after: 3}", "a needs a date for 'after', found '3'", "3"),
        ("{after: 2024-02-31}", "a needs a date for 'after', found '2024-02-31'", "2024-02-31"),
        ("{at_least: 3, before: 2024-01-01}", "a mixes numbers and dates", "2024-01-01"),
        ("{at_least: 3, above: 4}", "a has two bounds on one side", "4"),
        ("{at_least: 5, at_most: 4}", "lower bound", "5"),
        ("{above: 4, below: 4}", "lower bound", "4"),
        ("{equals: a, at_most: 3}", "a has 'equals' beside other keys", "a"),
    ],
)
def test_what_cannot_be_meant_is_named_at_its_place(written: str, problem: str, under: str) -> None:
    error = refused_more(f"assertions: [{{query: q1, expect: [{{top: 1, all: {{a: {written}}}}}]}}]\n")

    assert problem in problems(error)[0]
    assert underlined(error) == under
    assert error.fix


def test_python_is_told_the_same() -> None:
    with pytest.raises(ValueError, match="needs a number or a date for 'at_most', found 'cheap'"):
        FieldCondition.of({"a": {"at_most": "cheap"}})
    with pytest.raises(ValueError, match="needs a value"):
        FieldCondition.of({"a": None})


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_bounds_are_python_comparisons(bound: int, value: int) -> None:
    assert holds({"at_least": bound}, value) is (value >= bound)
    assert holds({"at_most": bound}, value) is (value <= bound)
    assert holds({"above": bound}, value) is (value > bound)
    assert holds({"below": bound}, value) is (value < bound)


@given(st.dates(), st.dates())
def test_days_compare_as_days(bound: date, value: date) -> None:
    assert holds({"after": bound.isoformat()}, value.isoformat()) is (value > bound)
    assert holds({"before": bound.isoformat()}, f"{value.isoformat()}T15:00:00Z") is (value < bound)


@given(st.one_of(st.none(), st.text(), st.integers(), st.lists(st.integers()), st.booleans()))
def test_a_value_is_present_or_absent(value: object) -> None:
    assert holds("present", value) is not holds("absent", value)
