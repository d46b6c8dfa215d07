"""Documents that stay in a text file: read at the places where they were found, as long as the file is the same."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

import numpy as np

from pytest_relevance.records import Ids, StoredDocuments
from pytest_relevance.records.corpus import Fields
from pytest_relevance.records.ids import Integers
from pytest_relevance.trec.documents import DocumentReader
from pytest_relevance.trec.pieces import Piece
from pytest_relevance.trec.source import BYTE_ORDER_MARK, Source

_AT_ONCE = 1 << 20  # bytes read together where documents stand side by side
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Version:
    """What tells a file from what it becomes when somebody writes to it or puts another in its place."""

    told: tuple[int, ...]

    @classmethod
    def of(cls, source: Source) -> Version:
        """The file as it is now; of one that is not there, nothing: whoever reads it says so."""
        try:
            stat = source.path.stat()
        except (OSError, ValueError):
            return cls(())
        return cls((stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns))

    def refuse_another(self, source: Source) -> None:
        """See that the file is still this one.

        Raises:
            DataError: it is not.
        """
        if Version.of(source) != self:
            raise source.error("changed while it was in use", "run again, and leave the corpus alone meanwhile")


class TextDocuments(StoredDocuments):
    """Records of a file, from where each begins (bytes, unpacked, without byte order mark) to where it ends.

    Going through all of a `.gz` file unpacks it on the way. For single documents it is unpacked once, into a file of
    the system's temporary folder that is gone with this object.
    """

    def __init__(
        self,
        reader: DocumentReader,
        version: Version,
        doc_ids: Ids,
        starts: Integers,
        stops: Integers,
        field_names: tuple[str, ...],
    ) -> None:
        """Shapes: doc_ids, starts and stops (documents,)."""
        self.doc_ids = doc_ids
        self.field_names = field_names
        self._reader = reader
        self._version = version
        self._starts, self._stops = starts, stops
        self._unpacked: IO[bytes] | None = None

    def read(self, places: Integers) -> Iterator[Fields]:
        """The documents at these places, a megabyte or one document in memory at a time."""
        starts, stops = self._starts[places], self._stops[places]
        with self._opened(whole=len(places) == len(self)) as (file, before):
            for first, last in _runs(starts, stops):
                begin = int(starts[first])
                file.seek(before + begin)
                data = file.read(int(stops[last - 1]) - begin)
                bounds = zip((starts[first:last] - begin).tolist(), (stops[first:last] - begin).tolist(), strict=True)
                for start, stop in bounds:
                    yield self._fields(data[start:stop])

    def _fields(self, data: bytes) -> Fields:
        document = self._reader.read(Piece(0, 1, data))
        assert document is not None  # it was one when it was found, and the file is the same
        return document[1]

    @contextmanager
    def _opened(self, *, whole: bool) -> Iterator[tuple[IO[bytes], int]]:
        """The file to read in, and how many bytes stand in it before the first that is counted."""
        source = self._reader.source
        self._version.refuse_another(source)
        try:
            with source.path.open("rb") as raw:
                packed = raw.peek(2)[:2] == _GZIP
                if packed and whole:
                    with gzip.open(raw) as file:
                        unpacking = cast("IO[bytes]", file)
                        yield unpacking, _before(unpacking)
                else:
                    plain = self._unpack(raw) if packed else raw
                    plain.seek(0)
                    yield plain, _before(plain)
        except (OSError, EOFError, zlib.error) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise source.error(f"cannot be read any more ({reason})", "check the file and its disk") from problem

    def _unpack(self, raw: BinaryIO) -> IO[bytes]:
        """The unpacked file, made at the first call."""
        if self._unpacked is None:
            try:
                unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - closed when this object goes
                weakref.finalize(self, unpacked.close)
                with gzip.open(raw) as file:
                    shutil.copyfileobj(file, unpacked, _AT_ONCE)
            except OSError as problem:
                where = tempfile.gettempdir()
                raise self._reader.source.error(
                    f"cannot be unpacked into {where} ({problem.strerror or problem})",
                    "make room there, name another folder in TMPDIR, or unpack the file and name that one",
                ) from problem
            self._unpacked = unpacked
        return self._unpacked


def _before(file: IO[bytes]) -> int:
    return len(BYTE_ORDER_MARK) if file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0


def _runs(starts: Integers, stops: Integers) -> Iterator[tuple[int, int]]:
    """Which documents are read together, from each first one to before the last."""
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(stops, starts[first] + _AT_ONCE, side="right")))
        yield first, last
        first = last
