"""One document from one record of a file: quickly where nothing is wrong, and else with the place of what is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from pytest_relevance.errors import DataError, Place, ProblemList, quoted
from pytest_relevance.trec.columns import DOCUMENT_NAMES, first_named
from pytest_relevance.trec.delimited import Cell, records, refuse_width
from pytest_relevance.trec.json_rows import line_objects
from pytest_relevance.trec.located_json import Located, fields_of, id_text, once, taken
from pytest_relevance.trec.pieces import Piece, line_pieces, row_pieces
from pytest_relevance.trec.sniff import delimiter_of, first_line
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.text import Text

_DECODER = json.JSONDecoder(object_pairs_hook=once)

Document = tuple[str, dict[str, object]]  # its id and its fields


class Placed(NamedTuple):
    """A document and where its id stands."""

    doc_id: str
    fields: dict[str, object]
    text: Text
    at: int  # in `text`
    width: int

    @property
    def place(self) -> Place:
        """The place of its id."""
        return self.text.place(self.at, self.width)


class DocumentReader(Protocol):
    """Reads the records of one file, in any order."""

    @property
    def source(self) -> Source:
        """The file."""
        ...

    def pieces(self) -> Iterator[Piece]:
        """Its records, in file order; some of them may be blank."""
        ...

    def read(self, piece: Piece) -> Document | None:
        """The document of a record; None for a blank one.

        Raises:
            DataError: it is not written as it should be.
        """
        ...

    def placed(self, piece: Piece) -> Placed | None:
        """The same, taking its time."""
        ...


@dataclass(frozen=True)
class JsonLines:
    """Documents as JSON objects, one a line: `_id`, `id` or `doc_id`, and fields."""

    source: Source

    def pieces(self) -> Iterator[Piece]:
        """The lines."""
        return line_pieces(self.source)

    def read(self, piece: Piece) -> Document | None:
        """The document of a line."""
        try:
            found = _DECODER.decode(piece.data.decode())
        except (ValueError, RecursionError):  # what is wrong is told when it is looked at closely
            found = None
        name = _id_name(tuple(found)) if isinstance(found, dict) else None
        doc_id = found.pop(name) if isinstance(found, dict) and name is not None else None
        # Half a character is not printable; what else is not is no fault, and only takes longer.
        if isinstance(doc_id, str) and doc_id and doc_id.isprintable():
            return doc_id, found
        placed = self.placed(piece)
        return None if placed is None else placed[:2]

    def placed(self, piece: Piece) -> Placed | None:
        """The document of a line and the place of its id."""
        text = Text(self.source, piece.data.rstrip(b"\r\n"), piece.line)
        problems = ProblemList()
        located = next(line_objects(text, 1, problems), None)
        problems.raise_any()
        return None if located is None else placed_object(text, None, located)


@dataclass(frozen=True)
class TableRows:
    """Documents as rows of a table with a header that names their id; every other column is a field."""

    source: Source
    delimiter: str
    names: tuple[str, ...]
    column: int  # of the ids
    after: int  # where the header ends

    @classmethod
    def of(cls, source: Source) -> TableRows:
        """The reader of a table, by its header.

        Raises:
            DataError: there is no header that names the ids.
        """
        delimiter = delimiter_of(first_line(source.head())) or ","
        for piece in row_pieces(source, delimiter):
            text = Text(source, piece.data, piece.line)
            for cells in records(text, delimiter):
                names = tuple(cell.text.strip() for cell in cells)
                return cls(source, delimiter, names, _document_column(text, names, cells), piece.stop)
        raise source.empty("documents")

    def pieces(self) -> Iterator[Piece]:
        """The rows below the header."""
        return (piece for piece in row_pieces(self.source, self.delimiter) if piece.start >= self.after)

    def read(self, piece: Piece) -> Document | None:
        """The document of a row."""
        if self.delimiter == "\t" or b'"' not in piece.data:
            try:
                cells = piece.data.decode().rstrip("\r\n").split(self.delimiter)
            except UnicodeDecodeError:
                cells = []
            if len(cells) == len(self.names) > 1 and cells[self.column]:
                return self._document(cells)
        placed = self.placed(piece)
        return None if placed is None else placed[:2]

    def placed(self, piece: Piece) -> Placed | None:
        """The document of a row and the place of its id."""
        text = Text(self.source, piece.data, piece.line)
        for cells in records(text, self.delimiter):
            refuse_width(text, self.names, cells)
            doc_id, at = cells[self.column]
            if not doc_id:
                raise text.error("no doc_id", at, "give each document an id of its own")
            return Placed(*self._document([cell.text for cell in cells]), text, at, len(doc_id))
        return None

    def _document(self, cells: Sequence[str]) -> Document:
        named = enumerate(zip(self.names, cells, strict=True))
        return cells[self.column], {name: cell for place, (name, cell) in named if place != self.column}


def placed_object(text: Text, key: Located | None, located: Located) -> Placed:
    """The document of a JSON object, whose id is `key` or a field of it.

    Raises:
        DataError: it is no object, or has no id that can be used.
    """
    fields = dict(fields_of(text, located))
    where = key or taken(text, located, fields, DOCUMENT_NAMES, "doc_id")
    doc_id = id_text(text, where, "doc_id")
    values = {name: value.value for name, value in fields.items()}
    return Placed(doc_id, values, text, where.at, where.end - where.at)


def repeated(placed: Placed, first: Placed) -> DataError:
    """The error for a document whose id an earlier one has."""
    return DataError(
        f"duplicate document {quoted(placed.doc_id)}: first at {first.place}",
        place=placed.place,
        fix="give each document an id of its own",
    )


@lru_cache(maxsize=1024)
def _id_name(names: tuple[str, ...]) -> str | None:
    column = first_named(names, DOCUMENT_NAMES)
    return None if column is None else names[column]


def _document_column(text: Text, names: Sequence[str], cells: Sequence[Cell]) -> int:
    column = first_named(names, DOCUMENT_NAMES)
    if column is None:
        raise text.error("the header names no column doc_id", cells[0].at, "call the column of the ids doc_id")
    return column
