"""Rules by likeness of words: judgments whose scale is upside down, and judgments that belong to other queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import counted, some, words_in
from pytest_relevance.records import Corpus, Qrels, Queries

LEAST_QUERIES = 20  # fewer say nothing
LEAST_PAIRS = 100
MOST_QUERIES = 300  # looked at, spread over all of them
MOST_DOCUMENTS = 50  # of each query
MOST_FOREIGN = 0.35  # share of queries less like their own documents than another query is; by chance it is a half


@dataclass(frozen=True)
class Judged:
    """A query's words, and its judged documents with their grades and words."""

    query_id: str
    words: frozenset[str]
    documents: tuple[tuple[float, frozenset[str]], ...]


def scale_upside_down(material: Material) -> Iterator[Seen]:
    """Higher grades on documents that share fewer words with their query: the scale may have its best grade lowest.

    Looks at pairs of documents of one query with two grades above 0. On a scale that is right, the better one holds
    more of the query's words (weighted by rarity) more often than not.
    """
    for name, qrels in material.qrels.items():
        judged = _sample(material, qrels)
        weights = _weights(judged)
        agree = disagree = 0
        for one in judged:
            told = [(grade, _likeness(one.words, words, weights)) for grade, words in one.documents if grade > 0]
            for place, (grade, likeness) in enumerate(told):
                for other, alike in told[place + 1 :]:
                    order = (grade - other) * (likeness - alike)
                    agree, disagree = agree + (order > 0), disagree + (order < 0)
        pairs = agree + disagree
        # Two standard deviations of a fair coin below a half, so that small sets do not cry wolf.
        if pairs >= LEAST_PAIRS and agree < pairs / 2 - math.sqrt(pairs):
            yield Seen(
                f"in {disagree / pairs:.0%} of {counted(pairs, 'pair')} of documents of one query, the one with the "
                "lower grade holds more of the query's words",
                disagree,
                pairs,
                (),
                material.name(f"qrels.{name}"),
                "see which grade is the best one in the collection's own description; here a higher grade is better",
            )


def judgments_of_other_queries(material: Material) -> Iterator[Seen]:
    """Relevant documents that are no more like their query than like another: two files number queries differently."""
    for name, qrels in material.qrels.items():
        judged = [one for one in _sample(material, qrels) if any(grade > 0 for grade, _ in one.documents) and one.words]
        weights = _weights(judged)
        if len(judged) < LEAST_QUERIES:
            continue
        half = len(judged) // 2  # far away in the file: neighbours are often about one thing
        foreign = [
            one.query_id
            for one, other in zip(judged, (*judged[half:], *judged[:half]), strict=True)
            if _mean_likeness(one, one.words, weights) <= _mean_likeness(one, other.words, weights)
        ]
        if len(foreign) > MOST_FOREIGN * len(judged):
            yield Seen(
                f"the relevant documents of {counted(len(foreign), 'query', 'queries')} of {len(judged)} are no more "
                "like their own query than like another: the queries may be numbered differently in the two files",
                len(foreign),
                len(judged),
                some(foreign),
                material.name(f"qrels.{name}"),
                f"see by which numbers {material.name('queries')} and the judgments go",
            )


def _sample(material: Material, qrels: Qrels) -> list[Judged]:
    """Queries with text and documents with text, evenly spread, at most so many."""
    if material.queries is None or material.corpus is None:
        return []
    there = [query_id for query_id in qrels.query_ids if query_id in material.queries]
    step = max(1, len(there) // MOST_QUERIES)
    chosen = there[::step][:MOST_QUERIES]
    return [one for one in (_judged(query_id, material.queries, material.corpus, qrels) for query_id in chosen) if one]


def _judged(query_id: str, queries: Queries, corpus: Corpus, qrels: Qrels) -> Judged | None:
    known = [(grade, doc_id) for doc_id, grade in qrels.grades_of(query_id).items() if doc_id in corpus]
    step = max(1, len(known) // MOST_DOCUMENTS)
    documents = tuple((grade, _words_of(corpus[doc_id])) for grade, doc_id in known[::step][:MOST_DOCUMENTS])
    return Judged(query_id, frozenset(words_in(queries[query_id].text)), documents)


def _words_of(fields: Mapping[str, object]) -> frozenset[str]:
    return frozenset(word for value in fields.values() if isinstance(value, str) for word in words_in(value))


def _weights(judged: list[Judged]) -> Mapping[str, float]:
    """Each word's rarity among the documents looked at: log(documents / documents with it)."""
    holding = Counter(word for one in judged for _, words in one.documents for word in words)
    total = sum(len(one.documents) for one in judged)
    return {word: math.log((total + 1) / count) for word, count in holding.items()}


def _likeness(query: frozenset[str], document: frozenset[str], weights: Mapping[str, float]) -> float:
    """The share of the query's words, weighted by rarity, that the document holds; 0.0 to 1.0."""
    whole = sum(weights.get(word, 0.0) for word in query)
    return sum(weights.get(word, 0.0) for word in query & document) / whole if whole else 0.0


def _mean_likeness(judged: Judged, query: frozenset[str], weights: Mapping[str, float]) -> float:
    relevant = [words for grade, words in judged.documents if grade > 0]
    return sum(_likeness(query, words, weights) for words in relevant) / len(relevant)


RULES = (
    Rule("scale-upside-down", scale_upside_down),
    Rule("judgments-of-other-queries", judgments_of_other_queries),
)
