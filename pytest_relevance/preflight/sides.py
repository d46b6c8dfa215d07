"""Which files must speak of the same ids: those that should be part of another, and those that should meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pytest_relevance.preflight.material import Material
from pytest_relevance.records import Ids
from pytest_relevance.records.columns import Grouped


@dataclass(frozen=True)
class Side:
    """The ids of one kind in one file."""

    name: str  # of the file
    kind: str  # document, query
    ids: Ids  # each once


def compared(material: Material) -> Iterator[tuple[Side, Side]]:
    """Each judgment set and run against the corpus and the queries: the first should be part of the second."""
    judged, ranked = judged_documents(material), ranked_documents(material)
    known = material.parents_and_parts
    if known is not None:
        corpus = Side(material.name("corpus"), "document", known)
        yield from ((side, corpus) for side in (*judged, *ranked))
    if material.queries is not None:
        asked = Side(material.name("queries"), "query id", Ids.of(material.queries.query_ids))
        yield from ((side, asked) for side in (*_queries(material, "qrels"), *_queries(material, "run")))


def met(material: Material) -> Iterator[tuple[list[Side], Side]]:
    """Each run beside all judgment sets, by documents and by queries: it should meet one of them."""
    for judged, ranked in (
        (judged_documents(material), ranked_documents(material)),
        (_queries(material, "qrels"), _queries(material, "run")),
    ):
        if judged:
            yield from ((judged, run) for run in ranked)


def judged_documents(material: Material) -> list[Side]:
    """The documents of each judgment set, as they are measured."""
    return [_side(material, f"qrels.{name}", one) for name, one in material.folded_qrels.items()]


def ranked_documents(material: Material) -> list[Side]:
    """The documents of each run, as they are measured."""
    return [_side(material, f"run.{name}", one) for name, one in material.folded_runs.items()]


def _side(material: Material, key: str, rows: Grouped) -> Side:
    return Side(material.name(key), "document", rows.doc_ids.take(np.unique(rows.codes)))


def _queries(material: Material, kind: str) -> list[Side]:
    records: Mapping[str, Grouped] = material.qrels if kind == "qrels" else material.runs
    return [Side(material.name(f"{kind}.{name}"), "query id", Ids.of(one.query_ids)) for name, one in records.items()]
