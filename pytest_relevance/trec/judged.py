"""Judgments as the streaming join looks them up: one query's documents by hash, then byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pytest_relevance.records import Ids, Qrels
from pytest_relevance.records.columns import Floats, gathered
from pytest_relevance.records.words import PRIME, Bytes, Integers, Words, padded, same_slices
from pytest_relevance.trec.tokens import Block

_SPREAD = np.uint64(0xD6E8FEB86659FD93)  # odd: parts the keys of neighbouring queries
_LEAST_BITS, _MOST_BITS = 16, 22  # of a table that finds keys by their first bits


class HashTroubleError(Exception):
    """Two different ids share a hash: next to never, and then the careful way gives the answer."""


class Matches(NamedTuple):
    """Rows of a block that are judged, ascending, and their grades; shapes (m,), (m,)."""

    rows: Integers
    grades: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """A judgment set, ready to be joined with blocks of a run from several threads.

    Shapes: query_ids (q,), offsets (q + 1,), grades (rows,). `documents` holds one a row, or with `codes` (rows,) each
    document once: a file that is only going to be joined needs no vocabulary, which is costly to make.
    """

    query_ids: tuple[str, ...]
    offsets: Integers
    documents: Ids
    grades: Floats
    codes: Integers | None = None
    name: str = "qrels"
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, qrels: Qrels) -> Judged:
        """The judgments of a record."""
        return cls(qrels.query_ids, qrels.offsets, qrels.doc_ids, qrels.grades, qrels.codes, qrels.name, qrels.notes)

    @cached_property
    def qrels(self) -> Qrels:
        """The same as a record."""
        if self.codes is None:
            return Qrels.from_columns(self.query_ids, self.offsets, self.documents, self.grades, name=self.name)
        return Qrels(self.query_ids, self.offsets, self.documents, self.codes, self.grades, self.name, self.notes)

    @cached_property
    def positions(self) -> dict[str, int]:
        """query_id → its place in `query_ids`."""
        return {query_id: place for place, query_id in enumerate(self.query_ids)}

    @cached_property
    def _data(self) -> Bytes:
        return padded(self.documents.data)

    def ready(self) -> None:
        """Make now what `matches` would make in several threads at once."""
        _ = self.positions, self._data, self.documents.hashes

    def matches(self, block: Block, keys: Words, places: Integers, salts: Words) -> Matches:
        """The judged rows of a block.

        `keys` (rows,) are hashes of the documents, each salted by its query; `places` (stretches,) are the queries'
        places in the judgments or -1; `salts` (stretches,).
        """
        known = np.flatnonzero(places >= 0)
        bounds, judgments = gathered(self.offsets, places[known])
        documents = judgments if self.codes is None else self.codes[judgments]
        wanted = self.documents.hashes[documents] ^ np.repeat(salts[known], np.diff(bounds))
        order = np.argsort(wanted)
        rows, spots = _found(keys, wanted[order])
        found = order[spots]
        self._verify(block, rows, documents[found])
        return Matches(rows, self.grades[judgments[found]])

    def _verify(self, block: Block, rows: Integers, codes: Integers) -> None:
        documents, starts = block.documents.at(rows), self.documents.offsets[codes]
        lengths = self.documents.offsets[codes + 1] - starts
        if not same_slices(block.data, documents.starts, documents.lengths, self._data, starts, lengths).all():
            raise HashTroubleError


def salts_of(count: int) -> Words:
    """One number a stretch, to tell the same document under two queries apart; shape (count,)."""
    return (np.arange(1, count + 1).astype(np.uint64) * PRIME) ^ _SPREAD


def _found(keys: Words, wanted: Words) -> tuple[Integers, Integers]:
    """Rows whose key is one of `wanted`, ascending, and which one it is.

    A table in cache says for the first bits of a key where `wanted` begins with them: there are few of each.
    """
    if (wanted[1:] == wanted[:-1]).any():
        raise HashTroubleError
    bits = min(_MOST_BITS, max(_LEAST_BITS, int(len(wanted) * 8).bit_length()))
    shift = np.uint64(64 - bits)
    heads = (wanted >> shift).view(np.int64)
    table = np.full(1 << bits, -1, dtype=np.int32)
    table[heads[::-1]] = np.arange(len(wanted) - 1, -1, -1, dtype=np.int32)  # the first of a head is written last
    spots = table[(keys >> shift).view(np.int64)]
    rows = np.flatnonzero(spots >= 0)
    spots, looked_for = spots[rows].astype(np.int64), keys[rows]
    last, sharing = max(len(wanted) - 1, 0), 1
    while sharing <= last and (heads[sharing:] == heads[:-sharing]).any():  # more than `sharing` keys have one head
        spots = np.minimum(spots + (wanted[spots] < looked_for), last)
        sharing += 1
    hit = wanted[spots] == looked_for
    return rows[hit], spots[hit]
