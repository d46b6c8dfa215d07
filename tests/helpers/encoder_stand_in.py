"""An encoder without a model, for tests of what is around encoders: a text's numbers follow from its letters."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_relevance.records.columns import Truths
from pytest_relevance.retrievers.dense.encoder import Role, Spent
from pytest_relevance.retrievers.dense.filling import Filling
from pytest_relevance.retrievers.dense.store import VectorStore, open_store

WIDTH = 8


class LetterEncoder:
    """Counts the texts it is given. What a text becomes depends on its batch a little, as with real models."""

    def __init__(self, *, width: int = WIDTH, longest: int = 1000) -> None:
        self.width = width
        self.longest = longest
        self.encoded: list[str] = []

    def prompt(self, role: Role) -> str:
        return f"{role}: "

    def encode(self, texts: Sequence[str], role: Role) -> list[npt.NDArray[Any]]:  # noqa: ARG002 - the protocol's
        self.encoded.extend(texts)
        return [vector_of(text, self.width) + np.float32(len(texts) * 1e-6) for text in texts]

    def cut(self, texts: Sequence[str], role: Role) -> Truths:  # noqa: ARG002 - the protocol's
        return np.array([len(text) > self.longest for text in texts], dtype=np.bool_)


class LetterModel:
    """What the library loads, as far as encoders ask it: it counts its texts too, and knows no tokens."""

    similarity_fn_name = "cosine"
    device = "cpu"

    def __init__(self) -> None:
        self.prompts = {"query": "query: "}
        self.encoded: list[str] = []

    def get_embedding_dimension(self) -> int:
        return WIDTH

    def parameters(self) -> list[Any]:
        return []

    def encode_query(
        self, texts: Sequence[str], *, prompt: str, normalize_embeddings: bool, truncate_dim: int | None, **_: Any
    ) -> list[npt.NDArray[Any]]:
        self.encoded.extend(texts)
        vectors = [vector_of(prompt + text)[:truncate_dim] for text in texts]
        return [one / np.linalg.norm(one) for one in vectors] if normalize_embeddings else vectors


def vector_of(text: str, width: int = WIDTH) -> npt.NDArray[np.float32]:
    digest = blake2b(text.encode(), digest_size=4 * width).digest()
    return (np.frombuffer(digest, dtype=np.uint32) / 2**32).astype(np.float32)


def filled(folder: Path, texts: Sequence[str], *, batch_size: int = 4) -> tuple[LetterEncoder, npt.NDArray[Any]]:
    """The encoder after all texts were looked up in the store of a folder, and their vectors (texts, width)."""
    encoder = LetterEncoder()
    store = open_store(folder, {"model": "letters"}, "float32", width=WIDTH)
    rows = Filling(store, encoder, batch_size, Spent()).rows(texts, "document")
    vectors = np.array([store.values(int(row), int(row) + 1) for row in rows if row >= 0])
    store.close()
    return encoder, vectors


def whole(store: VectorStore) -> npt.NDArray[Any]:
    return np.array(store.values(0, len(store)))


if __name__ == "__main__":  # a process of its own, to be killed or run twice at once: FOLDER COUNT
    filled(Path(sys.argv[1]), [f"text {number}" for number in range(int(sys.argv[2]))])
