"""From texts to rows of the store: only what is not there is encoded, in pieces that a kill cannot undo."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from pytest_relevance.records.columns import Truths
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Role, Spent, TextEncoder, finite_rows
from pytest_relevance.retrievers.dense.store import Keys, VectorStore, key_of

EMPTY = -1  # the row of a text of blanks only: nothing is encoded for it
UNUSABLE = -2  # the row of a text for which the model gave numbers that are not finite

_CHUNK_TEXTS = 8192  # texts held in memory at a time …
_CHUNK_CHARACTERS = 1 << 25  # … unless so many characters come first
_PIECE_BATCHES = 8  # batches encoded between two commits

Progress = Callable[[int], None]  # texts done


@dataclass(frozen=True)
class Filling:
    """Fills the store with what one model makes of texts."""

    store: VectorStore
    encoder: TextEncoder
    batch_size: int
    spent: Spent

    def rows(self, texts: Iterable[str], role: Role, progress: Progress | None = None) -> Integers:
        """The row of each text, or EMPTY, or UNUSABLE; shape (texts,).

        Texts are held in memory a chunk at a time. Chunks and the order of encoding within them depend on the texts
        alone, so a run that was killed and begun again makes the same batches, and the same numbers.
        """
        found: list[Integers] = []
        for chunk in chunks(texts):
            before = sum(map(len, found))
            found.append(self._chunk(chunk, role, partial(_say, progress, before)))
            _say(progress, before, len(chunk))
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _chunk(self, texts: Sequence[str], role: Role, progress: Progress) -> Integers:
        prompt = self.encoder.prompt(role)
        named = [key_of(role, prompt, text) if text.strip() else b"" for text in texts]
        asked = np.flatnonzero([bool(key) for key in named])
        keys: Keys = np.frombuffer(b"".join(named), dtype="<u8").reshape(-1, 2)
        found = self.store.find(keys)
        if (found < 0).any():
            with self.store.writing():
                self._encode_missing(texts, named, asked[self.store.find(keys) < 0], role, progress)
                found = self.store.find(keys)
        rows = np.full(len(texts), EMPTY, dtype=np.int64)
        rows[asked] = np.where(found < 0, UNUSABLE, found)
        return rows

    def _encode_missing(
        self, texts: Sequence[str], named: Sequence[bytes], places: Integers, role: Role, progress: Progress
    ) -> None:
        distinct = {named[place]: int(place) for place in reversed(places)}
        # Long ones first, as batches of texts of like length waste least; then by place, so that the order is fixed.
        order = sorted(distinct.values(), key=lambda place: (-len(texts[place]), place))
        size = self.batch_size * _PIECE_BATCHES
        for first in range(0, len(order), size):
            progress(len(texts) - len(order) + first)  # what is stored is done; so the rate told is that of encoding
            self._encode_piece([(named[place], texts[place]) for place in order[first : first + size]], role)

    def _encode_piece(self, piece: Sequence[tuple[bytes, str]], role: Role) -> None:
        texts = [text for _, text in piece]
        began = time.perf_counter()
        vectors: list[npt.NDArray[np.generic]] = self.encoder.encode(texts, role)
        self.spent.seconds += time.perf_counter() - began
        self.spent.texts[role] += len(texts)
        cut = self.encoder.cut(texts, role)
        usable = np.flatnonzero(self._usable(vectors)).tolist()
        self.store.append([piece[at][0] for at in usable], [vectors[at] for at in usable], cut[usable])

    def _usable(self, vectors: Sequence[npt.NDArray[np.generic]]) -> Truths:
        # A number that float16 cannot hold is as little use as one that is none.
        with np.errstate(over="ignore"):
            return finite_rows([np.asarray(vector).astype(self.store.dtype) for vector in vectors])


def _say(progress: Progress | None, before: int, done: int) -> None:
    if progress:
        progress(before + done)


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in order, in lists that fit in memory."""
    chunk: list[str] = []
    characters = 0
    for text in texts:
        chunk.append(text)
        characters += len(text)
        if len(chunk) >= _CHUNK_TEXTS or characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk
