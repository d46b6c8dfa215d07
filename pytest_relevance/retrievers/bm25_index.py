"""The BM25 index of a corpus: built by bm25s, searched with ties in order, kept on disk by content."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from pytest_relevance.records import Ids
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.bm25_library import bm25s
from pytest_relevance.retrievers.bm25_options import Bm25Options
from pytest_relevance.retrievers.bm25_tokens import Terms
from pytest_relevance.retrievers.protocol import HitColumns

FOLDER = "bm25"  # of the cache: one folder an index
MANIFEST = "manifest.json"  # file name → checksum; written last
_TIE_ORDER = "tie_order.npy"


@dataclass(frozen=True)
class Bm25Index:
    """A searchable corpus."""

    library: Any  # bm25s.BM25; None where no document has a term
    terms: tuple[str, ...]  # by number
    tie_order: Integers  # (documents,): the higher, the earlier among equal scores

    def search(self, numbers: Sequence[int], doc_ids: Ids, *, depth: int) -> HitColumns:
        """The best `depth` documents that hold one of these terms and score above 0.

        A term that stands twice counts twice. All documents with the last score that fits take part in the tie rule
        before the cut, so that which of them is kept does not depend on their place in the corpus.
        """
        if self.library is None or not numbers:
            return HitColumns(doc_ids, np.zeros(0, dtype=np.int64), np.zeros(0))
        scores = self.library.get_scores_from_ids(numbers)
        found = np.flatnonzero(self._holding(numbers) & (scores > 0))
        values = scores[found]
        if len(found) > depth:
            last = np.partition(values, len(values) - depth)[len(values) - depth]
            found, values = found[values >= last], values[values >= last]
        order = np.lexsort((-self.tie_order[found], -values))[:depth]
        return HitColumns(doc_ids, found[order], values[order].astype(np.float64))

    def _holding(self, numbers: Sequence[int]) -> Any:
        """Whether each document holds one of the terms: bm25+ and bm25l score those too that hold none."""
        index = self.library.scores
        holds = np.zeros(index["num_docs"], dtype=np.bool_)
        for number in set(numbers):
            holds[index["indices"][index["indptr"][number] : index["indptr"][number + 1]]] = True
        return holds


def build_index(texts: Iterable[str], doc_ids: Ids, terms: Terms, options: Bm25Options) -> Bm25Index:
    """Index the texts, one a document, in the order of `doc_ids`."""
    documents = [terms.add(text) for text in texts]
    tie_order = doc_ids.sort_ranks(np.arange(len(doc_ids)))
    if not terms.numbers:
        return Bm25Index(None, (), tie_order)
    library = bm25s().BM25(k1=options.k1, b=options.b, delta=options.delta, method=options.method, backend="numpy")
    library.index((documents, terms.numbers), create_empty_token=False, show_progress=False)
    return Bm25Index(library, tuple(terms.numbers), tie_order)


def kept_index(folder: Path, make: Callable[[], Bm25Index]) -> Bm25Index:
    """The index in `folder`, or a new one that is then kept there.

    Two processes at once make it once: the second waits for the first. What a killed process left, or what was
    damaged since, is made anew.
    """
    lock = FileLock(folder.with_name(f"{folder.name}.lock"))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError:  # a folder that cannot be written to: slower, and as right
        return make()
    try:
        index = _load(folder)
        if index is None:
            index = make()
            with suppress(OSError):  # a full disk
                _save(index, folder)
        return index
    finally:
        lock.release()


def _save(index: Bm25Index, folder: Path) -> None:
    if index.library is None:  # nothing to keep
        return
    shutil.rmtree(folder, ignore_errors=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        index.library.save(unfinished)
        np.save(unfinished / _TIE_ORDER, index.tie_order)
        checksums = {path.name: _checksum(path) for path in sorted(unfinished.iterdir())}
        (unfinished / MANIFEST).write_text(json.dumps(checksums), encoding="utf-8")
        unfinished.replace(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _load(folder: Path) -> Bm25Index | None:
    try:
        checksums = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if any(_checksum(folder / name) != checksum for name, checksum in checksums.items()):
            return None
        library = bm25s().BM25.load(folder, mmap=True)
        tie_order = np.load(folder / _TIE_ORDER)
    except (OSError, ValueError, AttributeError):  # not there, or not what we wrote
        return None
    with suppress(OSError):
        os.utime(folder / MANIFEST)  # its time is when the index was last used
    return Bm25Index(library, tuple(library.vocab_dict), tie_order)


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum
