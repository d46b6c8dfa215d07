"""Many ids in little memory: packed UTF-8 with a 64-bit hash each, found and compared by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_relevance.records.words import (
    Bytes,
    Truths,
    byte_order_keys,
    hash_words,
    padded,
    same_slices,
)

Integers: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]

_AT_ONCE = 1 << 16  # ids hashed or copied at a time: copying needs 16 bytes of scratch a byte
_IN_CACHE = 1 << 16  # hashes that fit into a processor's cache
_DECODED = 1 << 17  # ids of which all are decoded when some are asked for: some milliseconds, some megabytes


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

    @classmethod
    def joined(cls, columns: Sequence[Ids]) -> Ids:
        """Several columns, one after the other."""
        offsets = np.zeros(sum(map(len, columns)) + 1, dtype=np.int64)
        at = 0
        for ids in columns:
            np.add(ids.offsets[1:], offsets[at], out=offsets[at + 1 : at + len(ids) + 1])
            at += len(ids)
        whole = cls(np.concatenate([np.zeros(0, dtype=np.uint8), *(ids.data for ids in columns)]), offsets)
        if columns and all("hashes" in ids.__dict__ for ids in columns):
            whole.__dict__["hashes"] = np.concatenate([ids.hashes for ids in columns])
        return whole

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        position = range(len(self))[index]
        return self.data[self.offsets[position] : self.offsets[position + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), _AT_ONCE):  # in parts: a Python number for each place would outweigh the ids
            bounds = self.offsets[begin : begin + _AT_ONCE + 1]
            whole = self.data[bounds[0] : bounds[-1]].tobytes()
            for start, stop in pairwise((bounds - bounds[0]).tolist()):
                yield whole[start:stop].decode("utf-8", "surrogatepass")

    @property
    def lengths(self) -> Integers:
        """Bytes of each id; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash of each id; shape (n,). Equal hashes are a strong hint: compare bytes to be sure."""
        data = padded(self.data)
        hashes = np.empty(len(self), dtype=np.uint64)
        for begin in range(0, len(self), _AT_ONCE):  # in parts: scratch of the size of a large column is slow to get
            bounds = self.offsets[begin : begin + _AT_ONCE + 1]
            hashes[begin : begin + _AT_ONCE] = hash_words(data, bounds[:-1], np.diff(bounds))
        return hashes

    @cached_property
    def _by_hash(self) -> Integers:
        order = np.argsort(self.hashes)
        ascending = self.hashes[order]
        # The first of equal ones is to come first. Sorting so takes far longer, and equal ones are rare.
        return np.argsort(self.hashes, kind="stable") if (ascending[1:] == ascending[:-1]).any() else order

    @cached_property
    def _ascending(self) -> Hashes:
        return self.hashes[self._by_hash]

    def take(self, codes: Any) -> Ids:
        """The ids at `codes`, packed anew."""
        chosen = np.asarray(codes, dtype=np.int64)
        starts, lengths = self.offsets[:-1][chosen], self.lengths[chosen]
        return Ids(*pack_slices(self.data, starts, lengths))

    @cached_property
    def _decoded(self) -> list[str]:
        return list(self)

    def texts(self, codes: Integers) -> list[str]:
        """The ids at `codes` as text; for the few of one ranking, where packing them first would cost more."""
        if len(self) <= _DECODED:
            return [self._decoded[code] for code in codes.tolist()]
        view, starts, stops = self.data.data, self.offsets[codes].tolist(), self.offsets[codes + 1].tolist()
        return [
            bytes(view[start:stop]).decode("utf-8", "surrogatepass") for start, stop in zip(starts, stops, strict=True)
        ]

    def find(self, wanted: Ids) -> Integers:
        """For each wanted id the place of the first equal one here, or -1; shape (len(wanted),)."""
        if not len(self) or not len(wanted):
            return np.full(len(wanted), -1, dtype=np.int64)
        candidate = self._by_hash[np.minimum(self._places(wanted), len(self) - 1)]
        same = self.same_bytes(candidate, wanted)
        found = np.where(same, candidate, -1)
        collided = np.flatnonzero(~same & (self.hashes[candidate] == wanted.hashes))
        for one in collided:  # two different ids with one hash: next to never, and still answered rightly
            found[one] = self._find_exactly(wanted[int(one)])
        return found

    def places(self, texts: Sequence[str]) -> list[int]:
        """The place of each of a few ids, or -1: `find` for when looking at all ids each time would be too slow."""
        order, ascending, wanted = self._by_hash, self._ascending, Ids.of(texts).hashes
        found: list[int] = []
        for text, hash_, spot in zip(texts, wanted, np.searchsorted(ascending, wanted).tolist(), strict=True):
            while spot < len(self) and ascending[spot] == hash_ and self[int(order[spot])] != text:
                spot += 1
            found.append(int(order[spot]) if spot < len(self) and ascending[spot] == hash_ else -1)
        return found

    def _places(self, wanted: Ids) -> Integers:
        """Where the hash of each wanted id would stand among the ascending ones here; shape (len(wanted),)."""
        if len(self) <= _IN_CACHE:
            return np.searchsorted(self._ascending, wanted.hashes)
        places = np.empty(len(wanted), dtype=np.int64)
        # In order, neighbours are looked for next to each other: several times faster.
        places[wanted._by_hash] = np.searchsorted(self._ascending, wanted._ascending)
        return places

    def same_bytes(self, codes: Integers, others: Ids) -> Truths:
        """Whether the id at `codes[i]` equals `others[i]`, byte for byte; shape (len(others),)."""
        data, other_data = padded(self.data), padded(others.data)
        same = np.empty(len(others), dtype=np.bool_)
        for begin in range(0, len(others), _AT_ONCE):  # in parts: scratch of the size of a large column is slow to get
            part, bounds = codes[begin : begin + _AT_ONCE], others.offsets[begin : begin + _AT_ONCE + 1]
            starts = self.offsets[part]
            same[begin : begin + _AT_ONCE] = same_slices(
                data, starts, self.offsets[part + 1] - starts, other_data, bounds[:-1], np.diff(bounds)
            )
        return same

    def distinct(self) -> tuple[Ids, Integers]:
        """Each id once, in order of first appearance, and the code of every id; shapes (m,), (n,)."""
        if not len(self):
            return self, np.zeros(0, dtype=np.int64)
        again, first = self._repeats()
        if not len(again):
            return self, np.arange(len(self))
        if not self._same_here(again, first).all():
            return self._distinct_exactly()
        new = np.ones(len(self), dtype=np.bool_)
        new[again] = False
        codes: Integers = np.cumsum(new, dtype=np.int64)
        codes -= 1
        codes[again] = codes[first]
        return self.take(np.flatnonzero(new)), codes

    def _repeats(self) -> tuple[Integers, Integers]:
        """Places whose hash stood before, and for each the first place of that hash; ascending by hash."""
        order = np.argsort(self.hashes)
        ascending = self.hashes[order]
        same = ascending[1:] == ascending[:-1]
        del ascending
        # Only groups of several: of a large vocabulary they are few.
        begins = np.flatnonzero(same & ~np.concatenate(([False], same[:-1]))) if same.any() else np.zeros(0, np.int64)
        if not len(begins):
            return begins, begins
        members = np.flatnonzero(np.concatenate(([False], same)) | np.concatenate((same, [False])))
        rows = order[members]
        starts = np.searchsorted(members, begins)
        first = np.minimum.reduceat(rows, starts)
        firsts = np.repeat(first, np.diff(np.concatenate((starts, [len(rows)]))))
        later = rows != firsts
        return rows[later], firsts[later]

    def sort_ranks(self, codes: Integers) -> Integers:
        """The place of each id at `codes` among them sorted by bytes (equal ids share it); shape of `codes`."""
        chosen = np.asarray(codes, dtype=np.int64)
        if not len(chosen):
            return np.zeros(0, dtype=np.int64)
        data = padded(self.data)
        starts, lengths = self.offsets[:-1][chosen], self.lengths[chosen]
        order = np.lexsort(byte_order_keys(data, starts, lengths))
        starts, lengths = starts[order], lengths[order]
        same = same_slices(data, starts[1:], lengths[1:], data, starts[:-1], lengths[:-1])
        ranks = np.empty(len(chosen), dtype=np.int64)
        ranks[order] = np.concatenate(([0], np.cumsum(~same)))
        return ranks

    def _same_here(self, codes: Integers, others: Integers) -> Truths:
        data = padded(self.data)
        starts, lengths = self.offsets[:-1], self.lengths
        return same_slices(data, starts[codes], lengths[codes], data, starts[others], lengths[others])

    def _find_exactly(self, wanted: str) -> int:
        return next((code for code, text in enumerate(self) if text == wanted), -1)

    def _distinct_exactly(self) -> tuple[Ids, Integers]:
        codes: dict[str, int] = {}
        column = np.fromiter((codes.setdefault(text, len(codes)) for text in self), dtype=np.int64, count=len(self))
        return Ids.of(codes), column


def pack_slices(data: Bytes, starts: Integers, lengths: Integers) -> tuple[Bytes, Integers]:
    """Copy slices of `data` end to end; shapes (sum of lengths,), (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    longest = int(lengths.max(initial=0))
    if longest and int(lengths.min(initial=longest)) == longest and len(data) >= longest:
        # All of one length, as ids often are: each is one element that may begin at any byte.
        elements = np.ndarray(len(data) - longest + 1, dtype=f"V{longest}", buffer=data, strides=(1,))
        return elements[starts].view(np.uint8), offsets
    packed = np.empty(int(offsets[-1]), dtype=np.uint8)
    for begin in range(0, len(starts), _AT_ONCE):
        end = min(begin + _AT_ONCE, len(starts))
        shift = np.repeat(starts[begin:end] - offsets[begin:end], lengths[begin:end])
        packed[offsets[begin] : offsets[end]] = data[np.arange(offsets[begin], offsets[end]) + shift]
    return packed, offsets
