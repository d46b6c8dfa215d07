"""Kendall's tau-b: do two orders agree, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_relevance.errors import UsageError
from pytest_relevance.measures.matching import Shared
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers

Ranks: TypeAlias = npt.NDArray[np.int32]
_PIECE = 32  # ranks compared each with each; more are sorted, which then is faster
_BEHIND_ALL = (1 << 30) - 1  # a rank no document has; shifted by a bit it still fits


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    """How far two columns of values order the same things alike, -1.0 (reversed) to 1.0 (same).

    (concordant - discordant) / sqrt(pairs not tied in x · pairs not tied in y). Where a column holds one value only
    there is no order to agree with: 1.0 if both do (or hold fewer than two values), 0.0 if one does.

    Raises:
        UsageError: the columns differ in length, or hold NaN.
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(one) != len(two):
        raise UsageError(f"{len(one)} values against {len(two)}", fix="give a value of each for the same things")
    if np.isnan(one).any() or np.isnan(two).any():
        raise UsageError("NaN has no place in an order", fix="leave out what has no value")
    agree = ordered = other_ordered = 0
    for place in range(1, len(one)):  # each against all before it
        signs, other_signs = _signs(one, place), _signs(two, place)
        agree += int((signs * other_signs).sum())
        ordered += int(np.count_nonzero(signs))
        other_ordered += int(np.count_nonzero(other_signs))
    if ordered == 0 or other_ordered == 0:
        return float(ordered == other_ordered)
    return float(np.clip(agree / np.sqrt(float(ordered) * float(other_ordered)), -1.0, 1.0))


def tau_of_shared(shared: Shared) -> Floats:
    """Tau of the shared documents of each pair of rankings, by rank; shape (q,).

    Ranks have no ties, so that tau-b is 1 - 2 · inversions / pairs. Fewer than two shared documents have no order: then
    1.0 where the lists are the same, else 0.0.
    """
    number = shared.counts
    pairs = number * (number - 1) / 2.0
    tau = 1.0 - 2.0 * _inversions(shared) / np.maximum(pairs, 1.0)
    same = (shared.lengths == number) & (shared.other_lengths == number)
    return np.where(pairs > 0, tau, same.astype(np.float64))


def _signs(values: Floats, place: int) -> Integers:
    # Compared, not subtracted: two infinities are a tie.
    above, below = values[place] > values[:place], values[place] < values[:place]
    signs: Integers = above.astype(np.int64) - below.astype(np.int64)
    return signs


def _inversions(shared: Shared) -> Integers:
    """Pairs of shared documents that the two rankings order differently, for each pair of rankings; shape (q,).

    Each ranking is halved until its pieces are short; in those, each document is compared with each. Two neighbouring
    pieces are then sorted together, again and again: a document of the right one moves up past as many of the left one
    as it is inverted to.
    """
    ranks = _in_first_order(shared)
    pairs, width = ranks.shape
    halvings = (-(-width // _PIECE) - 1).bit_length()
    size = -(-width >> halvings)
    keys = np.pad(ranks, ((0, 0), (0, (size << halvings) - width)), constant_values=_BEHIND_ALL)
    total = _in_pieces(keys.reshape(-1, size)).reshape(pairs, -1).sum(axis=1)
    keys <<= 1  # the lowest bit tells which of two pieces a rank is of
    while size < keys.shape[1]:
        both = keys.reshape(-1, 2, size)
        both &= -2
        both[:, 1] |= 1
        merged = keys.reshape(-1, 2 * size)
        merged.sort(axis=1)
        places = (merged & 1).astype(np.float64) @ np.arange(2.0 * size)  # of the right piece's ranks, summed; exact
        moved = size * (3 * size - 1) // 2 - places.astype(np.int64)
        total += moved.reshape(pairs, -1).sum(axis=1)
        size *= 2
    return total


def _in_pieces(ranks: Ranks) -> Integers:
    """The inversions of each row; shape (rows,)."""
    columns = np.ascontiguousarray(ranks.T)  # so that a step compares long rows
    before = np.zeros(columns.shape, dtype=np.uint8)  # of each rank: higher ones that stand before it
    for step in range(1, len(columns)):
        before[step:] += columns[:-step] > columns[step:]
    return before.sum(axis=0, dtype=np.int64)


def _in_first_order(shared: Shared) -> Ranks:
    """The other ranks of the shared documents in the order of the first ranking, a pair a row, filled up behind."""
    placed = np.zeros((len(shared.queries), int(shared.lengths.max(initial=1))), dtype=np.int32)
    placed[shared.pair, shared.ranks - 1] = shared.other_ranks
    number = shared.counts
    width = int(number.max(initial=1))
    ranks = np.full((len(number), width), _BEHIND_ALL, dtype=np.int32)
    ranks[np.arange(width) < number[:, np.newaxis]] = placed[placed > 0]
    return ranks
