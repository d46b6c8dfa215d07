"""Draws with replacement, as how often each of so many was drawn: multinomial counts, exact and fast."""

from __future__ import annotations

from functools import cache
from math import exp, sqrt

import numpy as np
import numpy.typing as npt

from pytest_relevance.records.columns import Floats

_MANY = 5_000  # from so many on, counts are made from Poisson variables: half the time of drawing places
_WORD = 65_536  # values of the 16 random bits that make one count
_UNSURE = 255  # in the table: these bits do not settle the count
_MARGIN = 4.0  # standard deviations by which the Poisson counts fall short of the number to draw
_LARGEST = 60  # no Poisson variable of mean ≤ 1 is larger in any number of draws


def fill_with_counts(counts: Floats, random: np.random.Generator) -> None:
    """In each row, draw as many of the columns as there are, with replacement, and write how often each was drawn.

    Shape (resamples, q). Every row is a multinomial vector of q draws with equal chances.
    """
    if counts.shape[1] >= _MANY:
        for row in counts:
            _fill_row(row, random)
        return
    places = random.integers(0, counts.shape[1], counts.shape, dtype=np.int64)
    for row, drawn in zip(counts, places, strict=True):
        row[:] = np.bincount(drawn, minlength=len(row))


def _fill_row(row: Floats, random: np.random.Generator) -> None:
    """Independent Poisson counts of mean just below 1, and then so many single draws as are missing.

    Given their sum, independent Poisson counts of equal mean are a multinomial vector of that many draws, and draws
    added to such a vector make a longer one; so this is exact, whatever the sum was. Rows that drew too many are drawn
    anew.

    Source: Devroye, "Non-Uniform Random Variate Generation", 1986, chapter XI.1.4 (the conditional law).
    """
    size = len(row)
    table, bounds = _poisson_table(1 - _MARGIN / sqrt(size))
    missing = -1
    while missing < 0:
        words = random.bit_generator.random_raw(-(-size // 4)).view(np.uint16)[:size]
        counts = table.take(words)
        unsure = np.flatnonzero(counts == _UNSURE)
        exact = (words[unsure] + random.random(len(unsure))) / _WORD
        counts[unsure] = np.searchsorted(bounds, exact, side="right")
        missing = size - int(counts.sum())
    row[:] = counts
    np.add.at(row, random.integers(0, size, missing), 1.0)


@cache
def _poisson_table(mean: float) -> tuple[npt.NDArray[np.uint8], Floats]:
    """The Poisson count of each 16 random bits, and the distribution function; shapes (65536,), (60,).

    The bits are the beginning of a uniform number. Where more of its digits are needed to know the count (a few of the
    65,536), the table says so.
    """
    chances = [exp(-mean)]
    for count in range(1, _LARGEST):
        chances.append(chances[-1] * mean / count)
    bounds = np.cumsum(chances)
    edges = np.arange(_WORD + 1) / _WORD
    lowest = np.searchsorted(bounds, edges[:-1], side="right")
    highest = np.searchsorted(bounds, edges[1:], side="left")
    return np.where(lowest == highest, lowest, _UNSURE).astype(np.uint8), bounds
