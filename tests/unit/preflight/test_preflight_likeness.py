"""Near-identical queries, scales upside down, judgments of other queries."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.preflight import Material, look
from pytest_relevance.preflight.asked import LEAST_ALIKE, _trigrams, _words, near_pairs
from pytest_relevance.records import Corpus, Qrels, Queries

WORDS = [f"{first}{second}{third}" for first in "bdfgk" for second in "aeiou" for third in "lmnrst"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("red shoes", "Shoes, red!"),
        ("crème brûlée", "creme brulee"),
        ("orren ellis l shape desk", "orren ellis l shaped desk"),
        ("ما هو أقدم متحف في العالم ؟", "ما هو أقدم متحف في العالم؟"),
    ],
)
def test_the_same_words_or_a_letter_off_are_near(one: str, other: str) -> None:
    assert near_pairs([one, "something else", other]) == [(0, 2)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("red shoes", "red shirts"),
        ("population of the state of texas 2018", "population of the state of texas 2019"),
        ("కిమ్మూరు", "కోడేరు"),
        ("", " "),
    ],
)
def test_other_words_or_other_numbers_are_not(one: str, other: str) -> None:
    assert near_pairs([one, other]) == []


def all_pairs(texts: list[str]) -> Iterable[tuple[int, int]]:
    """The rule as it is told, by looking at every pair."""
    first = {_words(text): place for place, text in reversed(list(enumerate(texts)))}
    for other, text in enumerate(texts):
        mine = _words(text)
        for one in range(other):
            theirs = _words(texts[one])
            if not mine or not theirs:
                continue
            if mine == theirs:
                if first[mine] == one:
                    yield one, other
                continue
            grams, others = _trigrams(mine), _trigrams(theirs)
            alike = len(grams & others) >= LEAST_ALIKE * len(grams | others)
            digits = [{word for word in words if any(map(str.isdigit, word))} for words in (mine, theirs)]
            if alike and digits[0] == digits[1] and first[mine] == other and first[theirs] == one:
                yield one, other


@given(st.lists(st.text(alphabet="ab1 ", max_size=14), max_size=12))
def test_no_near_pair_is_missed_and_none_is_made_up(texts: list[str]) -> None:
    assert near_pairs(texts) == sorted(all_pairs(texts))


def collection(shift: int, best: int) -> Material:
    """Forty queries of three words; of each two documents: one with all its words, one with one of them."""
    queries, corpus, judged = {}, {}, {}
    for number in range(40):
        words = WORDS[3 * number : 3 * number + 3]
        queries[f"q{(number + shift) % 40}"] = " ".join(words)
        corpus[f"d{number}-all"] = {"text": " ".join([*words, "filler"])}
        corpus[f"d{number}-one"] = {"text": " ".join([words[0], "filler", "other"])}
        judged[f"q{number}"] = {f"d{number}-all": float(best), f"d{number}-one": 3.0 - best}
    for number in range(40):  # pairs enough to be sure
        judged[f"q{number}"] |= {f"d{number}-none{place}": 3.0 - best for place in range(3)}
        corpus |= {f"d{number}-none{place}": {"text": f"nothing {number} {place}"} for place in range(3)}
    return Material(queries=Queries.from_dict(queries), qrels={"qrels": Qrels.from_dict(judged)}, corpus=Corpus(corpus))


def rules_in(material: Material) -> set[str]:
    return {finding.rule for finding in look(material)} & {"scale-upside-down", "judgments-of-other-queries"}


def test_a_scale_whose_best_grade_is_highest_is_well() -> None:
    assert rules_in(collection(shift=0, best=2)) == set()


def test_a_scale_whose_best_grade_is_lowest_is_told() -> None:
    assert rules_in(collection(shift=0, best=1)) == {"scale-upside-down"}


def test_queries_numbered_otherwise_than_their_judgments_are_told() -> None:
    assert "judgments-of-other-queries" in rules_in(collection(shift=1, best=2))
