"""Rules about queries: blank ones, repeated ones, and ones that ask nearly the same."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import EXAMPLES, counted, shown, some, words_in

LEAST_ALIKE = 0.8  # Jaccard index of letter trigrams
_ACCENTS = dict.fromkeys(range(0x300, 0x370))  # and no other marks: in many scripts those are vowels


def blank_query(material: Material) -> Iterator[Seen]:
    """Queries without any text: whatever comes back, nobody asked for it."""
    blank = [query.query_id for query in material.queries or () if not query.text.strip()]
    if blank and material.queries is not None:
        yield Seen(
            f"{counted(len(blank), 'query has', 'queries have')} no text",
            len(blank),
            len(material.queries),
            some(blank),
            material.name("queries"),
            "give them a text, or drop them",
        )


def repeated_query(material: Material) -> Iterator[Seen]:
    """Queries that have one text, but for letter case and blanks, under several ids: one need that counts twice."""
    if material.queries is None:
        return
    same: dict[str, list[str]] = {}
    for query in material.queries:
        same.setdefault(" ".join(query.text.casefold().split()), []).append(query.query_id)
    groups = [group for text, group in same.items() if text and len(group) > 1]
    if groups:
        repeats = sum(len(group) - 1 for group in groups)
        yield Seen(
            f"{counted(repeats, 'query repeats', 'queries repeat')} the text of another",
            repeats,
            len(material.queries),
            tuple(" = ".join(map(shown, group[:4])) for group in groups[:EXAMPLES]),
            material.name("queries"),
            "keep one id for each text, or tell the queries apart",
        )


def near_identical_queries(material: Material) -> Iterator[Seen]:
    """Queries of one meaning in other words' clothes: the same words in any order, case and accents, or a letter off.

    Two queries are near-identical if their words are the same, or if their letter trigrams are alike (Jaccard index
    0.8 and more) and the words that hold digits are the same. Texts equal but for case and blanks are
    another rule's.
    """
    if material.queries is None:
        return
    texts = list({" ".join(text.casefold().split()): text for text in material.queries.by_text}.values())
    pairs = near_pairs(texts)
    if pairs:
        touched = {place for pair in pairs for place in pair}
        yield Seen(
            f"{counted(len(touched), 'query text')} of {len(texts)} ask nearly what another asks "
            f"({counted(len(pairs), 'pair')})",
            len(touched),
            len(texts),
            tuple(f"{shown(texts[one])} ~ {shown(texts[other])}" for one, other in pairs[:EXAMPLES]),
            material.name("queries"),
            "keep one of each, or expect them to count one need several times",
        )


def near_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of near-identical texts, each pair once; a text of the same words is paired with the first that has them.

    Exact, and near-linear for texts of many words: a pair of sets with Jaccard index j shares one of the rarest
    (1 - j) of the members of each, so only texts that share such a member are compared.
    """
    words = [_words(text) for text in texts]
    first: dict[frozenset[str], int] = {}
    pairs = []
    for place, mine in enumerate(words):
        if mine and first.setdefault(mine, place) != place:
            pairs.append((first[mine], place))
    by_digits: dict[frozenset[str], list[tuple[int, frozenset[str]]]] = {}
    for mine, place in first.items():
        by_digits.setdefault(frozenset(word for word in mine if any(map(str.isdigit, word))), []).append((place, mine))
    for members in by_digits.values():
        if len(members) > 1:
            pairs += _alike({place: _trigrams(mine) for place, mine in members})
    return sorted(pairs)


def _alike(grams: Mapping[int, frozenset[str]]) -> Iterator[tuple[int, int]]:
    often = Counter(gram for mine in grams.values() for gram in mine)
    holders: dict[str, list[int]] = {}
    for place in sorted(grams, key=lambda one: (len(grams[one]), one)):
        mine = grams[place]
        rare = sorted(mine, key=lambda gram: (often[gram], gram))[: len(mine) - _most_common(len(mine)) + 1]
        candidates = {other for gram in rare for other in holders.get(gram, ())}
        for other in candidates:
            theirs = grams[other]
            if len(theirs) >= LEAST_ALIKE * len(mine):
                common = len(mine & theirs)
                if common >= LEAST_ALIKE * (len(mine) + len(theirs) - common):
                    yield min(place, other), max(place, other)
        for gram in rare:
            holders.setdefault(gram, []).append(place)


def _most_common(size: int) -> int:
    """The least number of members that a set of this size shares with one that is alike: its share, rounded up."""
    return max(1, -int(-LEAST_ALIKE * size // 1))


def _words(text: str) -> frozenset[str]:
    return frozenset(words_in(unicodedata.normalize("NFKD", text).translate(_ACCENTS)))


def _trigrams(words: frozenset[str]) -> frozenset[str]:
    padded = (f" {word} " for word in words)
    return frozenset(word[start : start + 3] for word in padded for start in range(len(word) - 2))


RULES = (
    Rule("blank-query", blank_query),
    Rule("repeated-query", repeated_query),
    Rule("near-identical-queries", near_identical_queries),
)
