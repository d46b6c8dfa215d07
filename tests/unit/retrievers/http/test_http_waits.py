"""Waits, pace and breaker by pencil."""

from __future__ import annotations

import pytest

from pytest_relevance.retrievers.http.breaker import Breaker
from pytest_relevance.retrievers.http.failures import Failed
from pytest_relevance.retrievers.http.waits import backoff, retry_after

DOWN = Failed("connection refused", kind="connection", again=True, unwell=True)
BAD_QUERY = Failed("HTTP 400", kind="HTTP 400", status=400)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 1.5 ", 1.5),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:00:05 GMT", 0.0),
        ("2abc", None),
        ("-5", None),
        ("", None),
        (None, None),
        ("Thu, 99 Jan 1970 00:01:40 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, wall=10.0) == seconds


def test_backoff_doubles_from_half_a_second_is_spread_by_half_and_capped() -> None:
    assert [backoff(tried, chance=1.0, longest=30) for tried in (1, 2, 3, 9, 99)] == [0.5, 1.0, 2.0, 30.0, 30.0]
    assert backoff(3, chance=0.0, longest=30) == 1.0


def is_open(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except Failed:
        return True
    return False


def test_a_breaker_opens_after_ten_failures_over_five_seconds() -> None:
    breaker = Breaker(5.0)
    for second in range(10):
        assert not is_open(breaker)
        breaker.failed(DOWN, float(second))

    assert is_open(breaker)


def test_ten_failures_at_once_are_a_hiccup() -> None:
    breaker = Breaker(5.0)
    for _ in range(100):
        breaker.failed(DOWN, 1.0)

    assert not is_open(breaker)


@pytest.mark.parametrize("answer", ["success", "an error of the query"])
def test_anything_that_comes_through_begins_the_row_anew(answer: str) -> None:
    breaker = Breaker(5.0)
    for second in range(30):
        breaker.failed(DOWN, float(second))
        if second % 9 == 8:
            if answer == "success":
                breaker.succeeded()
            else:
                breaker.failed(BAD_QUERY, float(second))

    assert not is_open(breaker)
