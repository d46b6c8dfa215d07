"""Qrels as the streaming join looks them up: one query's documents by hash, then byte for byte."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pytest_relevance.records import Qrels
from pytest_relevance.records.columns import Floats, gathered
from pytest_relevance.records.words import PRIME, Integers, Words, padded, same_slices, words_in
from pytest_relevance.trec.tokens import Block

_SPREAD = np.uint64(0xD6E8FEB86659FD93)  # odd: parts the keys of neighbouring queries
_FILTER_BITS = 17


class HashTroubleError(Exception):
    """Two different ids share a hash: next to never, and then the careful way gives the answer."""


class Matches(NamedTuple):
    """Rows of a block that are judged, ascending, and their grades; shapes (m,), (m,)."""

    rows: Integers
    grades: Floats


class Judged:
    """A judgment set, ready to be joined with blocks of a run from several threads."""

    def __init__(self, qrels: Qrels) -> None:
        self.positions = qrels.positions
        self._offsets = qrels.offsets
        self._grades = qrels.grades
        self._codes = qrels.codes
        self._hashes = qrels.doc_ids.hashes
        self._words = words_in(padded(qrels.doc_ids.data))
        self._starts = qrels.doc_ids.offsets[:-1]
        self._lengths = qrels.doc_ids.lengths

    def matches(self, block: Block, keys: Words, places: Integers, salts: Words) -> Matches:
        """The judged rows of a block.

        `keys` (rows,) are hashes of the documents, each salted by its query; `places` (stretches,) are the queries'
        places in the qrels or -1; `salts` (stretches,).
        """
        known = np.flatnonzero(places >= 0)
        bounds, judgments = gathered(self._offsets, places[known])
        wanted = self._hashes[self._codes[judgments]] ^ np.repeat(salts[known], np.diff(bounds))
        order = np.argsort(wanted)
        wanted = wanted[order]
        if (wanted[1:] == wanted[:-1]).any():
            raise HashTroubleError
        rows = _possible(keys, wanted)
        spot = np.searchsorted(wanted, keys[rows])
        spot = np.minimum(spot, max(len(wanted) - 1, 0))
        hit = wanted[spot] == keys[rows] if len(wanted) else np.zeros(len(rows), dtype=np.bool_)
        rows, found = rows[hit], judgments[order[spot[hit]]]
        self._verify(block, rows, self._codes[found])
        return Matches(rows, self._grades[found])

    def _verify(self, block: Block, rows: Integers, codes: Integers) -> None:
        documents = block.documents.at(rows)
        same = same_slices(
            words_in(block.data),
            documents.starts,
            documents.lengths,
            self._words,
            self._starts[codes],
            self._lengths[codes],
        )
        if not same.all():
            raise HashTroubleError


def salts_of(count: int) -> Words:
    """One number a stretch, to tell the same document under two queries apart; shape (count,)."""
    return (np.arange(1, count + 1).astype(np.uint64) * PRIME) ^ _SPREAD


def _possible(keys: Words, wanted: Words) -> Integers:
    """Rows whose key may be wanted: a bit table in cache drops most others before the exact search."""
    bits = min(22, max(_FILTER_BITS, int(len(wanted) * 8).bit_length()))
    shift = np.uint64(64 - bits)
    table = np.zeros(1 << bits, dtype=np.bool_)
    table[(wanted >> shift).astype(np.int64)] = True
    return np.flatnonzero(table[(keys >> shift).astype(np.int64)])
