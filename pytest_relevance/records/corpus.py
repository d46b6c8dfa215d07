"""Corpus: the documents that local retrievers index and field assertions read, in memory or in their file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytest_relevance.errors import DataError
from pytest_relevance.records.ids import Ids, Integers

Fields = Mapping[str, object]  # of one document: text, numbers, lists, as its file has them


class StoredDocuments(Mapping[str, Fields]):
    """Documents that stay in their file, in its order: what is held of them is their ids and where each stands.

    A document is read when it is looked at. Going through all of them reads the file once, a piece at a time.
    """

    doc_ids: Ids
    field_names: tuple[str, ...]  # in order of first appearance

    @abstractmethod
    def read(self, places: Integers) -> Iterator[Fields]:
        """The documents at these places, which ascend; shape (n,).

        Raises:
            DataError: the file is not what it was when its documents were found.
        """

    def __len__(self) -> int:
        return len(self.doc_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.doc_ids)

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self._place_of(doc_id) >= 0

    def __getitem__(self, doc_id: str) -> Fields:
        place = self._place_of(doc_id)
        if place < 0:
            raise KeyError(doc_id)
        return next(self.read(np.array([place])))

    def values(self) -> ValuesView[Fields]:
        """The documents as one reading of the file gives them."""
        return _StreamedValues(self)

    def items(self) -> ItemsView[str, Fields]:
        """Ids and documents as one reading of the file gives them."""
        return _StreamedItems(self)

    def _place_of(self, doc_id: str) -> int:
        return self.doc_ids.places([doc_id])[0]


@dataclass(frozen=True, eq=False)
class Corpus(Mapping[str, Fields]):
    """Documents by id, in file order: doc_id → its fields."""

    documents: Mapping[str, Fields]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.documents

    def __getitem__(self, doc_id: str) -> Fields:
        return self.documents[doc_id]

    def values(self) -> ValuesView[Fields]:
        """The documents, in file order."""
        return self.documents.values()

    def items(self) -> ItemsView[str, Fields]:
        """Ids and documents, in file order."""
        return self.documents.items()

    @cached_property
    def doc_ids(self) -> Ids:
        """The ids, in file order."""
        return self.documents.doc_ids if isinstance(self.documents, StoredDocuments) else Ids.of(self.documents)

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """Every field that occurs, in order of first appearance."""
        if isinstance(self.documents, StoredDocuments):
            return self.documents.field_names
        return names_in(self.documents.values())

    def fields_of(self, doc_ids: Sequence[str]) -> list[Fields]:
        """What is known of each of these, in their order: nothing of a document that is not there.

        What is in a file is read when it is first looked at.
        """
        if not isinstance(self.documents, StoredDocuments):
            return [self.documents.get(doc_id, {}) for doc_id in doc_ids]
        places = self.doc_ids.places(doc_ids)
        return [{} if place < 0 else _Unread(self.documents, place) for place in places]

    def texts(self, fields: Sequence[str] = ()) -> Iterator[str]:
        """The text to index of each document: `fields` joined by a line break, or every text field if none is named.

        A document without any of them gives the empty text.

        Raises:
            DataError: a named field occurs in no document.
        """
        unknown = [name for name in fields if name not in self.field_names]
        if unknown and self.documents:
            raise DataError(
                f"no document has a field {unknown[0]!r}", fix=f"fields of this corpus: {', '.join(self.field_names)}"
            )
        for document in self.documents.values():
            yield text_of(document, fields)


def text_of(document: Fields, fields: Sequence[str] = ()) -> str:
    """The text to index of one document, as `Corpus.texts` has it."""
    values = [document.get(name) for name in fields] if fields else list(document.values())
    return "\n".join(value for value in values if isinstance(value, str) and value)


def names_in(documents: Iterable[Fields]) -> tuple[str, ...]:
    """Every field that occurs, in order of first appearance."""
    names: dict[str, None] = {}
    for fields in documents:
        if not fields.keys() <= names.keys():
            names.update(dict.fromkeys(fields))
    return tuple(names)


class _StreamedValues(ValuesView[Fields]):
    _mapping: StoredDocuments

    def __iter__(self) -> Iterator[Fields]:
        return self._mapping.read(np.arange(len(self._mapping)))


class _StreamedItems(ItemsView[str, Fields]):
    _mapping: StoredDocuments

    def __iter__(self) -> Iterator[tuple[str, Fields]]:
        return zip(self._mapping, self._mapping.read(np.arange(len(self._mapping))), strict=True)


class _Unread(Mapping[str, object]):
    """The fields of one stored document, read at the first look."""

    def __init__(self, documents: StoredDocuments, place: int) -> None:
        self._documents, self._place = documents, place

    @cached_property
    def _fields(self) -> Fields:
        return next(self._documents.read(np.array([self._place])))

    def __len__(self) -> int:
        return len(self._fields)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __getitem__(self, name: str) -> object:
        return self._fields[name]
