"""What lies in a cache folder of stored vectors and indexes, and taking some of it away."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_relevance.retrievers.dense.store import DESCRIPTION

STORES = "vectors"  # folder of the cache: one folder a model and way of encoding
INDEXES = "indexes"  # files of faiss
_DAY = 86400.0


@dataclass(frozen=True)
class StoredModel:
    """One folder of vectors, or all approximate indexes together."""

    path: Path
    what: str  # the model and its kind, as its suite named it
    size: int  # bytes on disk
    unused_days: float  # since a retriever last opened it
    description: dict[str, object]  # revision, prompts, token limit, dtype …


def list_store(cache: Path) -> tuple[StoredModel, ...]:
    """What is stored under a cache folder, largest first; nothing where there is no such folder."""
    return tuple(sorted(_stored(cache), key=lambda stored: (-stored.size, stored.path)))


def prune_store(
    cache: Path, *, unused_days: float | None = None, keep_bytes: int | None = None, model: str | None = None
) -> tuple[StoredModel, ...]:
    """Delete what was not used for so many days, or is of `model`; then the longest unused until `keep_bytes` are left.

    Gives what was deleted; with no argument nothing is. A retriever that is open keeps what it has open.
    """
    left = list(list_store(cache))
    gone = [one for one in left if _unwanted(one, unused_days, model)]
    left = sorted((one for one in left if one not in gone), key=lambda one: -one.unused_days)
    while keep_bytes is not None and left and sum(one.size for one in left) > keep_bytes:
        gone.append(left.pop(0))
    for one in gone:
        shutil.rmtree(one.path, ignore_errors=True)
    return tuple(gone)


def _unwanted(stored: StoredModel, unused_days: float | None, model: str | None) -> bool:
    old = unused_days is not None and stored.unused_days >= unused_days
    return old or (model is not None and stored.description.get("model") == model)


def _stored(cache: Path) -> Iterator[StoredModel]:
    now = time.time()
    for folder in sorted((cache / STORES).glob("*")):
        described = folder / DESCRIPTION
        try:
            description = json.loads(described.read_text(encoding="utf-8"))
            used = described.stat().st_mtime
        except (OSError, ValueError):  # what a kill left at its very beginning
            description, used = {}, folder.stat().st_mtime
        what = f"{description.get('model', 'unknown')} ({description.get('kind', 'unknown')})"
        yield StoredModel(folder, what, _size(folder), (now - used) / _DAY, description)
    indexes = cache / INDEXES
    if indexes.is_dir() and any(indexes.iterdir()):
        used = max(file.stat().st_mtime for file in indexes.iterdir())
        yield StoredModel(indexes, "approximate indexes", _size(indexes), (now - used) / _DAY, {})


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
