"""The store: what a model made of each text, in one file that only grows, found again by a hash of the text.

Two files in a folder. `rows` holds the numbers, row after row. `journal` tells, a block a commit, how many rows a
commit added and, for each, the key, the length in bytes and whether the text was cut; with checksums of both. A commit
writes its rows, makes them safe on disk, and only then its block, so what a killed process leaves is at most rows that
nothing tells of, and the next writer writes over them.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records.columns import Truths
from pytest_relevance.records.ids import Integers

Keys = npt.NDArray[np.uint64]  # (texts, 2): 128 bits of a hash

DESCRIPTION = "description.json"  # what the rows were made by, for people and for `list_store`
FILES = _ROWS, _JOURNAL = "rows", "journal"
_BLOCK = np.dtype([("mark", "S4"), ("rows", "<u4"), ("bytes", "<u8"), ("of_rows", "<u4"), ("of_entries", "<u4")])
_ENTRY = np.dtype([("key", "<u8", (2,)), ("bytes", "<u4"), ("cut", "<u4")])
_MARK = b"rel1"
_READ_AT_ONCE = 1 << 24  # bytes checked at a time


def key_of(*parts: str) -> bytes:
    """The key of a text and what stands before it; 16 bytes. Parts are told apart by their lengths."""
    digest = blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.digest()


class VectorStore:
    """Rows by key. Many processes may read and write one folder; each sees what was committed when it last looked."""

    def __init__(self, folder: Path, description: Mapping[str, object], dtype: str) -> None:
        """Open the folder, made if need be.

        Raises:
            OSError: the folder cannot be made or written to.
        """
        self.folder = folder
        self.dtype = np.dtype(dtype)
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "lock")
        with self._lock:
            for name in FILES:
                (folder / name).touch()
            described = folder / DESCRIPTION
            if not described.exists():
                described.write_text(json.dumps(dict(description), indent=2), encoding="utf-8")
            described.touch()  # its time is when the store was last used
            # Held open, so that a prune in between takes nothing away from us.
            # Without buffers of our own, for they would show what others wrote as it was.
            self._rows = (folder / _ROWS).open("r+b", buffering=0)
            self._journal = (folder / _JOURNAL).open("r+b", buffering=0)
        self._read_to = 0  # bytes of the journal that are known
        self.offsets: Integers = np.zeros(1, dtype=np.int64)  # (rows + 1): where each row's bytes begin
        self._keys: Keys = np.zeros((0, 2), dtype=np.uint64)
        self._cut: Truths = np.zeros(0, dtype=np.bool_)
        self._order: Integers | None = None
        self.refresh()

    def close(self) -> None:
        """Let go of the files."""
        self._rows.close()
        self._journal.close()

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def size(self) -> int:
        """Bytes of all rows."""
        return int(self.offsets[-1])

    def refresh(self) -> None:
        """Learn of what was committed since. What is damaged, and what came after it, is not there any more."""
        self._journal.seek(self._read_to)
        added: list[npt.NDArray[Any]] = []
        end = self.size
        while (block := self._next_block()) is not None:
            header, entries = block
            if not self._checks(end, int(header["bytes"]), int(header["of_rows"])):
                break
            end += int(header["bytes"])
            self._read_to = self._journal.tell()
            added.append(entries)
        if added:
            self._learn(np.concatenate(added))

    def find(self, keys: Keys) -> Integers:
        """The row of each key, or -1; shape (keys,)."""
        found = np.full(len(keys), -1, dtype=np.int64)
        if not len(self._keys) or not len(keys):
            return found
        if self._order is None:
            self._order = np.lexsort((self._keys[:, 1], self._keys[:, 0]))
        first = self._keys[self._order, 0]
        spot = np.searchsorted(first, keys[:, 0])
        open_ = np.arange(len(keys))
        while len(open_):  # once round, but for hashes that agree in half of their bits
            here = spot[open_]
            open_ = open_[(here < len(first)) & (first[np.minimum(here, len(first) - 1)] == keys[open_, 0])]
            rows = self._order[spot[open_]]
            same = self._keys[rows, 1] == keys[open_, 1]
            found[open_[same]] = rows[same]
            open_ = open_[~same]
            spot[open_] += 1
        return found

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only one who writes: others wait. The system ends the wait if this process dies."""
        with self._lock:
            self.refresh()
            yield

    def append(self, keys: Sequence[bytes], rows: Sequence[npt.NDArray[Any]], cut: Truths) -> None:
        """Add rows, all or none of them; only while `writing`.

        Raises:
            OSError: the disk is full, or gone.
        """
        payload = [np.ascontiguousarray(row, dtype=self.dtype).tobytes() for row in rows]
        entries = np.zeros(len(keys), dtype=_ENTRY)
        entries["key"] = np.frombuffer(b"".join(keys), dtype="<u8").reshape(-1, 2)
        entries["bytes"] = [len(one) for one in payload]
        entries["cut"] = cut
        whole = b"".join(payload)
        header = np.array(
            [(_MARK, len(entries), len(whole), zlib.crc32(whole), zlib.crc32(entries.tobytes()))], dtype=_BLOCK
        )
        _write_at(self._rows, self.size, whole)
        _write_at(self._journal, self._read_to, header.tobytes() + entries.tobytes())
        self._read_to = self._journal.tell()
        self._learn(entries)

    def cut(self, rows: Integers) -> Truths:
        """Whether the text of each row was longer than the model reads."""
        return self._cut[rows]

    def values(self, first: int, last: int) -> npt.NDArray[Any]:
        """The numbers of rows `first` to `last` (not included) end to end, mapped from the file; shape (numbers,)."""
        start, stop = int(self.offsets[first]), int(self.offsets[last])
        if start == stop:
            return np.zeros(0, dtype=self.dtype)
        count = (stop - start) // self.dtype.itemsize
        return np.memmap(self._rows, dtype=self.dtype, mode="r", offset=start, shape=(count,))

    def pieces(self, rows: Integers) -> list[npt.NDArray[Any]]:
        """The numbers of each of some rows, mapped from the file."""
        if not len(rows):
            return []
        first = int(rows.min())
        values = self.values(first, int(rows.max()) + 1)
        bounds = (self.offsets - self.offsets[first]) // self.dtype.itemsize
        return [values[bounds[row] : bounds[row + 1]] for row in rows]

    def _learn(self, entries: npt.NDArray[Any]) -> None:
        ends = self.offsets[-1] + np.cumsum(entries["bytes"].astype(np.int64))
        self.offsets = np.concatenate((self.offsets, ends))
        self._keys = np.concatenate((self._keys, entries["key"].astype(np.uint64)))
        self._cut = np.concatenate((self._cut, entries["cut"] != 0))
        self._order = None

    def _next_block(self) -> tuple[Any, npt.NDArray[Any]] | None:
        """The next whole block of the journal, or None where it ends or is not as it was written."""
        raw = _read(self._journal, _BLOCK.itemsize)
        if len(raw) < _BLOCK.itemsize:
            return None
        header = np.frombuffer(raw, dtype=_BLOCK)[0]
        if header["mark"] != _MARK:
            return None
        entries = _read(self._journal, int(header["rows"]) * _ENTRY.itemsize)
        whole = len(entries) == int(header["rows"]) * _ENTRY.itemsize and zlib.crc32(entries) == header["of_entries"]
        return (header, np.frombuffer(entries, dtype=_ENTRY)) if whole else None

    def _checks(self, start: int, length: int, expected: int) -> bool:
        checksum = 0
        self._rows.seek(start)
        while length > 0:
            part = _read(self._rows, min(length, _READ_AT_ONCE))
            if not part:
                return False
            checksum = zlib.crc32(part, checksum)
            length -= len(part)
        return checksum == expected


def open_store(folder: Path, description: Mapping[str, object], dtype: str, *, width: int | None = None) -> VectorStore:
    """The store in `folder`; `width` is the numbers a row has, where all have as many.

    Raises:
        OSError: the folder cannot be used.
        RetrieverError: its rows have another width: the model changed, and what tells it from others did not.
    """
    store = VectorStore(folder, description, dtype)
    there = np.unique(np.diff(store.offsets)) // store.dtype.itemsize
    if width is not None and len(there) and there.tolist() != [width]:
        store.close()
        raise RetrieverError(
            f"the vectors stored in {folder} have {there.tolist()[0]} numbers, and the model now gives {width}",
            fix=f"delete that folder; all texts are then encoded anew ({len(store)} vectors)",
        )
    return store


def _read(file: FileIO, count: int) -> bytes:
    """So many bytes, or fewer where the file ends."""
    parts: list[bytes] = []
    while count > 0 and (part := file.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _write_at(file: FileIO, position: int, content: bytes) -> None:
    file.seek(position)
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    file.truncate()  # what a killed process left behind it
    os.fsync(file.fileno())
