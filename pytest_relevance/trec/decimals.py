"""A whole column of decimal numbers parsed at once, eight digits a step, with a word on which of them are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pytest_relevance.records.columns import Floats, Truths
from pytest_relevance.records.words import WORD, Bytes, Integers, Words, words_in

FRONT = 32  # bytes a buffer must have before its first number: words are read from a number's end backwards

_ZEROS = np.uint64(0x3030303030303030)
_DOT = np.uint64(ord(".") ^ ord("0"))
_DOTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # _DOT in every byte
_BYTE = np.uint64(0xFF)
_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_SIXES = np.uint64(0x0606060606060606)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_PLACES = np.uint64(0x0706050403020100)  # byte i holds i
_PAIRS = np.uint64(0x000000FF000000FF)
_LOW_FACTORS = np.uint64(0x000F424000000064)  # 100 and 1,000,000
_HIGH_FACTORS = np.uint64(0x0000271000000001)  # 1 and 10,000
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_POWERS = 10.0 ** np.arange(23)  # all exact as doubles
_WHOLE_POWERS = np.array([10**power for power in range(20)], dtype=np.uint64)
_LONGEST = 24  # characters handled by columns; longer numbers one by one
_KEPT = np.array([(1 << 64) - (1 << (64 - 8 * size)) for size in range(9)], dtype=np.uint64)  # the last bytes of a word
_EXACT = np.uint64(1 << 53)


class Numbers(NamedTuple):
    """Values, and whether each is the double nearest to what is written (else within two units of its last place)."""

    values: Floats
    exact: Truths


def parse_numbers(
    data: Bytes, starts: Integers, lengths: Integers, problem: Callable[[bytes], str | None]
) -> Numbers | None:
    """Numbers at slices of a buffer; None if one of them is wrong by `problem`.

    Plain decimals go by columns. Exponents, infinities and numbers of more than 19 digits go through `float`.
    """
    lead = data[starts]
    negative = lead == ord("-")
    signed = negative | (lead == ord("+"))
    has_signs = bool(signed.any())
    size = lengths - signed if has_signs else lengths
    ends = starts + lengths
    if int(size.max(initial=0)) <= 8:
        digits = _ending_at(words_in(data), ends, size)
        mantissa, places, odd = _pointed_alike(digits) or _short(digits, size)
    else:
        mantissa, places, odd = _long(words_in(data), ends, size)
    values = mantissa.astype(np.float64)
    fewest, most = int(places.min(initial=22)), int(places.max(initial=0))
    if most:
        values /= _POWERS[most] if fewest == most else _POWERS[places]
    if has_signs:
        np.negative(values, out=values, where=negative)
    exact = mantissa < _EXACT
    for row in np.flatnonzero(odd).tolist():
        token = data[starts[row] : ends[row]].tobytes()
        if problem(token):
            return None
        values[row] = float(token)
        exact[row] = True
    return Numbers(values, exact)


def make_exact(numbers: Numbers, rows: Integers, data: Bytes, starts: Integers, lengths: Integers) -> None:
    """Parse these rows one by one, in place."""
    whole = data.tobytes()
    numbers.values[rows] = [
        float(whole[start : start + length])
        for start, length in zip(starts[rows].tolist(), lengths[rows].tolist(), strict=True)
    ]
    numbers.exact[rows] = True


def whole_numbers(data: Bytes, starts: Integers, lengths: Integers) -> tuple[Words, Truths]:
    """Whole numbers of at most eight digits, and which slices are none."""
    digits = _ending_at(words_in(data), starts + lengths, lengths)
    return _eight_digits(digits), _not_digits(digits)


def _pointed_alike(digits: Words) -> tuple[Words, Integers, Truths] | None:
    """What `_short` gives, where all numbers have as many digits after the point as the first, as printed scores do."""
    after = int(_place(_points(digits[:1]))[0]) if len(digits) else 0
    if not 0 < after < WORD:
        return None
    point = np.uint64(56 - 8 * after)  # bits below it
    if (((digits >> point) & _BYTE) != _DOT).any():
        return None
    below = (_ONE << point) - _ONE
    whole = digits & below
    whole <<= _EIGHT
    whole |= digits & ~(below | (_BYTE << point))
    return _eight_digits(whole), np.full(1, after), _not_digits(whole)


def _short(digits: Words, size: Integers) -> tuple[Words, Integers, Truths]:
    """Numbers of at most eight characters: mantissa, digits after the point, and which are not plain decimals."""
    point = _points(digits)
    below = (point >> np.uint64(7)) - _ONE
    without = (digits & ~((point << _ONE) - _ONE)) | ((digits & below) << _EIGHT)
    pointed = point != 0
    whole = np.where(pointed, without, digits)
    odd = _not_digits(whole) | ((point & (point - _ONE)) != 0) & pointed | (size - pointed < 1)
    return _eight_digits(whole), _place(point), odd


def _long(words: Words, ends: Integers, size: Integers) -> tuple[Words, Integers, Truths]:
    """The same for numbers of any length; those too long are odd."""
    places = np.zeros(len(ends), dtype=np.int64)
    points = np.zeros(len(ends), dtype=np.int64)
    odd = size > _LONGEST
    for step in range(3):
        point = _points(_ending_at(words, ends - 8 * step, np.clip(size - 8 * step, 0, 8)))
        here = point != 0
        odd |= ((point & (point - _ONE)) != 0) & here
        places = np.where(here, _place(point) + 8 * step, places)
        points += here
    odd |= (points > 1) | (size - points < 1)
    before, wrong_before = _digits(words, ends - places - points, size - places - points)
    after, wrong_after = _digits(words, ends, places)
    # Both halves together must fit in 64 bits: 19 digits always do.
    odd |= wrong_before | wrong_after | (places > 19)
    odd |= (size - points - places > 19) | ((before != 0) & (size - points > 19))
    return before * _WHOLE_POWERS[np.minimum(places, 19)] + after, np.minimum(places, 22), odd


def _digits(words: Words, ends: Integers, size: Integers) -> tuple[Words, Truths]:
    total = np.zeros(len(ends), dtype=np.uint64)
    wrong = np.zeros(len(ends), dtype=np.bool_)
    for step in reversed(range((min(int(size.max(initial=0)), _LONGEST) + 7) // 8)):
        digits = _ending_at(words, ends - 8 * step, np.clip(size - 8 * step, 0, 8))
        wrong |= _not_digits(digits)
        total = total * np.uint64(100_000_000) + _eight_digits(digits)
    return total, wrong


def _ending_at(words: Words, ends: Integers, size: Integers) -> Words:
    """The word that ends at each place, a digit's value in each of its bytes, 0 before the number."""
    word = words[ends - 8]
    word ^= _ZEROS
    fewest, most = int(size.min(initial=8)), int(size.max(initial=0))
    word &= _KEPT[most] if fewest == most else _KEPT[size]
    return word


def _points(digits: Words) -> Words:
    """The top bit of each byte that holds a decimal point."""
    other = digits ^ _DOTS
    return ~(((other & _LOW) + _LOW) | other | _LOW)


def _place(point: Words) -> Integers:
    """Digits after the point, where it is the only one in its word; 0 without a point."""
    return (((point >> np.uint64(7)) * _PLACES) >> np.uint64(56)).astype(np.int64)


def _not_digits(digits: Words) -> Truths:
    wrong = digits + _SIXES
    wrong |= digits
    wrong &= _HIGH
    odd: Truths = wrong != 0
    return odd


def _eight_digits(digits: Words) -> Words:
    """The number that eight digits write, first digit in the lowest byte: three multiplications in place of eight."""
    pairs = digits * np.uint64(10)
    pairs += digits >> _EIGHT
    high = pairs >> np.uint64(16)
    high &= _PAIRS
    high *= _HIGH_FACTORS
    pairs &= _PAIRS
    pairs *= _LOW_FACTORS
    pairs += high
    pairs >>= np.uint64(32)
    return pairs
