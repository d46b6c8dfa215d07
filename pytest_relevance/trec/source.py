"""One input file: opened, unpacked, cut into blocks of whole lines, and quoted in errors."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from pytest_relevance.errors import DataError, Place, as_shown

BLOCK = 4 << 20  # bytes read at a time: fewer steps that hold the interpreter, still within a processor's cache
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """A file as the user named it; plain or gzip, told apart by its first bytes."""

    path: Path
    shown: str  # the path as the user gave it

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Source:
        """The source at `path`."""
        return cls(Path(path), os.fspath(path))

    @property
    def suffix(self) -> str:
        """The ending that tells the format: lower case, `.gz` taken off."""
        return Path(self._plain_name).suffix.lower()

    @property
    def stem(self) -> str:
        """The file's name without folder and endings: what a run or a judgment set is called."""
        return Path(self._plain_name).stem or self.path.name or "unnamed"

    @property
    def _plain_name(self) -> str:
        name = self.path.name
        return name[:-3] if name.lower().endswith(".gz") else name

    def place(self, line: int, column: int = 1, source: str = "", width: int = 1) -> Place:
        """A place in this file."""
        return Place(self.shown, line, column, source, width)

    def read(self) -> bytes:
        """The whole file, unpacked, without its byte order mark."""
        with self._opened() as file:
            return file.read().removeprefix(BYTE_ORDER_MARK)

    def head(self, size: int = 1 << 16) -> bytes:
        """The first bytes, unpacked, without the byte order mark; shorter than `size` only where the file is."""
        with self._opened() as file:
            return file.read(size).removeprefix(BYTE_ORDER_MARK)

    def parts(self, size: int = BLOCK) -> Iterator[bytes]:
        """The file in pieces of `size` bytes, cut anywhere."""
        with self.opened() as file:
            while part := file.read(size):
                yield part

    def lines(self, numbers: set[int]) -> dict[int, str]:
        """The text of some lines, counted from 1, for errors that come after reading."""
        found: dict[int, str] = {}
        with self._opened() as file:
            number = 0
            for feed_line in file:  # a carriage return alone ends a line too
                for line in (feed_line.removeprefix(BYTE_ORDER_MARK) if not number else feed_line).splitlines():
                    number += 1
                    if number in numbers:
                        found[number] = line.decode("utf-8", "backslashreplace")
                if number >= max(numbers, default=0):
                    break
        return found

    def error(self, problem: str, fix: str) -> DataError:
        """An error about the file as a whole."""
        return DataError(f"{as_shown(self.shown)}: {problem}", fix=fix)

    def empty(self, what: str) -> DataError:
        """The error for a file that holds nothing."""
        return DataError(
            f"the file holds no {what}", place=self.place(1), fix=f"check how {as_shown(self.shown)} was made"
        )

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, unpacked, after its byte order mark."""
        with self._opened() as file:
            if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
                file.seek(0)
            yield file

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self.path.open("rb") as raw:
                packed = raw.peek(2)[:2] == _GZIP
                if self.path.name.lower().endswith(".gz") and not packed and raw.peek(1):
                    raise self.error("is named .gz but is not a gzip file", "take the .gz off its name, or pack it")
                if packed:
                    with gzip.open(raw) as unpacked:
                        yield cast("BinaryIO", unpacked)
                else:
                    yield raw
        except FileNotFoundError:
            raise self.error("no such file", "check the path") from None
        except IsADirectoryError:
            raise self.error("is a folder, not a file", "name a file in it") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise self.error(f"the gzip data is broken ({problem})", "copy or pack the file again") from None
        except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
            reason = getattr(problem, "strerror", None) or str(problem)
            raise self.error(f"cannot be read ({reason})", "check the path and its permissions") from None
