from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retriever_stand_ins import corpus_context, entry, retrieve

from pytest_relevance.errors import SuiteError
from pytest_relevance.retrievers.bm25_options import Bm25Options
from pytest_relevance.retrievers.bm25_tokens import Terms, analysis_of, words

law = settings(deadline=None)  # a slow machine breaks no law


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Red shoes, size 42!", ["red", "shoes", "size", "42"]),
        ("vitamin C", ["vitamin", "c"]),
        ("USB-C hub/4k", ["usb", "c", "hub", "4k"]),
        ("max_depth", ["max", "depth"]),
        ("men's", ["men", "s"]),
        ("Crème brûlée", ["crème", "brûlée"]),
        ("Cre\u0300me", ["crème"]),  # a letter and its accent apart
        ("ＵＳＢ", ["usb"]),  # full width
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs belong to their letters
        ("новые туфли", ["новые", "туфли"]),
        ("红色运动鞋", ["红", "色", "运", "动", "鞋"]),  # no blanks between words: one sign, one word
        ("赤いスニーカー", ["赤", "い", "スニーカー"]),  # Katakana stays whole
        ("빨간 신발", ["빨간", "신발"]),
        ("iPhone14红色", ["iphone14", "红", "色"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("🎁 gift", ["gift"]),
        ("", []),
        ("?!", []),
        ("\u0301", []),  # an accent alone
    ],
)
def test_words_are_letters_and_digits_of_any_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_letter_case_can_be_kept() -> None:
    assert words("Red US", lowercase=False) == ["Red", "US"]


@law
@given(st.text())
def test_no_letter_is_lost_and_nothing_else_is_kept(text: str) -> None:
    found = "".join(words(text, lowercase=False))
    expected = [sign for sign in unicodedata.normalize("NFKC", text) if sign.isalnum()]

    assert [sign for sign in found if sign.isalnum()] == expected
    assert all(sign.isalnum() or unicodedata.category(sign)[0] == "M" for sign in found)


@law
@given(st.text(st.characters(max_codepoint=127)))
def test_plain_english_text_is_cut_at_everything_but_letters_and_digits(text: str) -> None:
    assert words(text) == "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()


def terms(text: str, **options: object) -> list[str]:
    """The terms that are indexed for a text."""
    vocabulary = Terms(analysis_of(entry("bm25", options).validate(Bm25Options)))
    numbers = vocabulary.add(text)
    names = list(vocabulary.numbers)
    return [names[number] for number in numbers]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["run", "shoe"]),
        ({"stemming": False}, ["running", "shoes"]),
        ({"language": "none"}, ["the", "running", "shoes"]),
        ({"stop_words": "none"}, ["the", "run", "shoe"]),
        ({"stop_words": ["Running"]}, ["the", "shoe"]),
        ({"stop_words": "german", "stemming": False}, ["the", "running", "shoes"]),
        ({"language": "en", "lowercase": False, "stemming": False}, ["Running", "shoes"]),
    ],
)
def test_language_stop_words_and_stemming_can_be_chosen(options: Mapping[str, object], expected: list[str]) -> None:
    assert terms("The Running shoes", **options) == expected


def test_a_language_with_a_stemmer_and_no_list_has_no_stop_words() -> None:
    assert terms("talojen ja", language="finnish") == terms("talojen ja", language="fi", stop_words="none")


def test_a_language_with_a_list_and_no_stemmer_is_not_stemmed() -> None:
    assert terms("鞋 一 色", language="zh") == ["鞋", "色"]


@pytest.mark.parametrize("stop_words", ["klingon", "finnish"])
def test_stop_words_that_are_asked_for_and_not_there_are_an_error(stop_words: str) -> None:
    with pytest.raises(SuiteError, match="there are no stop words called"):
        terms("a", stop_words=stop_words)


@pytest.mark.parametrize(("text", "query"), [("Laufschuhe", "laufschuh"), ("Crème", "Cre\u0300me")])
def test_query_and_document_are_cut_and_stemmed_alike(text: str, query: str) -> None:
    run = retrieve(entry("bm25", {"language": "german"}), {"q1": query}, corpus_context({"d1": text}))

    assert run.ranking("q1") == ("d1",)
