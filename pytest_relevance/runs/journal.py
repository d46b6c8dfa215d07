"""Journal: answers appended as they come, one line each, so that a process killed at any point has lost none."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

ENDING = ".journal"


class Journal:
    """A file that one writer appends to. Its lock tells others that the writer lives."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.{secrets.token_hex(6)}{ENDING}"
        self._lock = _lock(self.path)
        self._lock.acquire()
        # Unbuffered: what is written is with the system, and outlives us.
        self._file = self.path.open("ab", buffering=0)

    def append(self, line: str) -> None:
        """Add a line, in one write."""
        self._file.write(f"{line}\n".encode())

    def remove(self) -> None:
        """Close it and take it away, once what it holds stands elsewhere."""
        self._file.close()
        self.path.unlink(missing_ok=True)
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()
        self._release()

    def _release(self) -> None:
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a journal or a store; a last line that a kill cut short is not one."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    for line in content.splitlines(keepends=True):
        if line.endswith(b"\n"):
            try:
                yield json.loads(line)
            except ValueError:
                continue  # a line that another process was cut off in, before this one went on behind it


def left_behind(folder: Path, name: str) -> Iterator[Path]:
    """Journals whose writer is gone. Each is locked while the caller has it."""
    for path in sorted(folder.glob(f"{name}.*{ENDING}")):
        if path.name.count(".") != name.count(".") + 2:
            continue  # of a longer name that begins like this one
        lock = _lock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            yield path
        finally:
            lock.release()
            if not path.exists():
                Path(lock.lock_file).unlink(missing_ok=True)


def drop_lost_locks(folder: Path, name: str) -> None:
    """Take away locks whose journal is gone: of writers killed between the two. No journal may be opened meanwhile."""
    for lock in folder.glob(f"{name}.*{ENDING}.lock"):
        if not lock.with_suffix("").exists():
            lock.unlink(missing_ok=True)


def _lock(path: Path) -> FileLock:
    return FileLock(f"{os.fspath(path)}.lock")
