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
PRIME = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd: the usual multiplicative mixer
_SHIFT = np.uint64(32)
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # keeps the first bytes


def padded(data: Bytes) -> Bytes:
    """The buffer with eight more bytes at its end, so that a word can begin at any byte."""
    return np.concatenate((data, np.zeros(WORD, dtype=np.uint8)))


def words_in(data: Bytes) -> Words:
    """Every run of eight bytes of a buffer as a little-endian word, without a copy; shape (len(data) - 7,)."""
    return np.ndarray(shape=(len(data) - WORD + 1,), dtype="<u8", buffer=data, strides=(1,))


def word_at(words: Words, starts: Integers, lengths: Integers, begin: int, longest: int, shortest: int) -> Words:
    """Bytes `begin` to `begin + 8` of each slice, zero beyond its end; shape (n,).

    Slices that end before `begin` must not be among them unless the buffer goes on for `begin + 8` bytes.
    """
    word: Words = words[starts + begin if begin else starts]
    if shortest - begin >= WORD:
        return word
    cut: Words
    if longest == shortest:
        cut = word & _MASKS[max(shortest - begin, 0)]
        return cut
    left = np.minimum(lengths - begin, WORD) if longest - begin > WORD else lengths - begin
    if shortest < begin:
        left = np.maximum(left, 0)
    cut = word & _MASKS[left]
    return cut


def hash_words(words: Words, starts: Integers, lengths: Integers) -> Words:
    """A 64-bit hash of each slice; shape (n,). Equal bytes have equal hashes, whatever buffer they are in."""
    hashes = lengths.astype(np.uint64) * PRIME
    longest, shortest = int(lengths.max(initial=0)), int(lengths.min(initial=WORD))
    rows: Integers | None = None  # None: all of them still have bytes left
    for begin in range(0, longest, WORD):
        if begin >= shortest and rows is None and begin:
            rows = np.arange(len(starts))
        if rows is None:
            hashes = _mixed(hashes, word_at(words, starts, lengths, begin, longest, shortest))
            continue
        rows = rows[lengths[rows] > begin]
        word = word_at(words, starts[rows], lengths[rows], begin, longest, begin + 1)
        hashes[rows] = _mixed(hashes[rows], word)
    return hashes


def same_slices(
    words: Words, starts: Integers, lengths: Integers, others: Words, other_starts: Integers, other_lengths: Integers
) -> Truths:
    """Whether slice i of one buffer equals slice i of another, byte for byte; shape (n,)."""
    same: Truths = lengths == other_lengths
    rows = np.arange(len(starts))[same]
    for begin in range(0, int(lengths[rows].max(initial=0)), WORD):
        rows = rows[lengths[rows] > begin]
        longest = int(lengths[rows].max(initial=0))
        one = word_at(words, starts[rows], lengths[rows], begin, longest, begin + 1)
        other = word_at(others, other_starts[rows], lengths[rows], begin, longest, begin + 1)
        differs = one != other
        same[rows[differs]] = False
        rows = rows[~differs]
    return same


def byte_order_keys(words: Words, starts: Integers, lengths: Integers) -> list[Words]:
    """Keys for `np.lexsort`, last first, that sort slices by their bytes as `bytes` compare; each of shape (n,)."""
    keys = [lengths.astype(np.uint64)]  # a slice that begins another sorts before it
    longest = int(lengths.max(initial=0))
    for begin in reversed(range(0, longest, WORD)):
        key = np.zeros(len(starts), dtype=np.uint64)
        rows = np.flatnonzero(lengths > begin)
        key[rows] = word_at(words, starts[rows], lengths[rows], begin, longest, begin + 1).byteswap()
        keys.append(key)
    return keys


def _mixed(hashes: Words, word: Words) -> Words:
    mixed = (hashes ^ word) * PRIME
    return mixed ^ (mixed >> _SHIFT)
