"""Corpus: the documents that local retrievers index and field assertions read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_relevance.errors import DataError


@dataclass(frozen=True, eq=False)
class Corpus(Mapping[str, Mapping[str, object]]):
    """Documents by id, in file order: doc_id → its fields (text, numbers, lists, as the file has them)."""

    documents: Mapping[str, Mapping[str, object]]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    def __getitem__(self, doc_id: str) -> Mapping[str, object]:
        return self.documents[doc_id]

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        return tuple(self.documents)

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """Every field that occurs, in order of first appearance."""
        names: dict[str, None] = {}
        for fields in self.documents.values():
            names.update(dict.fromkeys(fields))
        return tuple(names)

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
            values = [document.get(name) for name in fields] if fields else list(document.values())
            yield "\n".join(value for value in values if isinstance(value, str) and value)
