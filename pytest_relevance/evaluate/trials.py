"""Trials: what a check is decided from, drawn anew as if nothing had changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, compress
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_relevance.records import Values
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.stats import Strata
from pytest_relevance.verdict.compared import Compared
from pytest_relevance.verdict.measured import Measured
from pytest_relevance.verdict.rules import BySet

Booleans: TypeAlias = npt.NDArray[np.bool_]

_SEED = 20_100
_NOTHING = Values("", (), np.zeros(0))


def resampled(by_set: BySet) -> Callable[[int], BySet]:
    """From the number of a trial to the same with queries drawn with replacement, the same ones for all.

    A weighted total is drawn inside its slices, as its interval is.
    """
    draws = _Draws(measured for one in by_set for measured in one.values())
    columns = [{name: _Column(measured, draws.query_ids) for name, measured in one.items()} for one in by_set]

    def trial(number: int) -> BySet:
        places, _ = draws.of(number)
        return [{name: column.drawn(places) for name, column in one.items()} for one in columns]

    return trial


def redrawn(compared: Sequence[Compared], *, exchanged: bool) -> Callable[[int], list[Compared]]:
    """From the number of a trial to the same comparisons over queries drawn with replacement, not decided yet.

    `exchanged`: then and now change places at random, query by query, which is how two runs of one thing look: nothing
    has changed, and single queries differ by as much as they did.
    """
    draws = _Draws(chain.from_iterable((one.old, one.new, *chain(*one.pairs.values())) for one in compared))
    comparisons = [_Comparison(one, draws.query_ids) for one in compared]

    def trial(number: int) -> list[Compared]:
        places, swapped = draws.of(number)
        exchange = swapped if exchanged else np.zeros_like(swapped)
        return [one.drawn(places, exchange) for one in comparisons]

    return trial


class _Draws:
    """Queries drawn with replacement: a number always gives the same draw."""

    def __init__(self, measured: Iterable[Measured]) -> None:
        listed = list(measured)
        self.query_ids = tuple(dict.fromkeys(query_id for one in listed for query_id in one.values.query_ids))
        weighted = next((one for one in listed if one.weights), None)
        strata = Strata.whole(len(self.query_ids))
        if weighted is not None:
            slices = {
                name: [query_id for one in listed for query_id in one.strata.get(name, _NOTHING).query_ids]
                for name in weighted.weights
            }
            strata = Strata.of_slices(slices, weighted.weights, self.query_ids)
        self._order = strata.order
        self._sizes = np.repeat(strata.sizes, strata.sizes)  # of the group that each place is in
        self._starts = np.repeat(np.cumsum(strata.sizes) - strata.sizes, strata.sizes)

    def of(self, number: int) -> tuple[Integers, Booleans]:
        """Places in `query_ids`, and for each whether then and now change places; shapes (drawn,), (drawn,)."""
        random = np.random.default_rng([_SEED, number])
        places = self._order[self._starts + random.integers(0, self._sizes)]
        return places, random.random(len(places)) < 0.5


class _Column:
    """One measure of one retriever, ready to be drawn from."""

    def __init__(self, measured: Measured, query_ids: Sequence[str]) -> None:
        self._measured = measured
        found = measured.values.values
        self.there: Booleans = np.array([query_id in found for query_id in query_ids], dtype=np.bool_)
        self.values: Floats = np.array([found.get(query_id, 0.0) for query_id in query_ids], dtype=np.float64)
        members = {name: frozenset(values.query_ids) for name, values in measured.strata.items()}
        self._inside: dict[str, Booleans] = {
            name: np.array([query_id in known for query_id in query_ids], dtype=np.bool_)
            for name, known in members.items()
        }

    def drawn(self, places: Integers, values: Floats | None = None) -> Measured:
        """As if the queries at these places had been asked, each time it stands there; `values`: other ones."""
        column = self.values[places] if values is None else values
        names = _names(len(places))
        strata = {name: _kept(names, column, inside[places]) for name, inside in self._inside.items()}
        return replace(self._measured, values=_kept(names, column, self.there[places]), strata=strata)


class _Pair:
    """One measure then and now, ready to be drawn from."""

    def __init__(self, old: Measured, new: Measured, query_ids: Sequence[str]) -> None:
        self._old, self._new = _Column(old, query_ids), _Column(new, query_ids)

    def drawn(self, places: Integers, exchange: Booleans) -> tuple[Measured, Measured]:
        """The same queries of both; at those of `exchange` each has the value of the other."""
        then, now = self._old.values[places], self._new.values[places]
        return (
            self._old.drawn(places, np.where(exchange, now, then)),
            self._new.drawn(places, np.where(exchange, then, now)),
        )


class _Comparison:
    """A comparison and those of its slices, ready to be drawn from."""

    def __init__(self, compared: Compared, query_ids: Sequence[str]) -> None:
        self._compared = compared
        self._mean = _Pair(compared.old, compared.new, query_ids)
        self._slices = {name: _Pair(*sides, query_ids) for name, sides in compared.pairs.items()}

    def drawn(self, places: Integers, exchange: Booleans) -> Compared:
        """The same over other queries, not decided yet."""
        old, new = self._mean.drawn(places, exchange)
        slices = {name: pair.drawn(places, exchange) for name, pair in self._slices.items()}
        return replace(self._compared, old=old, new=new, pairs=slices)


def _kept(names: tuple[str, ...], column: Floats, keep: Booleans) -> Values:
    if keep.all():
        return Values("", names, column)
    return Values("", tuple(compress(names, keep.tolist())), column[keep])


@cache
def _names(count: int) -> tuple[str, ...]:
    """Ids for drawn queries: one that was drawn twice counts twice."""
    return tuple(f"drawn {place}" for place in range(count))
