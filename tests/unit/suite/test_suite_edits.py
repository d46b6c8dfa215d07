"""Two versions of a suite side by side: whatever was made easier is told with its old value, or as gone."""

from __future__ import annotations

import pytest
from suite_texts import read

from pytest_relevance.suite import Suite
from pytest_relevance.suite.edits import SuiteEdits

HEAD = (
    "queries: q.jsonl\nqrels: qrels.txt\ncorpus: c.jsonl\nslices: {type: attribute}\n"
    "retrievers: {a: {type: bm25}, b: {type: bm25}}\nreport: [P@1]\n"
)


def suite(checks: str = "[]", assertions: str = "[]") -> Suite:
    return read(f"{HEAD}checks: {checks}\nassertions: {assertions}\n")


def told(then: str, now: str) -> list[str]:
    """All edits of assertions, then what is gone."""
    before, after = suite(assertions=then), suite(assertions=now)
    edits = SuiteEdits(after, before)
    return [
        *(
            edit
            for assertion in after.assertions
            for retriever in assertion.of
            for expectation in assertion.expect
            for edit in edits.of_expectation(retriever, expectation)
        ),
        *(f"gone: {one}" for one in edits.gone),
    ]


@pytest.mark.parametrize(
    ("then", "now", "moved"),
    [
        ("{measure: RR@10, at_least: 0.5}", "{measure: RR@10, at_least: 0.1}", "at_least was 0.5 and is 0.1"),
        ("{doc: D, rank: 1}", "{doc: D, rank: {at_most: 3}}", "rank was 1 and is {at_most: 3}"),
        ("{doc: D, rank: {at_most: 3}}", "{doc: D, rank: {at_most: 9}}", "rank was {at_most: 3} and is {at_most: 9}"),
        ("{results: 0}", "{results: {at_most: 5}}", "results was 0 and is {at_most: 5}"),
        ("{top: 5, all: {brand: x}}", "{top: 3, all: {brand: x}}", "top was 5 and is 3"),
        ("{top: 5, all: {brand: x}}", "{top: 5, all: {brand: x}, mostly: 0.8}", "mostly was unset and is 0.8"),
        ("{top: 5, all: {brand: x}}", "{top: 5, all: {brand: [x, y]}}", "all was brand=x and is brand=x|y"),
        ("{top: 5, contains: [D, E]}", "{top: 5, contains: [D]}", "contains was D, E and is D"),
        ("{top: 5, contains: [D, E]}", "{top: 5, contains: [D, E], at_least: 1}", "at_least was unset and is 1"),
        ("{top: 5, contains: [D, E]}", "{top: 5, contains: [D, E], any: true}", "any was unset and is true"),
        ("{latency: {at_most: 0.2}}", "{latency: {at_most: 2}}", "latency was {at_most: 0.2} and is {at_most: 2}"),
        (
            "{distinct: {field: brand, at_least: 3}}",
            "{distinct: {field: brand, at_least: 2}}",
            "distinct was {at_least: 3, field: brand} and is {at_least: 2, field: brand}",
        ),
        ("{overlaps: 0.8, with: other}", "{overlaps: 0.5, with: other}", "overlaps was 0.8 and is 0.5"),
        ("{same_as: other}", "{same_as: other, any_order: true}", "any_order was false and is true"),
        ("{first: D}", "{first: E}", "first was D and is E"),
        ("{first: D}", "{first: D, level: warn}", "level was fail and is warn"),
        ("{first: D}", "{first: D, known_failure: later}", "known_failure was unset and is later"),
    ],
)
def test_each_way_to_ask_less_of_one_query_is_told(then: str, now: str, moved: str) -> None:
    found = told(f"[{{query: red shoes, of: a, expect: [{then}]}}]", f"[{{query: red shoes, of: a, expect: [{now}]}}]")

    assert [edit.partition(", in red shoes: ")[0] for edit in found] == [moved]
    assert found[0].endswith(" of a")


@pytest.mark.parametrize(
    ("then", "now", "moved"),
    [
        (
            "mostly: 0.9, expect: [{first: D}]",
            "mostly: 0.5, expect: [{first: D}]",
            "mostly of its queries was 0.9 and is 0.5",
        ),
        ("expect: [{first: D}]", "level: warn, expect: [{first: D}]", "level was fail and is warn"),
        ("expect: [{first: D}]", "known_failure: yes, expect: [{first: D}]", "known_failure was unset and is yes"),
    ],
)
def test_what_is_said_of_a_whole_table_is_told_too(then: str, now: str, moved: str) -> None:
    found = told(f"[{{queries: type=long, of: a, {then}}}]", f"[{{queries: type=long, of: a, {now}}}]")

    assert found == [f"{moved}, in queries type=long: first D of a"]


def test_what_stays_is_not_told_however_it_is_arranged() -> None:
    then = "[{query: x, of: a, expect: [{first: D}, {results: 3}]}, {query: y, expect: [{first: E}]}]"
    one, other = "{query: x, of: a, expect: [{results: 3}]}", "{query: x, of: a, expect: [{first: D}]}"
    now = f"[{{query: y, expect: [{{first: E}}]}}, {one}, {other}]"

    assert told(then, now) == []


def test_of_several_alike_the_nearest_is_the_one_that_was_edited() -> None:
    then = "[{query: x, of: a, expect: [{top: 5, contains: [D]}, {top: 5, contains: [E]}]}]"
    now = "[{query: x, of: a, expect: [{top: 9, contains: [E]}, {top: 8, contains: [D]}]}]"

    assert told(then, now) == [
        "top was 5 and is 9, in x: top 9 contains E of a",
        "top was 5 and is 8, in x: top 8 contains D of a",
    ]


def test_an_expectation_of_another_kind_is_gone_and_not_edited() -> None:
    then = "[{query: x, of: a, expect: [{top: 5, contains: [D]}, {first: D}]}]"
    now = "[{query: x, of: a, expect: [{top: 5, excludes: [D]}, {results: 3}]}]"

    assert told(then, now) == ["gone: the assertion x: top 5 contains D of a", "gone: the assertion x: first D of a"]


def test_a_retriever_that_is_no_longer_asked_is_gone() -> None:
    then, now = "[{query: x, expect: [{first: D}]}]", "[{query: x, of: b, expect: [{first: D}]}]"

    assert told(then, now) == ["gone: the assertion x: first D of a"]


def test_of_many_that_are_gone_ten_are_named() -> None:
    then = "[" + ", ".join(f"{{query: q{place}, of: a, expect: [{{first: D}}]}}" for place in range(15)) + "]"

    found = told(then, "[]")

    assert len(found) == 11
    assert found[-1] == "gone: 5 more assertions"


def test_checks_are_told_by_their_title() -> None:
    then = suite("[{measure: RR@10, of: a, at_least: 0.5}, {measure: P@1, of: a, at_least: 0.5}]")
    now = suite("[{measure: RR@10, of: a, at_least: 0.4, level: warn}]")
    edits = SuiteEdits(now, then)

    assert edits.of_check(now.checks[0]) == (
        "level was fail and is warn, in RR@10 of a",
        "at_least was 0.5 and is 0.4, in RR@10 of a",
    )
    assert edits.gone == ("the check P@1 of a",)
