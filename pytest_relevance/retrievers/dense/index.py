"""Approximate indexes of faiss: which vectors are worth an exact score, and how much they miss."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from contextlib import suppress
from hashlib import sha256
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.library import library, version_of
from pytest_relevance.retrievers.dense.options import DenseOptions
from pytest_relevance.retrievers.dense.search import Found, Space, exact, rescored
from pytest_relevance.retrievers.protocol import RetrieverEntry

_TRAINED_ON = 1 << 16  # vectors a quantiser or the cells are learned from, at most
_LEAST_A_CENTRE = 39  # vectors from which faiss thinks a centre is learned well
_COMPARED = 50  # queries whose exact answers are looked up to say what an index misses
_SEED = 7


def approximate(index: Any, space: Space, queries: Vectors, depth: int, options: DenseOptions) -> Found:
    """The best rows that the index finds, by their exact scores: it decides what is scored, and never a score."""
    wanted = min(depth * options.rescore, len(space))
    prepared = space.prepared(queries)
    if options.index == "binary":
        _, places = index.search(_bits(prepared), wanted)
    else:
        if options.index == "hnsw":
            index.hnsw.efSearch = max(options.breadth, wanted)
        if options.index == "ivf":
            index.nprobe = options.probes
        _, places = index.search(prepared, wanted)
    return rescored(space, queries, places.astype(np.int64))


def recall_of(index: Any, space: Space, queries: Vectors, depth: int, options: DenseOptions) -> tuple[float, int]:
    """The share of the exact best `depth` that an index finds, 0 to 1, and over how many of the queries."""
    if not len(space) or not len(queries):
        return 1.0, 0
    chosen = np.unique(np.linspace(0, len(queries) - 1, min(_COMPARED, len(queries))).astype(np.int64))
    right = exact(space, queries[chosen], depth).places[:, :depth]
    found = approximate(index, space, queries[chosen], depth, options).places[:, :depth]
    hits = sum(len(np.intersect1d(a[a >= 0], b[b >= 0])) for a, b in zip(right, found, strict=True))
    return hits / max(1, int((right >= 0).sum())), len(chosen)


def kept_index(cache: Path | None, config: RetrieverEntry, options: DenseOptions, space: Space, of: str) -> Any:
    """The index over these rows, read if it was made before; `of` tells the texts and the model.

    Raises:
        RetrieverError: faiss cannot make such an index of these vectors.
    """
    if cache is None:
        return _made(config, options, space)
    shape = [of, options.index, options.lists, options.links, options.code_bytes, options.similarity]
    name = sha256(json.dumps([*shape, len(space), version_of("faiss-cpu")]).encode()).hexdigest()[:32]
    file = cache / "indexes" / f"{name}.faiss"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_suffix(".lock")):
            index = _read(file, binary=options.index == "binary")
            if index is None:
                index = _made(config, options, space)
                _write(file, index)
            return index
    except OSError:  # a folder that cannot be written to: slower, and as right
        return _made(config, options, space)


def _made(config: RetrieverEntry, options: DenseOptions, space: Space) -> Any:
    faiss = library("faiss")
    if options.index == "binary":
        index = faiss.IndexBinaryFlat(8 * ((space.width + 7) // 8))
        for _, vectors in space.tiles():
            index.add(_bits(vectors))
        return index
    metric = faiss.METRIC_L2 if options.similarity == "euclidean" else faiss.METRIC_INNER_PRODUCT
    try:
        index = faiss.index_factory(space.width, _formula(options, len(space)), metric)
        if not index.is_trained:
            _learn_quietly(index)
            index.train(_sample(space))
        for _, vectors in space.tiles():
            index.add(vectors)
    except RuntimeError as error:
        said = str(error).rpartition(": ")[2].strip()[:200]
        raise RetrieverError(
            f"retriever {config.name!r} cannot make an index {options.index!r} of {len(space)} vectors: {said}",
            place=config.place,
            fix="take 'index: flat', which is exact, or other numbers",
        ) from error
    return index


def _learn_quietly(index: Any) -> None:
    """No word on standard error of how few vectors there are to learn from: what an index misses is measured."""
    for part in (index, getattr(index, "pq", None)):
        if part is not None and hasattr(part, "cp"):
            part.cp.min_points_per_centroid = 1


def _formula(options: DenseOptions, count: int) -> str:
    """The index in faiss's own notation."""
    learnable = max(1, count // _LEAST_A_CENTRE)
    cells = min(options.lists or min(4 * isqrt(count), learnable), count)
    bits = min(8, max(1, learnable.bit_length() - 1))
    return {
        "ivf": f"IVF{cells},Flat",
        "hnsw": f"HNSW{options.links},Flat",
        "pq": f"PQ{options.code_bytes}x{bits}",
        "int8": "SQ8",
    }[options.index]


def _sample(space: Space) -> Vectors:
    if len(space) <= _TRAINED_ON:
        places: Integers = np.arange(len(space))
    else:
        places = np.sort(np.random.default_rng(_SEED).choice(len(space), _TRAINED_ON, replace=False))
    return space.gathered(places)


def _bits(vectors: Vectors) -> Any:
    return np.packbits(vectors > 0, axis=1)


def _read(file: Path, *, binary: bool) -> Any | None:
    faiss = library("faiss")
    try:
        content = file.read_bytes()
        if json.loads(file.with_suffix(".json").read_text())["checksum"] != zlib.crc32(content):
            return None
    except (OSError, ValueError, KeyError):
        return None
    with suppress(OSError):
        os.utime(file.with_suffix(".json"))  # its time is when the index was last used
    data = np.frombuffer(content, dtype=np.uint8)
    return faiss.deserialize_index_binary(data) if binary else faiss.deserialize_index(data)


def _write(file: Path, index: Any) -> None:
    faiss = library("faiss")
    binary = isinstance(index, faiss.IndexBinary)
    content = (faiss.serialize_index_binary(index) if binary else faiss.serialize_index(index)).tobytes()
    with suppress(OSError):  # a full disk
        for path, what in ((file, content), (file.with_suffix(".json"), _told(content))):
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as unfinished:
                unfinished.write(what)
            Path(unfinished.name).replace(path)


def _told(content: bytes) -> bytes:
    return json.dumps({"checksum": zlib.crc32(content), "bytes": len(content)}).encode()
