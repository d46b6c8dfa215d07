from __future__ import annotations

import pytest
from suite_texts import FILE, read, refused

from pytest_relevance.errors import SuiteError
from pytest_relevance.records import Queries, Query
from pytest_relevance.suite import Suite, slice_members

# The four types of WikiQRel: questions are one, the others go by length.
TYPES = (
    "type: {short: {words: [2, 3]}, medium: {words: [4, 7]}, long: {words: [8, ]}, "
    "question: {starts_with: [who, what, how]}}"
)


def suite(slices: str) -> Suite:
    return read(
        f"queries: q.tsv\nretrievers: {{bm25: {{type: bm25}}}}\nslices: {{{slices}}}\n"
        "assertions: [{query: a, expect: [{results: 0}]}]\n"
    )


def members(slices: str, *queries: str | Query) -> dict[str, tuple[str, ...]]:
    listed = [one if isinstance(one, Query) else Query(one, one) for one in queries]
    return dict(slice_members(suite(slices), Queries(tuple(listed))))


def test_a_question_is_a_question_whatever_its_length_and_the_others_go_by_words() -> None:
    found = members(
        TYPES,
        "red shoes",
        "who is x",
        "how do I clean white running shoes at home quickly",
        "list of red shoes",
        "shoes",
        "one two three four five six seven eight",
    )

    assert found == {
        "type=short": ("red shoes",),
        "type=medium": ("list of red shoes",),
        "type=long": ("one two three four five six seven eight",),
        "type=question": ("who is x", "how do I clean white running shoes at home quickly"),
    }


def test_each_query_is_in_one_slice_at_most_the_first_rule_that_holds() -> None:
    rules = "kind: {a: {starts_with: red}, b: {matches: /shoes/}, few: {words: [1, 9]}, c: {queries: [blue hat]}}"

    assert members(rules, "red shoes", "blue shoes", "blue hat", "green hat") == {
        "kind=a": ("red shoes",),
        "kind=b": ("blue shoes",),
        "kind=few": ("green hat",),
        "kind=c": ("blue hat",),
    }


def test_a_length_with_another_condition_is_tried_in_its_place() -> None:
    rules = "kind: {a: {words: [1, 2], starts_with: [who]}, b: {starts_with: [who]}, c: {words: [1, ]}}"

    assert members(rules, "who x", "who x y", "x") == {"kind=a": ("who x",), "kind=b": ("who x y",), "kind=c": ("x",)}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("what is x", True),
        ("What Is X", True),
        ("  what is x", True),
        ("what", True),
        ("what's new", True),
        ("what?", True),
        ("whatever", False),
        ("so what", False),
        ("", False),
    ],
)
def test_a_query_begins_with_a_whole_word_in_any_letter_case(text: str, holds: bool) -> None:
    found = members("kind: {asked: {starts_with: [WHAT]}}", Query("q", text))

    assert found == {"kind=asked": ("q",) if holds else ()}


def test_every_value_of_an_attribute_is_a_slice() -> None:
    queries = [
        Query("q1", "a", {"language": "no"}),
        Query("q2", "b", {"language": "de"}),
        Query("q3", "c", {}),
        Query("q4", "d", {"language": ""}),
        Query("q5", "e", {"language": 3}),
        Query("q6", "f", {"language": True}),
        Query("q7", "g", {"language": "no"}),
    ]

    assert members("language: attribute", *queries) == {
        "language=no": ("q1", "q7"),
        "language=de": ("q2",),
        "language=3": ("q5",),
        "language=true": ("q6",),
    }


def test_a_rule_may_ask_for_attributes_and_list_queries() -> None:
    queries = [Query("012", "a", {"lang": "en", "year": 2024}), Query("q2", "b", {"lang": "de"}), Query("q3", "c", {})]
    rules = "kind: {new: {attribute: {lang: /^e/, year: 2024}}, chosen: {queries: [q3, 012]}, rest: {words: [0, ]}}"

    assert members(rules, *queries) == {"kind=new": ("012",), "kind=chosen": ("q3",), "kind=rest": ("q2",)}


def test_an_attribute_that_no_query_has_or_that_is_a_list_is_refused() -> None:
    with pytest.raises(SuiteError) as caught:
        members("lnaguage: attribute", Query("q1", "a", {"language": "en"}))
    assert caught.value.problem == "no query has the attribute 'lnaguage'"
    assert str(caught.value.place) == f"{FILE}:3:20"
    assert "did you mean 'language'?" in str(caught.value)

    with pytest.raises(SuiteError, match="holds several values"):
        members("tags: attribute", Query("q1", "a", {"tags": ["x", "y"]}))


def test_a_listed_query_that_the_suite_does_not_have_is_refused() -> None:
    with pytest.raises(SuiteError) as caught:
        members("kind: {a: {queries: [q1, q2]}}", Query("q1", "x"))

    assert caught.value.problem == "slice kind=a lists query 'q2', which this suite does not have"
    assert caught.value.place is not None
    assert caught.value.place.line == 3


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("{}", "slices.kind.a has no rule"),
        ("{wrods: [1]}", "unknown key 'wrods' in slices.kind.a"),
        ("{words: 3}", "slices.kind.a.words needs a list, found '3'"),
        ("{words: [3, 2]}", "slices.kind.a: the least number of words is above the most"),
        ("{words: [1, 2, 3]}", "slices.kind.a.words has more than 2 items"),
        ("{words: [-1]}", "slices.kind.a.words[0] must be at least 0, found -1"),
        ("{words: [a]}", "slices.kind.a.words[0] needs a whole number, found 'a'"),
        ("{starts_with: []}", "slices.kind.a.starts_with is empty"),
        ("{starts_with: ['']}", "slices.kind.a.starts_with[0] is empty"),
        ("{matches: shoes}", "slices.kind.a.matches needs /regex/, found 'shoes'"),
        ("{matches: [a]}", "slices.kind.a.matches needs /regex/, found '[a]'"),
        ("{matches: /(/}", "slices.kind.a.matches: this is no regular expression: missing ), unterminated subpattern"),
        ("{attribute: lang}", "slices.kind.a.attribute needs keys and values, found 'lang'"),
        ("text", "slices.kind.a needs keys and values, found 'text'"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_named(rule: str, problem: str) -> None:
    text = f"queries: q\nretrievers: {{b: {{type: bm25}}}}\nslices: {{kind: {{a: {rule}}}}}\n"
    error = refused(text + "assertions: [{query: a, expect: [{results: 0}]}]\n")

    assert error.problem.startswith(problem)
    assert str(error.place).startswith(f"{FILE}:3:")
    assert error.fix
