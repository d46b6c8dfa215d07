"""A corpus from Parquet: every row is looked at once; few are kept, and many are read as they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pytest_relevance.errors import quoted
from pytest_relevance.records import Corpus, Ids, StoredDocuments
from pytest_relevance.records.corpus import Fields
from pytest_relevance.records.ids import Integers
from pytest_relevance.trec.columns import DOCUMENT_NAMES
from pytest_relevance.trec.corpus_files import IN_MEMORY
from pytest_relevance.trec.parquet import arrow, id_of, named, opened, readable
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.stored import Version

_ROWS_AT_ONCE = 1024
_BUFFER = 1 << 20  # bytes of a column read at a time


def parquet_corpus(source: Source) -> Corpus:
    """Documents from a table with an id column; the other columns are fields.

    Raises:
        DataError: there are none, or a row has no id that can be used, or one that another has.
    """
    version = Version.of(source)
    kept: dict[str, Fields] = {}
    packed: list[Ids] = []
    with readable(source), _opened(source) as file:
        names = file.schema_arrow.names
        id_name = named(source, names, DOCUMENT_NAMES, "doc_id")
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        small = _is_packed(source) or sum(group.total_byte_size for group in groups) <= IN_MEMORY
        for rows in _batches(file, None, None if small else [id_name]):
            first = sum(map(len, packed)) + 1
            found = [id_of(source, values[id_name], "doc_id", row) for row, values in enumerate(rows, first)]
            packed.append(Ids.of(found))
            if small:
                kept.update(zip(found, (_without(values, id_name) for values in rows), strict=True))
    doc_ids = Ids.joined(packed)
    _refuse_repeats(source, doc_ids)
    if not len(doc_ids):
        raise source.empty("documents")
    if small:
        return Corpus(kept)
    bounds = np.cumsum([0, *(group.num_rows for group in groups)])
    return Corpus(ParquetDocuments(source, version, doc_ids, id_name, tuple(names), bounds))


class ParquetDocuments(StoredDocuments):
    """Rows of a Parquet file. For single documents the row group that was asked last is kept unpacked."""

    def __init__(
        self,
        source: Source,
        version: Version,
        doc_ids: Ids,
        id_name: str,
        columns: tuple[str, ...],
        bounds: Integers,
    ) -> None:
        """Shapes: doc_ids (documents,), bounds (row groups + 1,): the row each group begins with."""
        self.doc_ids = doc_ids
        self.field_names = tuple(name for name in columns if name != id_name)
        self._source, self._version = source, version
        self._id_name = id_name
        self._bounds = bounds
        self._last: tuple[int, Any] | None = None  # a row group and its rows

    def read(self, places: Integers) -> Iterator[Fields]:
        """The documents at these places, a thousand in memory at a time where a whole row group is wanted."""
        self._version.refuse_another(self._source)
        groups = np.searchsorted(self._bounds, places, side="right") - 1
        with readable(self._source):
            for group in np.unique(groups).tolist():
                wanted = places[groups == group] - self._bounds[group]
                for rows in self._rows(group, wanted):
                    yield from (_without(values, self._id_name) for values in rows)

    def _rows(self, group: int, wanted: Integers) -> Iterator[list[dict[str, object]]]:
        if len(wanted) == self._bounds[group + 1] - self._bounds[group]:
            with _opened(self._source) as file:
                yield from _batches(file, [group], None)
            return
        if self._last is None or self._last[0] != group:
            self._last = None  # one is enough to hold
            with _opened(self._source) as file:
                self._last = group, file.read_row_group(group)
        pyarrow, _ = arrow(self._source.shown)
        # `take` imports pandas where it is handed numpy's numbers.
        chosen = pyarrow.Array.from_buffers(pyarrow.int64(), len(wanted), [None, pyarrow.py_buffer(wanted)])
        yield self._last[1].take(chosen).to_pylist()


def _opened(source: Source) -> Any:
    """The file, to be closed by whoever asked."""
    if _is_packed(source):
        return opened(source.read(), source.shown)
    _, parquet = arrow(source.shown)
    return parquet.ParquetFile(source.path, pre_buffer=False, buffer_size=_BUFFER)


def _is_packed(source: Source) -> bool:
    """Whether the whole file is packed once more: nothing in it can then be found by its place."""
    return source.path.name.lower().endswith(".gz")


def _batches(file: Any, groups: list[int] | None, columns: list[str] | None) -> Iterator[list[dict[str, Any]]]:
    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=groups, columns=columns):
        yield batch.to_pylist()


def _without(values: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in values.items() if key != name}


def _refuse_repeats(source: Source, doc_ids: Ids) -> None:
    distinct, codes = doc_ids.distinct()
    if len(distinct) < len(codes):
        row = int(np.flatnonzero(codes != np.arange(len(codes)))[0])
        raise source.error(
            f"row {row + 1}: duplicate document {quoted(doc_ids[row])}", "give each document an id of its own"
        )
