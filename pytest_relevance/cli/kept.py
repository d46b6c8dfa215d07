"""What the cache folders hold: vectors, indexes, judged rows and findings, each with its size and its last use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pytest_relevance.retrievers.bm25_index import FOLDER, MANIFEST
from pytest_relevance.retrievers.dense import Stored, list_store


def kept_in(cache: Path) -> tuple[Stored, ...]:
    """Everything under a cache folder that is ours, largest first; nothing where there is no such folder."""
    found = [*list_store(cache), *_bm25(cache), *_files(cache)]
    return tuple(sorted(found, key=lambda stored: (-stored.size, stored.path)))


def _bm25(cache: Path) -> Iterator[Stored]:
    for folder in sorted((cache / FOLDER).glob("*")):
        with suppress(OSError):  # gone since
            if (folder / MANIFEST).is_file():
                yield Stored.at(folder, "BM25 index", used=folder / MANIFEST)


def _files(cache: Path) -> Iterator[Stored]:
    for folder, pattern, what in (
        ("judged", "*.judged", "judged rows of run files"),
        ("preflight", "*.json", "findings of the pre-flight"),
    ):
        for file in sorted((cache / folder).glob(pattern)):
            with suppress(OSError):
                yield Stored.at(file, what)
