"""Node names: any text becomes one part of a node id."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.plugin.names import UniqueNames, keyword_of, node_name


def test_text_without_special_signs_stays_as_it_is() -> None:
    for text in ("red shoes", "赤い 靴", "سياسة", "nDCG@10", "100% cotton", "a/b", "what?", "12:30"):
        assert node_name(text) == text


def test_what_pytest_splits_at_is_encoded() -> None:
    assert node_name("std::vector") == "std%3A%3Avector"
    assert node_name("a[0]") == "a%5B0%5D"
    assert node_name("line\nbreak") == "line%0Abreak"
    assert node_name(" a ") == "%20a%20"
    assert node_name("a:") == "a%3A"


def test_a_text_that_looks_like_an_escape_is_told_apart() -> None:
    assert node_name("std%3A%3Avector") != node_name("std::vector")


def test_equal_names_are_numbered() -> None:
    unique = UniqueNames()

    assert [unique(name) for name in ("a", "a", "a (2)", "a")] == ["a", "a (2)", "a (2) (2)", "a (3)"]


def test_a_measure_is_a_word_for_keyword_expressions() -> None:
    assert keyword_of("nDCG@10") == "nDCG-10"
    assert keyword_of("P(rel=2)@5") == "P-rel-2-5"


@given(st.text(), st.text())
def test_two_texts_never_become_one_name(one: str, other: str) -> None:
    assert (node_name(one) == node_name(other)) == (one == other)


@given(st.text())
def test_a_name_survives_the_splitting_of_node_ids(text: str) -> None:
    name = node_name(text)

    assert f"file::{name}::item".split("::") == ["file", name, "item"]
    assert "[" not in name
    assert name.isprintable() or "\u200c" in name or "\u200d" in name
