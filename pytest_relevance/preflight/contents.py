"""Contents: what one look at every document tells of them all: which lack text, and which are copies of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pytest_relevance.records import Corpus
from pytest_relevance.records.ids import Integers

USUAL = 0.9  # share of the documents that have a text before its lack is worth a word

Copies = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Contents:
    """What the documents of a corpus hold, and what they do not."""

    copies: Copies = ()  # groups with some text that are equal in every field, ids apart, in the order of the corpus
    without_text: tuple[str, ...] = ()  # documents without any
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # field that most fill → where it is blank


def contents_of(corpus: Corpus) -> Contents:
    """Look at every document once, and once more where a usual text is missing. Memory: 8 bytes a document."""
    hashes = np.zeros(len(corpus), dtype=np.int64)
    filled: dict[str, int] = {}  # field → documents that have a text there
    bare: list[str] = []
    for place, (doc_id, fields) in enumerate(corpus.items()):
        hashes[place] = hash(_content(fields))
        texts = [name for name, value in fields.items() if isinstance(value, str) and value.strip()]
        for name in texts:
            filled[name] = filled.get(name, 0) + 1
        if not texts:
            bare.append(doc_id)
    usual = [name for name, count in filled.items() if USUAL * len(corpus) <= count < len(corpus)]
    return Contents(tuple(_copies(corpus, hashes)), tuple(bare), _lacking(corpus, usual))


def _lacking(corpus: Corpus, names: list[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for doc_id, fields in corpus.items() if names else ():
        for name in names:
            if _is_blank(fields.get(name)):
                found[name].append(doc_id)
    return {name: tuple(doc_ids) for name, doc_ids in found.items()}


def _copies(corpus: Corpus, hashes: Integers) -> Iterator[tuple[str, ...]]:
    for places in _of_equal_hash(hashes):
        doc_ids = [corpus.doc_ids[place] for place in places]
        exact: dict[str, list[str]] = {}  # equal hashes are a hint only
        for doc_id, fields in zip(doc_ids, corpus.fields_of(doc_ids), strict=True):
            if any(isinstance(value, str) and value.strip() for value in fields.values()):
                exact.setdefault(_content(fields), []).append(doc_id)
        yield from (tuple(group) for group in exact.values() if len(group) > 1)


def _of_equal_hash(hashes: Integers) -> list[list[int]]:
    """The places of each hash that several documents have, in the order of the first of them."""
    order = np.argsort(hashes, kind="stable")
    apart = np.flatnonzero(np.diff(hashes[order])) + 1
    bounds = np.concatenate(([0], apart, [len(order)]))
    several = np.flatnonzero(np.diff(bounds) > 1)
    groups = [order[bounds[one] : bounds[one + 1]].tolist() for one in several]
    return sorted(groups, key=lambda places: places[0])


def _content(fields: Mapping[str, object]) -> str:
    return repr(sorted(fields.items()))


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
