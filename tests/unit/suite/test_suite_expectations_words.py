"""Every word of the vocabulary as a suite writes it, and what cannot be meant."""

from __future__ import annotations

import pytest
from suite_texts import problems, read_more, refused_more, underlined

from pytest_relevance.suite import (
    Assertion,
    Distinct,
    DocPlace,
    Expectation,
    FewerResults,
    InOrder,
    InTiers,
    Latency,
    MoreResults,
    Overlaps,
    Results,
    SameAs,
    Sorted,
    SubsetOf,
    Top,
    Where,
)


def assertions(text: str) -> tuple[Assertion, ...]:
    return read_more(f"assertions: [{text}]\n").assertions


def expected(text: str) -> Expectation:
    return assertions(f"{{query: q1, expect: [{text}]}}")[0].expect[0]


@pytest.mark.parametrize(
    ("written", "kind", "text", "depth", "least"),
    [
        ("{top: 3, contains: [a, b], any: true}", Top, "top 3 contains any of a, b", 3, 3),
        ("{top: 3, contains: [a, b, c], at_least: 2}", Top, "top 3 contains at least 2 of a, b, c", 3, 3),
        ("{top: 1, contains: [a, b], any: true}", Top, "top 1 contains any of a, b", 1, 1),
        ("{top: 3, any: {kind: shoe}}", Top, "top 3 any kind=shoe", 3, 3),
        ("{top: 3, none: {kind: [shoe, lace]}}", Top, "top 3 none kind=shoe|lace", 3, 3),
        ("{top: 10, all: {kind: shoe}, mostly: 90%}", Top, "top 10 all kind=shoe mostly 0.9", 10, 10),
        ("{doc: a, below: b}", DocPlace, "a below b", 100, 2),
        ("{doc: a, rank: 2}", DocPlace, "a at rank 2", 100, 2),
        ("{doc: a, rank: {at_most: 300}}", DocPlace, "a at rank at most 300", 300, 300),
        ("{order: [a, b, c]}", InOrder, "order a, b, c", 100, 3),
        ("{tiers: [[a, b], c]}", InTiers, "tiers a, b > c", 100, 3),
        ("{results: {at_least: 5}}", Results, "at least 5 results", 5, 5),
        ("{results: {at_least: 1}}", Results, "at least 1 result", 1, 1),
        ("{results: {at_least: 1, at_most: 20}}", Results, "at least 1 at most 20 results", 21, 21),
        ("{latency: {at_most: 200ms}}", Latency, "latency at most 0.2 s", 1, 1),
        ("{latency: {at_most: 1.5s}}", Latency, "latency at most 1.5 s", 1, 1),
        ("{latency: {at_most: 2}}", Latency, "latency at most 2 s", 1, 1),
        ("{sorted: {by: price}}", Sorted, "top 10 sorted by price ascending", 10, 10),
        ("{top: 5, sorted: {by: price, order: descending}}", Sorted, "top 5 sorted by price descending", 5, 5),
        ("{top: 5, distinct: {field: brand, at_least: 3}}", Distinct, "top 5 distinct brand at least 3", 5, 5),
        ("{same_as: red shoes}", SameAs, "top 10 same as red shoes", 10, 10),
        ("{same_as: {of: bm25}, any_order: true}", SameAs, "top 10 same as on bm25 in any order", 10, 10),
        ("{subset_of: {query: shoes, of: live}, top: 3}", SubsetOf, "top 3 subset of shoes on live", 1000, 3),
        ("{more_results_than: shoes}", MoreResults, "more results than shoes", 1000, 2),
        ("{fewer_results_than: shoes}", FewerResults, "fewer results than shoes", 1000, 2),
        ("{overlaps: 80%, with: shoes, top: 5}", Overlaps, "top 5 overlaps 0.8 with shoes", 5, 5),
        ("{where: 'rules:fits', top: 7}", Where, "top 7 where rules:fits", 7, 7),
        ("{where: 'a.b:c.d'}", Where, "top 10 where a.b:c.d", 10, 10),
    ],
)
def test_each_word_has_its_class_its_text_and_its_depths(
    written: str, kind: type, text: str, depth: int, least: int
) -> None:
    found = expected(written)

    assert type(found) is kind
    assert (found.text, found.depth, found.least_depth) == (text, depth, least)


@pytest.mark.parametrize(
    ("written", "problem", "under"),
    [
        ("{top: 3, contains: [a], any: true, at_least: 1}", "has any and at_least", "1"),
        ("{top: 3, contains: [a], any: yes}", "any cannot be 'yes'", "yes"),
        ("{top: 3, any: true}", "any needs keys and values, found 'true'", "true"),
        ("{top: 3, contains: [a], at_least: 2}", "at least 2 of 1 documents cannot be", "2"),
        ("{top: 1, contains: [a, b, c], at_least: 2}", "the top 1 cannot contain 2 documents", "[a, b, c]"),
        ("{top: 3, any: {a: b}, mostly: 0.9}", "has mostly without all", "0.9"),
        ("{top: 3, any: {a: b}, at_least: 2}", "has at_least without contains", "2"),
        ("{top: 3, all: {a: b}, mostly: 90}", "mostly must be at most 1, found 90", "90"),
        ("{top: 3, all: {a: b}, none: {a: c}}", "has all and none", "{a: c}"),
        ("{doc: a, above: b, below: c}", "has above and below", "c"),
        ("{doc: a, below: a}", "a document cannot stand below itself", "a"),
        ("{doc: a, rank: 0}", "ranks count from 1", "0"),
        ("{doc: a, rank: {}}", "rank has no bound", "{}"),
        ("{doc: a, rank: {at_least: 3, at_most: 2}}", "at_least is above at_most", "3"),
        ("{order: [a]}", "order needs at least 2 items", "[a]"),
        ("{order: [a, b, a]}", "'a' is there twice", "[a, b, a]"),
        ("{tiers: [[a, b], [b]]}", "'b' is there twice", "[[a, b], [b]]"),
        ("{tiers: [[a], []]}", "tiers[1] is empty", "[]"),
        ("{results: {at_least: 0}}", "at_least 0 is true of every answer", "{at_least: 0}"),
        ("{results: {least: 1}}", "unknown key 'least'", "least"),
        ("{latency: {at_most: 0}}", "at_most must be above 0, found 0", "0"),
        ("{latency: {at_most: soon}}", "at_most needs a number, found 'soon'", "soon"),
        ("{latency: 2}", "latency needs keys and values, found '2'", "2"),
        ("{sorted: price}", "sorted needs keys and values, found 'price'", "price"),
        ("{sorted: {by: price, order: up}}", "order cannot be 'up'", "up"),
        ("{distinct: {field: brand}}", "distinct has no bound", "{field: brand}"),
        ("{distinct: {at_least: 2}}", "distinct has no field", "{at_least: 2}"),
        ("{same_as: {}}", "same_as names no other ranking", "{}"),
        ("{same_as: [a]}", "same_as needs text or keys and values, found a list", "[a]"),
        ("{same_as: {of: lvie}}", "unknown retriever 'lvie'", "lvie"),
        ("{overlaps: 0, with: a}", "overlaps must be above 0", "0"),
        ("{overlaps: 0.8}", "has no with", "{overlaps: 0.8}"),
        ("{where: rules}", "'rules' is not of the form package.module:callable", "rules"),
        ("{where: 'rules:1'}", "is not of the form package.module:callable", "'rules:1'"),
        ("{first: a, known_failure: b, level: warn}", "is a known failure and of level warn", "warn"),
        ("{first: a, known_failure: ''}", "known_failure is empty", "''"),
    ],
)
def test_what_cannot_be_meant_is_named_under_its_key(written: str, problem: str, under: str) -> None:
    error = refused_more(f"assertions: [{{query: q1, expect: [{written}]}}]\n")

    assert problem in problems(error)[0]
    assert underlined(error) == under
    assert error.fix


def test_a_level_and_a_known_failure_may_stand_at_one_expectation() -> None:
    (found,) = assertions(
        "{query: q1, known_failure: later, "
        "expect: [{first: a}, {first: b, level: warn}, {first: c, known_failure: now}]}"
    )

    assert [found.known_failure_of(one) for one in found.expect] == ["later", "", "now"]
    assert [found.level_of(one) for one in found.expect] == ["fail", "warn", "fail"]


def test_a_table_is_a_list_a_slice_or_a_file() -> None:
    listed, sliced, filed = assertions(
        "{queries: [red shoes, q1, c, d, e], mostly: 95%, expect: [{results: 1}]},"
        "{queries: type = question, expect: [{results: 1}]},"
        "{queries: head=1.tsv, each: item, name: head, expect: [{results: 1}]}"
    )

    assert listed.table is not None
    assert listed.table.listed == ("red shoes", "q1", "c", "d", "e")
    assert (listed.mostly, listed.each, listed.about) == (0.95, False, "queries red shoes, q1, c, d and 1 more")
    assert sliced.table is not None
    assert (sliced.table.slice, sliced.about) == ("type=question", "queries type=question")
    assert filed.table is not None
    assert (str(filed.table.file), filed.each, filed.about) == ("head=1.tsv", True, "head")


@pytest.mark.parametrize(
    ("written", "problem", "under"),
    [
        ("{query: a, queries: [b], expect: [{first: d}]}", "assertions[0] has query and queries", "[b]"),
        ("{query: a, mostly: 0.5, expect: [{first: d}]}", "has mostly, which is for several queries", "0.5"),
        ("{query: a, each: item, expect: [{first: d}]}", "has each, which is for several queries", "item"),
        ("{queries: [a], each: query, expect: [{first: d}]}", "each cannot be 'query'", "query"),
        ("{queries: [a], each: item, mostly: 0.5, expect: [{first: d}]}", "mostly and an item for each query", "0.5"),
        ("{queries: [a, a], expect: [{first: d}]}", "query 'a' is there twice", "[a, a]"),
        ("{queries: [], expect: [{first: d}]}", "queries is empty", "[]"),
        ("{queries: {a: b}, expect: [{first: d}]}", "queries needs text or a list, found keys and values", "{a: b}"),
        ("{queries: type=long, expect: [{first: d}]}", "unknown slice of type 'type=long'", "type=long"),
        ("{queries: kind=long, expect: [{first: d}]}", "unknown slices 'kind=long'", "kind=long"),
        ("{query: a, level: warn, known_failure: b, expect: [{first: d}]}", "known failure and of level warn", "warn"),
        ("{query: a, expect: [{same_as: a}]}", "compares a ranking with itself", "[{same_as: a}]"),
        (
            "{query: a, of: live, expect: [{same_as: {of: live}}]}",
            "compares a ranking with itself",
            "[{same_as: {of: live}}]",
        ),
    ],
)
def test_a_table_that_cannot_be_meant_is_named(written: str, problem: str, under: str) -> None:
    error = refused_more(f"assertions: [{written}]\n")

    assert problem in problems(error)[0]
    assert underlined(error) == under


def test_a_retriever_that_is_compared_with_is_retrieved_as_deep() -> None:
    suite = read_more("assertions: [{query: q1, of: live, expect: [{same_as: {of: bm25}, top: 50}]}]\n")

    assert (suite.depth_for("live"), suite.depth_for("bm25")) == (50, 50)
