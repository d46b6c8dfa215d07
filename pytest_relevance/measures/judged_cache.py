"""Judged rows kept on disk, so that unchanged files are evaluated again without being read."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pytest_relevance.records.ranked import RankedGrades

_VERSION = 1  # of the file's content and of the rules of order; another number is another file
_SETTLED = 2.0  # seconds: a file changed later than this before writing may change again within one clock tick
_MOST_BYTES = 2 << 30
_SUFFIX = ".judged"
_CHECK = 4  # bytes of checksum at the end
_COLUMNS = ("retrieved", "in_run", "counts", "ranks", "grades", "judged_counts", "judged_grades")


@dataclass(frozen=True)
class JudgedRows:
    """What an evaluation needs of a run file and a qrels file."""

    ranked: RankedGrades
    run: str  # the names
    qrels: str
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]
    failures: Mapping[str, str]  # queries that did not run, and why
    max_grade: float


@dataclass(frozen=True)
class JudgedCache:
    """One folder of judged rows. Nothing here ever fails an evaluation: what is off in any way is computed anew."""

    folder: Path

    @classmethod
    def default(cls) -> JudgedCache:
        """In the user's cache folder, or under $PYTEST_RELEVANCE_CACHE."""
        chosen = os.environ.get("PYTEST_RELEVANCE_CACHE")
        if chosen:
            return cls(Path(chosen) / "judged")
        from platformdirs import user_cache_path

        return cls(user_cache_path("pytest-relevance") / "judged")

    def find(self, key: str | None) -> JudgedRows | None:
        """The rows kept under `key`, or None where there are none to trust."""
        if key is None:
            return None
        path = self.path_of(key)
        try:
            rows = _unpacked(_columns(path.read_bytes()), key)
            os.utime(path)
        except (OSError, ValueError, KeyError, TypeError, EOFError):
            return None
        return rows

    def keep(self, key: str | None, rows: JudgedRows) -> None:
        """Keep the rows, then drop those not used for longest until the folder is small enough."""
        if key is None:
            return
        from pytest_relevance.trec.write import write_whole  # with all readers: not for those who only find

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.path_of(key), _content(_packed(rows, key)))
            self._shrink()
        except OSError:
            return

    def path_of(self, key: str) -> Path:
        """Where the rows of `key` are kept."""
        # The file holds the whole key, so two keys of one name only displace each other.
        text = key.encode("utf-8", "surrogatepass")
        return self.folder / f"{zlib.crc32(text):08x}{zlib.adler32(text):08x}{_SUFFIX}"

    def _shrink(self) -> None:
        found = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self.folder.glob(f"*{_SUFFIX}"))
        total = sum(size for _, size, _ in found)
        for _, size, path in found:
            if total <= _MOST_BYTES:
                break
            path.unlink(missing_ok=True)
            total -= size


def key_of(paths: list[Path], *settings: str) -> str | None:
    """The identity of files by path, size, time of change and inode; None where they cannot be told apart safely.

    A file changed in the last two seconds could be changed again without a new time, so it has no key yet.
    """
    parts: list[object] = [_VERSION, *settings]
    try:
        for path in paths:
            status = path.stat()
            if not path.is_file() or time.time() - status.st_mtime < _SETTLED:
                return None
            parts.append((str(path.resolve()), status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev))
    except (OSError, ValueError):
        return None
    return repr(parts)


def _content(columns: dict[str, Any]) -> bytes:
    """Columns one after the other in numpy's own format, and a checksum: read back several times faster than a zip."""
    buffer = BytesIO()
    for name in ("about", *_COLUMNS):
        np.save(buffer, columns[name], allow_pickle=False)
    data = buffer.getvalue()
    return data + zlib.crc32(data).to_bytes(_CHECK, "little")


def _columns(content: bytes) -> dict[str, Any]:
    data = memoryview(content)[:-_CHECK]
    if zlib.crc32(data) != int.from_bytes(content[-_CHECK:], "little") or not len(data):
        raise ValueError("not what was kept")
    buffer = BytesIO(data)
    return {name: np.load(buffer, allow_pickle=False) for name in ("about", *_COLUMNS)}


def _packed(rows: JudgedRows, key: str) -> dict[str, Any]:
    ranked = rows.ranked
    about = {
        "key": key,
        "run": rows.run,
        "qrels": rows.qrels,
        "notes": rows.notes,
        "unjudged": rows.unjudged,
        "failures": dict(rows.failures),
        "max_grade": rows.max_grade,
        "query_ids": ranked.query_ids,
    }
    return {
        "about": np.frombuffer(json.dumps(about).encode("ascii"), dtype=np.uint8),
        "retrieved": _small(ranked.retrieved),
        "in_run": ranked.in_run,
        "counts": _small(np.diff(ranked.offsets)),
        "ranks": _small(ranked.ranks),
        "grades": _small(ranked.grades),
        "judged_counts": _small(np.diff(ranked.judged_offsets)),
        "judged_grades": _small(ranked.judged_grades),
    }


def _unpacked(kept: dict[str, Any], key: str) -> JudgedRows:
    about = json.loads(kept["about"].tobytes())
    ranked = RankedGrades(
        tuple(about["query_ids"]),
        kept["retrieved"].astype(np.int64),
        kept["in_run"].astype(np.bool_),
        _offsets(kept["counts"]),
        kept["ranks"].astype(np.int64),
        kept["grades"].astype(np.float64),
        _offsets(kept["judged_counts"]),
        kept["judged_grades"].astype(np.float64),
    )
    queries = len(ranked.query_ids)
    whole = (
        about["key"] == key
        and len(ranked.retrieved) == len(ranked.in_run) == len(ranked.offsets) - 1 == queries
        and len(ranked.ranks) == len(ranked.grades) == ranked.offsets[-1]
        and len(ranked.judged_offsets) - 1 == queries
        and len(ranked.judged_grades) == ranked.judged_offsets[-1]
    )
    if not whole:
        raise ValueError("not what was kept")
    return JudgedRows(
        ranked,
        about["run"],
        about["qrels"],
        tuple(about["notes"]),
        tuple(about["unjudged"]),
        about["failures"],
        about["max_grade"],
    )


def _small(column: Any) -> Any:
    """The same numbers in the narrowest type that holds each of them exactly."""
    for kind in (np.int8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if not len(column) or (column.min() >= limits.min and column.max() <= limits.max):
            narrow = column.astype(kind)
            if (narrow == column).all() and not np.signbit(column[column == 0]).any():
                return narrow
    return column


def _offsets(counts: Any) -> Any:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
