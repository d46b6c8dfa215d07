"""RBO, rank-biased overlap: how alike two rankings are, the top counting most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from pytest_relevance.errors import UsageError
from pytest_relevance.measures.lists import group_counts, group_sums
from pytest_relevance.measures.matching import Shared
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers

Kind = Literal["ext", "min", "res", "truncated"]


def rbo(ranking: Sequence[str], other: Sequence[str], *, p: float = 0.9, kind: Kind = "ext") -> float:
    """How alike two rankings are, from 0.0 (disjoint) to 1.0 (same), the top counting most.

    The agreement at depth d, documents shared by the first d over d, has weight (1 - p) · p^(d - 1); with p = 0.9 the
    first ten documents decide about 86 %. `ext` assumes that the agreement seen last goes on, in lists of different
    length too (eq. 32); `min` assumes that nothing more is shared (eq. 11); `res` is how much more could be (eq. 30);
    `truncated` is the plain sum down to the end of the shorter list. Two empty rankings are the same (1.0, `res` 0.0);
    one empty ranking shares nothing (0.0).

    Raises:
        UsageError: `p` is not strictly between 0 and 1, or a document stands twice in one ranking.

    Source: Webber, Moffat, Zobel, "A similarity measure for indefinite rankings", TOIS 28(4), 2010.
    """
    if not 0 < p < 1:
        raise UsageError(f"p is {p}, not between 0 and 1", fix="give for example p=0.9")
    places, other_places = _places(ranking), _places(other)
    both = [doc_id for doc_id in ranking if doc_id in other_places]
    shared = Shared(
        np.zeros(1, dtype=np.int64),
        np.array([len(ranking)]),
        np.array([len(other)]),
        np.array([0, len(both)]),
        np.array([places[doc_id] for doc_id in both], dtype=np.int64),
        np.array([other_places[doc_id] for doc_id in both], dtype=np.int64),
    )
    return float(rank_biased_overlap(shared, p, kind)[0])


def rank_biased_overlap(shared: Shared, p: float, kind: Kind) -> Floats:
    """RBO of each pair; shape (q,). One pass over the shared documents, none over depths.

    A document shared at depth m, the lower of its two ranks, adds (1 - p) · p^(d - 1) / d at every depth d from m on:
    a tail of one series, looked up.
    """
    short = np.minimum(shared.lengths, shared.other_lengths)
    long = np.maximum(shared.lengths, shared.other_lengths)
    head = _heads(p, int((short + long).max(initial=0)))
    depth = np.maximum(shared.ranks, shared.other_ranks)
    in_all = shared.counts.astype(np.float64)
    if kind == "ext":
        in_short = group_counts(depth <= np.repeat(short, shared.counts), shared.offsets)
        seen = group_sums(np.repeat(head[long], shared.counts) - head[depth - 1], shared.offsets)
        values = seen + _beyond(short, long, in_short, in_all, head, p)
    elif kind == "min":
        values = group_sums(np.maximum(_whole(p) - head[depth - 1], 0.0), shared.offsets)
    elif kind == "truncated":
        left = np.repeat(head[short], shared.counts) - head[depth - 1]
        values = group_sums(np.maximum(left, 0.0), shared.offsets)
    else:
        values = _residual(short, long, in_all, head, p)
    values = np.where(short == 0, float(kind != "res") * (long == 0), values)
    return np.clip(values, 0.0, 1.0)  # rounding passes the bounds by a hair


def _beyond(short: Integers, long: Integers, in_short: Integers, in_all: Floats, head: Floats, p: float) -> Floats:
    """What eq. 32 assumes of the unseen: below the short list, then below both."""
    shared_rate = in_short / np.maximum(short, 1)
    below_short = (p**short - p**long) - short * (head[long] - head[short])
    values: Floats = shared_rate * below_short + ((in_all - in_short) / np.maximum(long, 1) + shared_rate) * p**long
    return values


def _residual(short: Integers, long: Integers, in_all: Floats, head: Floats, p: float) -> Floats:
    """Eq. 30: the most that could be shared below, were all documents left matched as early as can be."""
    full = (short + long - in_all).astype(np.int64)
    gone = short * (head[full] - head[short]) + long * (head[full] - head[long]) + in_all * (_whole(p) - head[full])
    values: Floats = p**short + p**long - p**full - gone
    return values


def _heads(p: float, depth: int) -> Floats:
    """(1 - p) · sum of p^(d - 1) / d for d up to n, for n from 0 to `depth`; shape (depth + 1,)."""
    depths = np.arange(1, depth + 1, dtype=np.float64)
    return np.concatenate(([0.0], np.cumsum((1.0 - p) * p ** (depths - 1.0) / depths)))


def _whole(p: float) -> float:
    """The same sum without end."""
    return float((1.0 - p) / p * -np.log1p(-p))


def _places(ranking: Sequence[str]) -> dict[str, int]:
    places = {doc_id: rank for rank, doc_id in enumerate(ranking, start=1)}
    if len(places) != len(ranking):
        repeated = next(doc_id for rank, doc_id in enumerate(ranking, start=1) if places[doc_id] != rank)
        raise UsageError(f"document {repeated!r} stands twice in a ranking", fix="keep it at its best rank")
    return places
