from __future__ import annotations

import pytest
from suite_texts import BASE, FILE, problems, read_more, refused, refused_more, underlined

from pytest_relevance.suite import Assertion, DocPlace, FieldCondition, First, QueryMeasure, Results, Top


def assertion(expect: str, more: str = "") -> Assertion:
    (found,) = read_more(f"assertions: [{{query: q1{more}, expect: [{expect}]}}]\n").assertions
    return found


def test_each_word_has_its_class_its_line_of_text_and_its_place() -> None:
    found = read_more(
        """\
assertions:
  - query: red shoes
    of: [live]
    level: warn
    expect:
      - {first: 012}
      - {top: 5, all: {category: footwear, in_stock: true}}
      - {top: 10, contains: [B07, B08]}
      - {top: 10, contains: B07}
      - {top: 20, excludes: {title: /gift card/i}}
      - {top: 20, excludes: [B09]}
      - {doc: B077, above: B075}
      - {results: 0}
      - {results: 1}
      - {measure: ndcg-f@10, at_least: 1.0}
      - {measure: P@1, at_least: 0.2, at_most: 90%, qrels: qrels}
"""
    ).assertions[0]

    assert (found.query, found.of, found.level, str(found.place)) == ("red shoes", ("live",), "warn", f"{FILE}:5:5")
    assert [one.text for one in found.expect] == [
        "first 012",
        "top 5 all category=footwear, in_stock=true",
        "top 10 contains B07, B08",
        "top 10 contains B07",
        "top 20 excludes title=/gift card/i",
        "top 20 excludes B09",
        "B077 above B075",
        "0 results",
        "1 result",
        "nDCG-f@10 at least 1.0",
        "P@1 qrels at least 0.2 at most 0.9",
    ]
    kinds = [First, Top, Top, Top, Top, Top, DocPlace, Results, Results, QueryMeasure, QueryMeasure]
    assert [type(one) for one in found.expect] == kinds
    assert [one.place.line for one in found.expect] == list(range(9, 20))
    assert found.expect[0].place.width == len("{first: 012}")


def test_the_word_counts_wherever_it_stands() -> None:
    (found,) = assertion("{contains: [d1], top: 3}").expect

    assert isinstance(found, Top)
    assert (found.top, found.contains, found.excludes, found.all) == (3, ("d1",), None, None)


def test_of_left_out_means_every_retriever() -> None:
    assert assertion("{first: d1}").of == ("bm25", "live")
    assert assertion("{first: d1}", ", of: live").of == ("live",)


def test_ids_and_queries_stay_the_text_that_was_written() -> None:
    found = read_more(
        "assertions: [{query: no, expect: [{first: 1e-3}, {top: 3, contains: [012, on, 12:30]}]}]\n"
    ).assertions[0]

    assert found.query == "no"
    assert [one.text for one in found.expect] == ["first 1e-3", "top 3 contains 012, on, 12:30"]


@pytest.mark.parametrize(
    ("expect", "problem", "under"),
    [
        ("{tpo: 5}", "unknown key 'tpo' in assertions[0].expect[0]", "tpo"),
        ("{}", "assertions[0].expect[0] has no first", "{}"),
        ("{first: ~}", "assertions[0].expect[0].first needs a value", "~"),
        ("{first: ''}", "assertions[0].expect[0].first is empty", "''"),
        ("{first: [a]}", "assertions[0].expect[0].first needs text, found a list", "[a]"),
        ("{first: a, top: 3}", "unknown key 'top' in assertions[0].expect[0]", "top"),
        ("{top: 5}", "has none of contains, excludes, all", "5"),
        ("{top: 5, contains: [a], excludes: [b]}", "has contains and excludes", "[b]"),
        ("{top: 0, contains: [a]}", "top must be at least 1, found 0", "0"),
        ("{top: 2.5, contains: [a]}", "top needs a whole number, found '2.5'", "2.5"),
        ("{top: 99999999, contains: [a]}", "top must be at most 1e+06, found 99999999", "99999999"),
        ("{top: 1, contains: [a, b]}", "the top 1 cannot contain 2 documents", "[a, b]"),
        ("{top: 1, contains: []}", "contains is empty", "[]"),
        ("{top: 3, excludes: ~}", "excludes needs a value", "~"),
        ("{top: 3, excludes: {}}", "excludes names no field", "{}"),
        ("{top: 3, excludes: {a: {b: c}}}", "excludes.a has unknown key 'b'", "b"),
        ("{top: 3, all: [a]}", "all needs keys and values, found a list", "[a]"),
        ("{top: 3, all: {a: ~}}", "all.a needs a value, found nothing", "~"),
        ("{top: 3, all: {title: /(gift/}}", "this is no regular expression: missing )", "/(gift/"),
        ("{top: 3, all: {title: /gift/q}}", "unknown flag 'q' (known: i, m, s, x, a)", "/gift/q"),
        ("{top: 3, all: {title: //}}", "the expression between the slashes is empty", "//"),
        ("{doc: a}", "has none of above, below, rank", "a"),
        ("{doc: a, above: a}", "a document cannot stand above itself", "a"),
        ("{results: -1}", "results must be at least 0, found -1", "-1"),
        ("{results: many}", "results needs a whole number, found 'many'", "many"),
        ("{measure: P@1}", "has no bound", "{measure: P@1}"),
        ("{measure: P@1, at_least: 5}", "values of P@1 go from 0 to 1", "5"),
        ("{measure: P@1, at_least: 1, qrels: clicks}", "unknown judgment set 'clicks'", "clicks"),
        ("text", "needs keys and values, found 'text'", "text"),
    ],
)
def test_an_expectation_that_cannot_be_meant_is_named_under_its_key(expect: str, problem: str, under: str) -> None:
    error = refused_more(f"assertions: [{{query: q1, expect: [{expect}]}}]\n")

    assert problem in problems(error)[0]
    assert underlined(error) == under
    assert error.fix


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("assertions: [{expect: [{first: d}]}]", "assertions[0] has no query"),
        ("assertions: [{query: q1}]", "assertions[0] has no expect"),
        ("assertions: [{query: q1, expect: []}]", "assertions[0].expect is empty"),
        ("assertions: [{query: q1, expect: {first: d}}]", "assertions[0].expect needs a list, found keys and values"),
        ("assertions: [{query: ~, expect: [{first: d}]}]", "assertions[0].query needs a value"),
        ("assertions: [{query: '', expect: [{first: d}]}]", "assertions[0].query is empty"),
        ("assertions: [{query: q1, of: lvie, expect: [{first: d}]}]", "unknown retriever 'lvie' in assertions[0]"),
        ("assertions: {query: q1}", "assertions needs a list, found keys and values"),
    ],
)
def test_an_assertion_that_cannot_be_meant_is_named(text: str, problem: str) -> None:
    assert refused_more(text + "\n").problem == problem


def test_a_null_says_to_quote_the_word_and_an_empty_place_to_fill_it() -> None:
    assert refused_more("assertions: [{query: null, expect: [{first: d}]}]\n").fix == (
        "write one, or put null in quotes if the word itself is meant"
    )
    assert refused_more("assertions:\n").fix == "write one, or remove the key"
    assert assertion("{first: 'null'}").expect[0].text == "first null"


def test_retrieval_goes_as_deep_as_the_deepest_cutoff_and_to_ten_at_least() -> None:
    def depth(text: str, retriever: str = "live") -> int:
        return read_more(text).depth_for(retriever)

    assert depth("report: [P@1]\n") == 10
    assert depth("report: [P@1, R@100]\n") == 100
    assert depth("report: [AP]\n") == 1000
    assert depth("report: [nDCG-f@10]\n") == 1000
    assert depth("checks: [{measure: P@30, of: live, at_least: 0}]\n") == 30
    assert depth("checks: [{measure: P@30, of: bm25, at_least: 0}]\n") == 10
    assert depth("checks: [{measure: P@30, order: [bm25, live]}]\n") == 30
    assert depth("checks: [{overlap: Jaccard@20, of: bm25, with: live, at_least: 0}]\n") == 20
    assert depth("checks: [{overlap: RBO(p=0.9), of: bm25, with: live, at_least: 0}]\n") == 1000
    assert depth("assertions: [{query: q1, expect: [{first: d1}]}]\n") == 10
    assert depth("assertions: [{query: q1, expect: [{top: 50, contains: d1}]}]\n") == 50
    assert depth("assertions: [{query: q1, of: bm25, expect: [{top: 50, contains: d1}]}]\n") == 10
    assert depth("assertions: [{query: q1, expect: [{results: 25}]}]\n") == 26
    assert depth("assertions: [{query: q1, expect: [{doc: d1, above: d2}]}]\n") == 100
    assert depth("depth: 20\nreport: [P@1]\n") == 20
    assert depth("depth: 50\nreport: [AP, P@50]\n") == 50


def test_a_cutoff_deeper_than_the_stated_depth_is_refused_where_it_stands() -> None:
    error = refused_more(
        "depth: 10\nreport: [P@10, R@20]\nchecks:\n  - {measure: P@30, of: live, at_least: 0.1}\n"
        "assertions:\n  - query: q1\n    expect:\n    - {top: 50, contains: d1}\n    - {results: 10}\n"
    )

    assert problems(error) == [
        "5:16 R@20 needs 20 documents, and depth is 10",
        "11:7 top 50 contains d1 needs 50 documents, and depth is 10",
        "12:7 10 results needs 11 documents, and depth is 10",
        "7:5 P@30 needs 30 documents, and depth is 10",
    ]


@pytest.mark.parametrize(
    ("condition", "fields", "holds"),
    [
        ({"category": "footwear"}, {"category": "footwear"}, True),
        ({"category": "footwear"}, {"category": "Footwear"}, False),
        ({"category": "footwear"}, {}, False),
        ({"category": "footwear"}, {"category": None}, False),
        ({"category": "None"}, {"category": None}, False),
        ({"category": "footwear"}, {"category": ["sale", "footwear"]}, True),
        ({"category": "footwear"}, {"category": []}, False),
        ({"in_stock": "true"}, {"in_stock": True}, True),
        ({"in_stock": "True"}, {"in_stock": True}, True),
        ({"in_stock": "1"}, {"in_stock": True}, False),
        ({"in_stock": "false"}, {"in_stock": False}, True),
        ({"in_stock": "true"}, {"in_stock": "true"}, True),
        ({"size": "3"}, {"size": 3}, True),
        ({"size": "3.0"}, {"size": 3}, True),
        ({"size": "3"}, {"size": 3.0}, True),
        ({"size": "1"}, {"size": True}, False),
        ({"size": "03"}, {"size": 3}, False),
        ({"size": "03"}, {"size": "03"}, True),
        ({"size": "3.0"}, {"size": "3"}, False),
        ({"size": "-2.5e1"}, {"size": -25}, True),
        ({"id": "9007199254740993"}, {"id": 9007199254740993}, True),
        ({"id": "9007199254740993"}, {"id": 9007199254740992}, False),
        ({"price.amount": "20"}, {"price": {"amount": 20}}, True),
        ({"price.amount": "20"}, {"price.amount": 20}, True),
        ({"offers.shop": "b"}, {"offers": [{"shop": "a"}, {"shop": "b"}]}, True),
        ({"price": "20"}, {"price": {"amount": 20}}, False),
        ({"price.amount.x": "20"}, {"price": {"amount": 20}}, False),
        ({"title": "/gift card/i"}, {"title": "Best Gift Card ever"}, True),
        ({"title": "/gift card/"}, {"title": "Best Gift Card ever"}, False),
        ({"title": "/^2[0-9]{3}$/"}, {"title": 2024}, True),
        ({"title": "/usr"}, {"title": "/usr"}, True),
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}, True),
        ({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, False),
    ],
)
def test_a_condition_compares_fields_as_json_has_them(
    condition: dict[str, str], fields: dict[str, object], holds: bool
) -> None:
    assert FieldCondition.of(condition).holds(fields) is holds


def test_a_pattern_that_python_warns_of_is_still_a_pattern() -> None:
    assert FieldCondition.of({"a": "/[[a]/"}).holds({"a": "["})
    assert (
        "no regular expression"
        in refused_more("assertions: [{query: q, expect: [{top: 1, all: {a: '/x{99999999999}/'}}]}]\n").problem
    )


def test_conditions_are_equal_and_hash_by_what_was_written() -> None:
    one, other = FieldCondition.of({"a": "/b/i"}), FieldCondition.of({"a": "/b/i"})

    assert one == other
    assert {one: 1}[other] == 1
    assert one.names == ("a",)


def test_an_assertion_without_judgments_needs_none() -> None:
    text = BASE.replace(", relevant: {d1: 2}", "")

    assert refused(text + "report: [P@1]\n")
    assert "needs judgments" in str(
        refused(text + "assertions: [{query: q1, expect: [{measure: P@1, at_least: 1}]}]\n")
    )
