"""Short lines cut into columns by the bits of their separators: a line's separators are one number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pytest_relevance.records.words import Bytes, Integers, words_in

LONGEST = 57  # bytes of a line with its line feed: the bits of a word, less seven since a word begins at a byte of bits
_BLANK = 32
_MANTISSA = 52  # bits below the exponent of a double: the exponent of a power of two is the place of its bit
_BIAS = 1023
_ONE = np.uint64(1)
_LOW = np.int64(7)


class Ends(NamedTuple):
    """Where each line begins, and where each of its columns ends; shapes (rows,), (columns, rows)."""

    begins: Integers
    ends: Integers


def cut_short_lines(data: Bytes, first: int, feeds: Integers, columns: int) -> Ends | None:
    """Lines of `data` from `first` on, each ending at one of `feeds`.

    None where a line is longer than LONGEST, or has not exactly so many columns, one separator behind each. Any byte up
    to the blank counts as a separator.
    """
    begins = np.empty_like(feeds)
    begins[0], begins[1:] = first, feeds[:-1] + 1
    sizes = feeds - begins
    if int(sizes.max()) >= LONGEST or data[first] <= _BLANK:
        return None
    bits = words_in(np.packbits(data <= _BLANK, bitorder="little"))
    left = bits[begins >> 3] >> (begins & _LOW).view(np.uint64)
    if (left & (left >> _ONE)).any():  # two separators next to each other: a column is empty
        return None
    ends = np.empty((columns, len(feeds)), dtype=np.int64)
    lowest = np.empty_like(left)
    for end in ends[:-1]:  # step by step in place: fresh memory for each would take longer than the arithmetic
        np.negative(left, out=lowest)
        lowest &= left
        left ^= lowest
        np.copyto(end.view(np.float64), lowest, casting="unsafe")
        end >>= _MANTISSA
    np.negative(left, out=lowest)
    lowest &= left
    if (lowest != _ONE << sizes.view(np.uint64)).any():  # the line feed is not the last of so many
        return None
    ends[:-1] += begins - _BIAS
    ends[-1] = feeds
    return Ends(begins, ends)
