"""Hashes of contents: alike for the same queries, judgments and configuration, whatever file or order they are in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

import numpy as np

from pytest_relevance.records import Qrels, Query
from pytest_relevance.records.words import PRIME
from pytest_relevance.suite import RetrieverConfig
from pytest_relevance.suite.scalars import Text

_BYTES = 8  # sixteen hexadecimal digits: no accident makes two contents alike


def query_hash(query: Query) -> str:
    """Of a query's id, text and attributes."""
    parts = [query.query_id, query.text, dict(query.attributes)]
    return _hex(json.dumps(parts, sort_keys=True, default=repr).encode("ascii"))


def qrels_hash(qrels: Qrels) -> str:
    """Of all judgments, in whatever order they stand; a query without any counts too."""
    query_hashes = _column(qrels.query_ids)
    rows = _mixed(query_hashes[qrels.query_of_row], qrels.doc_ids.hashes[qrels.codes])
    # -0.0 and 0.0 are one grade.
    rows = np.sort(_mixed(rows, (qrels.grades + 0.0).astype("<f8").view("<u8").astype(np.uint64)))
    return _hex(np.concatenate((np.sort(query_hashes), rows)).astype("<u8").tobytes())


def configuration_hash(config: RetrieverConfig) -> str:
    """Of a retriever's entry as it is written: what comes from the environment counts by its name, not its value."""
    return _hex(json.dumps([config.type, _as_written(config.options)], sort_keys=True).encode("ascii"))


def _as_written(tree: object) -> object:
    if isinstance(tree, Mapping):
        return {str(key): _as_written(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_as_written(value) for value in tree]
    if isinstance(tree, Text) and tree.references:
        text = str(tree)
        for reference in tree.references:
            text = text.replace(reference.value, f"${{{reference.name}}}") if reference.value else text
        return text
    return str(tree)


def _column(texts: tuple[str, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    from pytest_relevance.records import Ids

    return Ids.of(texts).hashes


def _mixed(
    one: np.ndarray[tuple[int, ...], np.dtype[np.uint64]], other: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    mixed = (one ^ (other + PRIME)) * PRIME
    return mixed ^ (mixed >> np.uint64(29))


def _hex(data: bytes) -> str:
    return blake2b(data, digest_size=_BYTES).hexdigest()
