"""What Run and Qrels share: rows grouped by query, with documents as codes into one vocabulary."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_relevance.errors import DataError
from pytest_relevance.records.ids import Ids, Integers

Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = npt.NDArray[np.bool_]


class Grouped:
    """Rows of (query, document, number), those of one query next to each other.

    Shapes: query_ids (q,), offsets (q + 1,), codes (rows,); the rows of query i are offsets[i] to offsets[i + 1].
    """

    query_ids: tuple[str, ...]
    offsets: Integers
    doc_ids: Ids
    codes: Integers

    @cached_property
    def positions(self) -> dict[str, int]:
        """query_id → its place in `query_ids`."""
        return {query_id: place for place, query_id in enumerate(self.query_ids)}

    @property
    def counts(self) -> Integers:
        """Rows of each query; shape (q,)."""
        return np.diff(self.offsets)

    @property
    def query_of_row(self) -> Integers:
        """The place in `query_ids` of each row's query; shape (rows,)."""
        return np.repeat(np.arange(len(self.query_ids)), self.counts)

    def __len__(self) -> int:
        return len(self.query_ids)

    def __contains__(self, query_id: object) -> bool:
        return query_id in self.positions

    def rows_of(self, query_id: str) -> slice:
        """The rows of one query; an empty slice for a query that is not there."""
        place = self.positions.get(query_id)
        return slice(0, 0) if place is None else slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def chosen(self, wanted: Container[str]) -> tuple[tuple[str, ...], Integers, Integers]:
        """Those of its queries that are wanted, in its order, with their new offsets and the old row numbers."""
        places = [place for place, query_id in enumerate(self.query_ids) if query_id in wanted]
        offsets, rows = gathered(self.offsets, places)
        return tuple(self.query_ids[place] for place in places), offsets, rows

    def as_dicts(self, column: Floats) -> dict[str, dict[str, float]]:
        """query_id → doc_id → the number of its row in `column`, in the order of the rows; shape (rows,)."""
        documents, bounds = list(self.doc_ids), self.offsets.tolist()
        codes, numbers = self.codes.tolist(), column.tolist()
        return {
            query_id: dict(zip((documents[code] for code in codes[start:stop]), numbers[start:stop], strict=True))
            for query_id, start, stop in zip(self.query_ids, bounds, bounds[1:], strict=False)
        }


def grouped_rows(rows: Iterable[tuple[str, str, float]]) -> tuple[tuple[str, ...], Integers, Ids, Floats]:
    """Of (query_id, doc_id, number, …) rows the query ids, offsets, documents and numbers.

    Queries come in order of first appearance, the rows of each in the order they have.
    """
    listed = [(row[0], row[1], float(row[2])) for row in rows]
    places: dict[str, int] = {}
    column = np.fromiter((places.setdefault(row[0], len(places)) for row in listed), dtype=np.int64)
    offsets = np.zeros(len(places) + 1, dtype=np.int64)
    np.cumsum(np.bincount(column, minlength=len(places)), out=offsets[1:])
    grouped = [listed[place] for place in np.argsort(column, kind="stable")]
    numbers = np.array([row[2] for row in grouped], dtype=np.float64)
    return tuple(places), offsets, Ids.of(row[1] for row in grouped), numbers


def first_repeat(query_of_row: Integers, codes: Integers, documents: int) -> Truths:
    """Whether the same document stood in an earlier row of the same query; shape (rows,)."""
    keys = query_of_row * max(documents, 1) + codes
    ascending = np.sort(keys)
    if not (ascending[1:] == ascending[:-1]).any():
        return np.zeros(len(keys), dtype=np.bool_)
    del ascending
    _, first = np.unique(keys, return_index=True)
    repeated = np.ones(len(keys), dtype=np.bool_)
    repeated[first] = False
    return repeated


def rows_kept(offsets: Integers, keep: Truths) -> Integers:
    """Offsets after dropping the rows that are not kept."""
    before = np.concatenate(([0], np.cumsum(keep)))
    return before[offsets].astype(np.int64)


def gathered(
    offsets: Integers, places: Sequence[int] | Integers, *, most: int | None = None
) -> tuple[Integers, Integers]:
    """New offsets, and the old row numbers, of the first `most` rows of the groups at `places`, one after the other."""
    chosen = np.asarray(places, dtype=np.int64)
    counts = np.diff(offsets)[chosen]
    counts = counts if most is None else np.minimum(counts, most)
    bounds = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(counts, out=bounds[1:])
    return bounds, np.arange(bounds[-1]) + np.repeat(offsets[:-1][chosen] - bounds[:-1], counts)


def spans(offsets: Integers, rows: int = 1 << 16) -> Iterator[tuple[slice, Integers]]:
    """All groups, about so many rows at a time that they stay in a processor's cache: the rows, and offsets in them."""
    groups = len(offsets) - 1
    step = max(1, rows * groups // max(1, int(offsets[-1])))
    for first in range(0, groups, step):
        bounds = offsets[first : first + step + 1]
        yield slice(int(bounds[0]), int(bounds[-1])), bounds - bounds[0]


def refuse_id(kind: str, value: object) -> DataError:
    """The error for an id that is not text."""
    return DataError(f"{kind} {value!r} is not text", fix=f"give ids as text, for example {str(value)!r}")
