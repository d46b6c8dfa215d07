"""Many ids in little memory: packed UTF-8 with a 64-bit hash each, found and compared by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Bytes: TypeAlias = npt.NDArray[np.uint8]

_WORD = 8  # bytes hashed at a time
_PRIME = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd: the usual multiplicative mixer
_SHIFT = np.uint64(32)


class Ids(Sequence[str]):
    """A frozen column of ids: `data` holds their UTF-8 end to end, `offsets` (n + 1) where each begins.

    Ids are opaque: `012` and `12` differ, nothing is trimmed, folded or normalised.
    """

    __slots__ = ("__dict__", "data", "offsets")

    def __init__(self, data: Bytes, offsets: Integers) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> Ids:
        """Pack texts, in their order."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(one) for one in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        position = range(len(self))[index]
        return self.data[self.offsets[position] : self.offsets[position + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        whole = self.data.tobytes()
        bounds = self.offsets.tolist()
        for start, stop in pairwise(bounds):
            yield whole[start:stop].decode("utf-8", "surrogatepass")

    @property
    def lengths(self) -> Integers:
        """Bytes of each id; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash of each id; shape (n,). Equal hashes are a strong hint: compare bytes to be sure."""
        return hash_slices(self.data, self.offsets[:-1], self.lengths)

    @cached_property
    def _by_hash(self) -> Integers:
        return np.argsort(self.hashes, kind="stable")

    def take(self, codes: Any) -> Ids:
        """The ids at `codes`, packed anew."""
        chosen = np.asarray(codes, dtype=np.int64)
        starts, lengths = self.offsets[:-1][chosen], self.lengths[chosen]
        return Ids(*pack_slices(self.data, starts, lengths))

    def find(self, wanted: Ids) -> Integers:
        """For each wanted id the place of the first equal one here, or -1; shape (len(wanted),)."""
        if not len(self) or not len(wanted):
            return np.full(len(wanted), -1, dtype=np.int64)
        order = self._by_hash
        spot = np.searchsorted(self.hashes[order], wanted.hashes)
        candidate = order[np.minimum(spot, len(self) - 1)]
        same = self.same_bytes(candidate, wanted)
        found = np.where(same, candidate, -1)
        collided = np.flatnonzero(~same & (self.hashes[candidate] == wanted.hashes))
        for one in collided:  # two different ids with one hash: next to never, and still answered rightly
            found[one] = self._find_exactly(wanted[int(one)])
        return found

    def same_bytes(self, codes: Integers, others: Ids) -> npt.NDArray[np.bool_]:
        """Whether the id at `codes[i]` equals `others[i]`, byte for byte; shape (len(others),)."""
        lengths = others.lengths
        same: npt.NDArray[np.bool_] = self.lengths[codes] == lengths
        rows = np.flatnonzero(same)
        here, _ = pack_slices(self.data, self.offsets[:-1][codes[rows]], lengths[rows])
        there, bounds = pack_slices(others.data, others.offsets[:-1][rows], lengths[rows])
        differs = np.concatenate(([0], np.cumsum(here != there)))
        same[rows] = differs[bounds[1:]] == differs[bounds[:-1]]
        return same

    def distinct(self) -> tuple[Ids, Integers]:
        """Each id once, in order of first appearance, and the code of every id; shapes (m,), (n,)."""
        _, first, inverse = np.unique(self.hashes, return_index=True, return_inverse=True)
        if not self.same_bytes(first[inverse], self).all():
            return self._distinct_exactly()
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return self.take(first[order]), rank[inverse]

    def sort_ranks(self, codes: Integers) -> Integers:
        """The place of each id at `codes` among them sorted by bytes (equal ids share it); shape of `codes`."""
        chosen = self.take(codes)
        if not len(chosen):
            return np.zeros(0, dtype=np.int64)
        texts = np.array(list(_raw(chosen)), dtype=object)
        _, ranks = np.unique(texts, return_inverse=True)
        return ranks.astype(np.int64)

    def _find_exactly(self, wanted: str) -> int:
        return next((code for code, text in enumerate(self) if text == wanted), -1)

    def _distinct_exactly(self) -> tuple[Ids, Integers]:
        codes: dict[str, int] = {}
        column = np.fromiter((codes.setdefault(text, len(codes)) for text in self), dtype=np.int64, count=len(self))
        return Ids.of(codes), column


def hash_slices(data: Bytes, starts: Integers, lengths: Integers) -> Hashes:
    """A 64-bit hash of each slice of `data`; shape (n,). Two slices of equal bytes have equal hashes."""
    hashes = lengths.astype(np.uint64) * _PRIME
    padded = np.concatenate((data, np.zeros(_WORD, dtype=np.uint8)))
    words = np.ndarray(shape=(len(padded) - _WORD + 1,), dtype="<u8", buffer=padded, strides=(1,))
    rows = np.arange(len(starts))
    for begin in range(0, int(lengths.max(initial=0)), _WORD):
        if begin:
            rows = rows[lengths[rows] > begin]
        left = lengths[rows] - begin
        word = words[starts[rows] + begin]
        short = left < _WORD
        if short.any():
            keep = (np.uint64(1) << (np.minimum(left, _WORD - 1).astype(np.uint64) * np.uint64(8))) - np.uint64(1)
            word = np.where(short, word & keep, word)
        mixed = (hashes[rows] ^ word) * _PRIME
        hashes[rows] = mixed ^ (mixed >> _SHIFT)
    return hashes


def pack_slices(data: Bytes, starts: Integers, lengths: Integers) -> tuple[Bytes, Integers]:
    """Copy slices of `data` end to end; shapes (sum of lengths,), (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    source = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return data[source], offsets


def _raw(ids: Ids) -> Iterator[bytes]:
    whole = ids.data.tobytes()
    bounds = ids.offsets.tolist()
    return (whole[start:stop] for start, stop in pairwise(bounds))
