"""Slices of a byte buffer, eight bytes at a time: hashed, compared and sorted by column."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Truths: TypeAlias = npt.NDArray[np.bool_]

WORD = 8  # bytes
ROOM = 64  # bytes a buffer must have behind its last slice, so that words and windows can begin at any of its bytes
_WINDOW = 48  # the longest slices that are copied out whole: one copy costs hardly more than one of a word
PRIME = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd: the usual multiplicative mixer
_SHIFT = np.uint64(32)
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # keeps the first bytes


def padded(data: Bytes) -> Bytes:
    """The buffer with ROOM behind it."""
    return np.concatenate((data, np.zeros(ROOM, dtype=np.uint8)))


def words_in(data: Bytes) -> Words:
    """Every run of eight bytes of a buffer as a little-endian word, without a copy; shape (len(data) - 7,)."""
    return np.ndarray(shape=(len(data) - WORD + 1,), dtype="<u8", buffer=data, strides=(1,))


def first_words(data: Bytes, starts: Integers, lengths: Integers) -> Words:
    """The first eight bytes of each slice, zero beyond its end; shape (n,)."""
    return _cut(words_in(data)[starts], lengths, 0)


def windows(data: Bytes, starts: Integers, words: int) -> Words:
    """The words that follow each start, whatever they hold; shape (n, words). `data` has ROOM behind its last start."""
    size = WORD * words
    elements = np.ndarray(shape=(len(data) - size + 1,), dtype=f"V{size}", buffer=data, strides=(1,))
    rows: Words = elements[starts].view("<u8").reshape(len(starts), words)
    return rows


def hash_words(data: Bytes, starts: Integers, lengths: Integers) -> Words:
    """A 64-bit hash of each slice of a buffer with ROOM behind it; shape (n,).

    Equal bytes have equal hashes, whatever buffer they are in and whatever other slices are hashed with them.
    """
    hashes = lengths.astype(np.uint64) * PRIME
    longest = int(lengths.max(initial=0))
    if longest <= _WINDOW:
        return _mixed_with(hashes, windows(data, starts, words_for(longest)), lengths) if longest else hashes
    for begin in range(0, longest, _WINDOW):
        rows = np.flatnonzero(lengths > begin)
        left = lengths[rows] - begin
        window = windows(data, starts[rows] + begin, words_for(int(left.max())))
        hashes[rows] = _mixed_with(hashes[rows], window, left)
    return hashes


def same_slices(
    data: Bytes, starts: Integers, lengths: Integers, other: Bytes, other_starts: Integers, other_lengths: Integers
) -> Truths:
    """Whether slice i of one buffer equals slice i of another, byte for byte; shape (n,). Both have ROOM behind."""
    same: Truths = lengths == other_lengths
    rows = np.flatnonzero(same)
    for begin in range(0, int(lengths[rows].max(initial=0)), _WINDOW):
        rows = rows[lengths[rows] > begin]
        left = lengths[rows] - begin
        many = words_for(int(left.max(initial=1)))
        apart = windows(data, starts[rows] + begin, many) ^ windows(other, other_starts[rows] + begin, many)
        differs = np.zeros(len(rows), dtype=np.bool_)
        for place in range(many):
            differs |= _cut(apart[:, place], left, WORD * place) != 0
        same[rows[differs]] = False
        rows = rows[~differs]
    return same


def byte_order_keys(data: Bytes, starts: Integers, lengths: Integers) -> list[Words]:
    """Keys for `np.lexsort`, last first, that sort slices by their bytes as `bytes` compare; each of shape (n,)."""
    words = words_in(data)
    keys = [lengths.astype(np.uint64)]  # a slice that begins another sorts before it
    for begin in reversed(range(0, int(lengths.max(initial=0)), WORD)):
        key = np.zeros(len(starts), dtype=np.uint64)
        rows = np.flatnonzero(lengths > begin)
        key[rows] = _cut(words[starts[rows] + begin], lengths[rows], begin).byteswap()
        keys.append(key)
    return keys


def words_for(size: int) -> int:
    """How many words hold so many bytes, at most as many as a window has."""
    return -(-min(size, _WINDOW) // WORD)


def _cut(word: Words, lengths: Integers, begin: int) -> Words:
    """Words that stand `begin` bytes behind their slices' starts, zero beyond the slices' ends; shape (n,)."""
    longest, shortest = int(lengths.max(initial=0)), int(lengths.min(initial=begin + WORD))
    if shortest >= begin + WORD:
        return word
    left = shortest - begin if longest == shortest else np.minimum(lengths - begin, WORD)
    cut: Words = word & _MASKS[np.maximum(left, 0)]
    return cut


def _mixed_with(hashes: Words, window: Words, lengths: Integers) -> Words:
    """Hashes that take in one more window: each as many words as its slice reaches into."""
    shortest = int(lengths.min(initial=_WINDOW))
    for place in range(window.shape[1]):
        begin = WORD * place
        mixed = hashes ^ _cut(window[:, place], lengths, begin)
        mixed *= PRIME
        mixed ^= mixed >> _SHIFT
        hashes = mixed if begin < shortest else np.where(lengths > begin, mixed, hashes)
    return hashes
