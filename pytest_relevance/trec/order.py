"""The order of the rows of a block: score descending, equal scores by doc_id descending, exact to the last bit."""

from __future__ import annotations

import numpy as np

from pytest_relevance.records.columns import Truths
from pytest_relevance.records.words import WORD, Integers, byte_order_keys
from pytest_relevance.trec.decimals import Numbers, make_exact, whole_numbers
from pytest_relevance.trec.tokens import Block

_MOST_RANKS = 64  # looked at in one ranking
_NEAR = 2.0**-49  # eight units of the last place: far more than an inexact value is off


def ordered(block: Block, scores: Numbers, bounds: Integers) -> Integers | None:
    """The rows best first within each stretch, or None where they stand so in the file; shape (rows,).

    `bounds` are the stretches' offsets. Scores that lie so close that their order is in doubt are made exact, in place.
    """
    inner = np.ones(len(block) - 1, dtype=np.bool_)  # whether a row and the next one are of one stretch
    inner[bounds[1:-1] - 1] = False
    order = _by_score(scores, bounds, inner)
    if not scores.exact.all():
        values = scores.values if order is None else scores.values[order]
        with np.errstate(invalid="ignore"):  # the difference of two infinite scores, which are exact
            close = inner & (np.abs(values[:-1] - values[1:]) <= np.abs(values[1:]) * _NEAR)
        rows = np.flatnonzero(_both_sides(close))
        if order is not None:
            rows = order[rows]
        rows = rows[~scores.exact[rows]]
        if len(rows):
            make_exact(scores, rows, block.data, block.numbers.starts, block.numbers.lengths)
            order = _by_score(scores, bounds, inner)
    return _ties_by_document(block, scores, inner, order)


def ranks_disagree(block: Block, scores: Numbers, bounds: Integers, order: Integers | None) -> bool:
    """Whether a lower score has a lower rank number than the one before it. False for ranks that are no numbers.

    Of a ranking longer than 64 documents a sample is looked at: this is a hint for the reader, and decides nothing.
    """
    if block.ranks is None:
        return False
    places = _looked_at(bounds)
    rows = places if order is None else order[places]
    column = block.ranks.at(rows)
    if not len(rows) or int(column.lengths.max()) > WORD:
        return False
    ranks, wrong = whole_numbers(block.data, column.starts, column.lengths)
    if wrong.any():
        return False
    values = scores.values[rows]
    stretch = np.searchsorted(bounds, places, side="right")
    inner = stretch[1:] == stretch[:-1]
    return bool((inner & (ranks[:-1] > ranks[1:]) & (values[:-1] > values[1:])).any())


def _looked_at(bounds: Integers) -> Integers:
    """Every place of short stretches, and evenly spread ones of long: enough to see ranks that are not the scores'."""
    counts = np.diff(bounds)
    taken = np.minimum(counts, _MOST_RANKS)
    number = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    places: Integers = np.repeat(bounds[:-1], taken) + number * np.repeat(counts, taken) // np.repeat(taken, taken)
    return places


def _by_score(scores: Numbers, bounds: Integers, inner: Truths) -> Integers | None:
    """Rows by value; equal values in any order. Stretches that stand so already are not touched."""
    values = scores.values
    rising = np.flatnonzero(inner & (values[:-1] < values[1:]))
    if not len(rising):
        return None
    order = np.arange(len(values))
    for place in np.unique(np.searchsorted(bounds, rising, side="right") - 1).tolist():
        start, stop = bounds[place], bounds[place + 1]
        order[start:stop] = start + np.argsort(-values[start:stop])
    return order


def _ties_by_document(block: Block, scores: Numbers, inner: Truths, order: Integers | None) -> Integers | None:
    values = scores.values if order is None else scores.values[order]
    tied = inner & (values[:-1] == values[1:])
    if not tied.any():
        return order
    members = np.flatnonzero(_both_sides(tied))
    group = np.cumsum(~np.concatenate(([False], tied))[members])
    rows = members if order is None else order[members]
    documents = block.documents.at(rows)
    keys = byte_order_keys(block.data, documents.starts, documents.lengths)
    later_first = np.lexsort((*(~key for key in keys), group))
    if order is None:
        if (later_first[1:] > later_first[:-1]).all():
            return None
        order = np.arange(len(values))
    order[members] = rows[later_first]
    return order


def _both_sides(pairs: Truths) -> Truths:
    """The rows that are in a pair with their neighbour above or below."""
    rows = np.zeros(len(pairs) + 1, dtype=np.bool_)
    rows[1:] |= pairs
    rows[:-1] |= pairs
    return rows
