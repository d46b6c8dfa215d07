"""A corpus from a file of records: every one is looked at once; few are kept, and of many only where they stand."""

from __future__ import annotations

from array import array

import numpy as np

from pytest_relevance.errors import MOST_PROBLEMS, DataError, ProblemList
from pytest_relevance.records import Corpus, Ids
from pytest_relevance.records.ids import Integers
from pytest_relevance.trec.documents import DocumentReader, Placed, repeated
from pytest_relevance.trec.pieces import Piece
from pytest_relevance.trec.repeats import Repeat, Repeats
from pytest_relevance.trec.stored import TextDocuments, Version

IN_MEMORY = 1 << 26  # bytes of text up to which documents are kept, for reading them again takes longer
_AT_ONCE = 1 << 16  # ids packed together


def text_corpus(reader: DocumentReader, repeats: Repeats | None = None) -> Corpus:
    """The documents of a file. Given `repeats`, an id's first document is kept and the others go there.

    Raises:
        DataError: there are none, or some are wrong or have an id that another has (up to ten named).
    """
    version = Version.of(reader.source)
    problems = ProblemList()
    found = _Found()
    for piece in reader.pieces():
        try:
            document = reader.read(piece)
        except DataError as problem:
            problems.add(problem)
        else:
            if document is not None:
                found.add(piece, *document)
    doc_ids, codes = found.doc_ids.distinct()
    first = codes if len(doc_ids) == len(codes) else np.unique(codes, return_index=True)[1]
    more = 0
    if len(first) < len(codes):
        again = np.setdiff1d(np.arange(len(codes)), first)
        shown = again if repeats is not None else again[:MOST_PROBLEMS]
        more = len(again) - len(shown)
        _tell(found.placed(reader, shown), found.placed(reader, first[codes[shown]]), problems, repeats)
    problems.raise_any(total=len(problems) + more)
    if not len(doc_ids):
        raise reader.source.empty("documents")
    if found.kept is not None:
        return Corpus(found.kept)
    return Corpus(TextDocuments(reader, version, doc_ids, found.starts[first], found.stops[first], tuple(found.names)))


class _Found:
    """What was found so far: the documents while they are few, and always where they stand."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, object]] | None = {}
        self.names: dict[str, None] = {}  # of the fields, in order of first appearance
        self._ids: list[str] = []
        self._packed: list[Ids] = []
        self._starts, self._stops = array("q"), array("q")

    def add(self, piece: Piece, doc_id: str, fields: dict[str, object]) -> None:
        """One more document."""
        self._starts.append(piece.start)
        self._stops.append(piece.stop)
        self._ids.append(doc_id)
        if len(self._ids) == _AT_ONCE:
            self._packed.append(Ids.of(self._ids))
            self._ids = []
        if not fields.keys() <= self.names.keys():
            self.names.update(dict.fromkeys(fields))
        if piece.stop > IN_MEMORY:
            self.kept = None
        elif self.kept is not None:
            self.kept.setdefault(doc_id, fields)

    @property
    def doc_ids(self) -> Ids:
        """The id of each document, repeats and all."""
        return Ids.joined([*self._packed, Ids.of(self._ids)])

    @property
    def starts(self) -> Integers:
        """Where each begins; shape (documents,)."""
        return np.frombuffer(self._starts, dtype=np.int64)

    @property
    def stops(self) -> Integers:
        """Where each ends; shape (documents,)."""
        return np.frombuffer(self._stops, dtype=np.int64)

    def placed(self, reader: DocumentReader, documents: Integers) -> list[Placed]:
        """Some of them once more, with their places."""
        wanted = self.starts[documents].tolist()
        those = set(wanted)
        found = {piece.start: reader.placed(piece) for piece in reader.pieces() if piece.start in those}
        return [placed for start in wanted if (placed := found[start]) is not None]


def _tell(again: list[Placed], first: list[Placed], problems: ProblemList, repeats: Repeats | None) -> None:
    """Of each document whose id stood before, as a problem or as a repeat."""
    for placed, before in zip(again, first, strict=True):
        if repeats is None:
            problems.add(repeated(placed, before))
        else:
            repeats.append(Repeat(placed.doc_id, placed.fields == before.fields, placed.place, before.place))
