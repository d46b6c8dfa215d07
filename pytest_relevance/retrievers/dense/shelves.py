"""What lies in a cache folder of stored vectors and indexes, and taking some of it away."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_relevance.retrievers.dense.store import DESCRIPTION, FILES

STORES = "vectors"  # folder of the cache: one folder a model and way of encoding
INDEXES = "indexes"  # files of faiss
_DAY = 86400.0


@dataclass(frozen=True)
class Stored:
    """Something kept between runs that can go on its own, such as one folder of vectors or one index."""

    path: Path  # a folder or a file
    what: str  # for people; of vectors the model and its kind, as its suite named it
    size: int  # bytes on disk
    unused_days: float  # since it was last opened
    description: Mapping[str, object] = field(default_factory=dict)  # of vectors: model, revision, prompts, dtype …
    beside: tuple[Path, ...] = ()  # small files that are of no use without it

    @classmethod
    def at(cls, path: Path, what: str, *, used: Path | None = None) -> Stored:
        """What stands at `path` now; the time of `used`, by default of `path`, tells when it was last opened."""
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        days = (time.time() - (used or path).stat().st_mtime) / _DAY
        return cls(path, what, sum(file.stat().st_size for file in files), max(0.0, days))


def list_store(cache: Path) -> tuple[Stored, ...]:
    """Vectors and approximate indexes under a cache folder, largest first; nothing where there is no such folder."""
    return tuple(sorted((*_vectors(cache), *_indexes(cache)), key=lambda stored: (-stored.size, stored.path)))


def prune_store(
    cache: Path, *, unused_days: float | None = None, keep_bytes: int | None = None, model: str | None = None
) -> tuple[Stored, ...]:
    """Delete what `expendable` names of it; gives what is gone. A retriever that is open keeps what it has open."""
    chosen = expendable(list_store(cache), unused_days=unused_days, keep_bytes=keep_bytes, model=model)
    return tuple(one for one in chosen if delete(one))


def expendable(
    stored: Iterable[Stored],
    *,
    unused_days: float | None = None,
    keep_bytes: int | None = None,
    model: str | None = None,
) -> tuple[Stored, ...]:
    """What was not used for so many days, or is of `model`; then the longest unused until `keep_bytes` are left.

    With no wish nothing is.
    """
    left = sorted(stored, key=lambda one: -one.unused_days)
    gone = [one for one in left if _unwanted(one, unused_days, model)]
    left = [one for one in left if not _unwanted(one, unused_days, model)]
    size = sum(one.size for one in left)
    for one in left:
        if keep_bytes is None or size <= keep_bytes:
            break
        gone.append(one)
        size -= one.size
    return tuple(gone)


def delete(stored: Stored) -> bool:
    """Delete it from the disk; whether it is gone."""
    if stored.path.is_dir():
        shutil.rmtree(stored.path, ignore_errors=True)
        return not stored.path.exists()
    try:
        for path in (stored.path, *stored.beside):
            path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _unwanted(stored: Stored, unused_days: float | None, model: str | None) -> bool:
    old = unused_days is not None and stored.unused_days >= unused_days
    return old or (model is not None and stored.description.get("model") == model)


def _vectors(cache: Path) -> Iterator[Stored]:
    for folder in sorted((cache / STORES).glob("*")):
        # Only what the store made: a folder of this name may be somebody's own.
        if not any((folder / name).is_file() for name in FILES):
            continue
        described = folder / DESCRIPTION
        try:
            description = json.loads(described.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # what a kill left at its very beginning
            description = {}
        what = f"{description.get('model', 'unknown')} ({description.get('kind', 'unknown')})"
        yield replace(
            Stored.at(folder, what, used=described if described.is_file() else folder), description=description
        )


def _indexes(cache: Path) -> Iterator[Stored]:
    for file in sorted((cache / INDEXES).glob("*.faiss")):
        told = file.with_suffix(".json")
        stored = Stored.at(file, "approximate index", used=told if told.is_file() else file)
        yield replace(stored, beside=(told,))
