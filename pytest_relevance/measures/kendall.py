"""Kendall's tau-b: do two orders agree, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.measures.matching import Shared
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers


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
    tau = 1.0 - 2.0 * _inversions(shared, number) / np.maximum(pairs, 1.0)
    same = (shared.lengths == number) & (shared.other_lengths == number)
    return np.where(pairs > 0, tau, same.astype(np.float64))


def _signs(values: Floats, place: int) -> Integers:
    # Compared, not subtracted: two infinities are a tie.
    above, below = values[place] > values[:place], values[place] < values[:place]
    signs: Integers = above.astype(np.int64) - below.astype(np.int64)
    return signs


def _inversions(shared: Shared, number: Integers) -> Integers:
    """Pairs of shared documents that the two rankings order differently, for each pair of rankings; shape (q,).

    All at once, bit by bit from the highest: among documents whose ranks agree in the bits above, those with a 1 here
    that stand before one with a 0 are inverted to it.
    """
    order = _by_rank(shared, shared.ranks)
    place = _dense(shared, number)[order]
    starts = np.repeat(shared.offsets[:-1], number)  # the first row of each row's group
    ends = np.repeat(shared.offsets[1:], number)
    rows, total = np.arange(len(place)), np.zeros(len(number), dtype=np.int64)
    for bit in range(int(number.max(initial=1)).bit_length() - 1, -1, -1):
        ones = (place >> bit) & 1
        count = np.concatenate(([0], np.cumsum(ones)))
        ones_before = count[:-1] - count[starts]
        total += np.diff(np.concatenate(([0], np.cumsum((1 - ones) * ones_before)))[shared.offsets])
        # Zeros to the front of their group, ones behind them, both in the order they have: two groups for the next bit.
        border = ends - (count[ends] - count[starts])
        moved = np.where(ones == 1, border + ones_before, rows - ones_before)
        starts, ends = np.where(ones == 1, border, starts), np.where(ones == 1, ends, border)
        place, starts, ends = _moved(place, moved), _moved(starts, moved), _moved(ends, moved)
    return total


def _moved(values: Integers, to: Integers) -> Integers:
    placed = np.empty_like(values)
    placed[to] = values
    return placed


def _dense(shared: Shared, number: Integers) -> Integers:
    """The place of each shared document among its pair's, by its rank in the other ranking, from 0."""
    order = _by_rank(shared, shared.other_ranks)
    dense = np.empty(len(order), dtype=np.int64)
    dense[order] = np.arange(len(order)) - np.repeat(np.cumsum(number) - number, number)
    return dense


def _by_rank(shared: Shared, ranks: Integers) -> Integers:
    """Row numbers ordered by pair, then by rank."""
    return np.argsort(shared.pair * (int(ranks.max(initial=0)) + 1) + ranks)
