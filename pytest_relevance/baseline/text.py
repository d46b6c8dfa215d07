"""A baseline as JSON Lines: what made it, then a line for each query, then one for each document with kept fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from pytest_relevance.baseline.record import SCHEMA, Baseline, Origin, StoredQuery
from pytest_relevance.records import Ids, Run, Values
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers

HEAD = '{"relevance_baseline":'  # what a file of this kind begins with


class Rows(NamedTuple):
    """The rankings of all queries, one after the other."""

    doc_ids: Ids  # each document once
    codes: Integers
    scores: Floats


def to_lines(baseline: Baseline, *, rankings: bool = True) -> Iterator[str]:
    """The lines, keys always in one order, so that a diff shows the queries that moved.

    `rankings=False` gives the number of documents in place of each ranking.
    """
    yield _json({"relevance_baseline": SCHEMA, **asdict(baseline.origin)})
    for query_id, query in baseline.queries.items():
        values = {
            name: {measure: one.values[query_id] for measure, one in by_measure.items() if query_id in one.values}
            for name, by_measure in baseline.values.items()
        }
        told = {name: of_set for name, of_set in values.items() if of_set}
        line: dict[str, Any] = {"query_id": query_id, "query": query.text, "hash": query.hash, "values": told}
        rows = baseline.run.rows_of(query_id)
        if rankings:
            scores = baseline.run.scores[rows].tolist()
            line["ranking"] = list(zip(baseline.run.ranking(query_id), scores, strict=True))
        else:
            line["documents"] = rows.stop - rows.start
        yield _json(line)
    for doc_id, fields in baseline.run.fields.items():
        yield _json({"doc_id": doc_id, "fields": dict(fields)})


def from_lines(lines: Iterable[str], rows: Rows | None = None, *, shown: str) -> Baseline:
    """The baseline again; `rows` are the documents and scores of all rankings where the lines only count them.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, IndexError: the lines are not a baseline.
    """
    plain = [json.loads(line) for line in lines]
    head, others = plain[0], plain[1:]
    if head.pop("relevance_baseline") != SCHEMA:
        raise ValueError("another schema")
    origin = Origin(**head)
    asked = [line for line in others if "query_id" in line]
    fields = {line["doc_id"]: line["fields"] for line in others if "doc_id" in line}
    query_ids = tuple(line["query_id"] for line in asked)
    run = _of_text(query_ids, asked, origin) if rows is None else _of_rows(query_ids, asked, rows, origin)
    return Baseline(
        origin,
        {line["query_id"]: StoredQuery(line["query"], line["hash"]) for line in asked},
        replace(run, fields=fields),
        _values(asked),
        shown,
    )


def _of_text(query_ids: tuple[str, ...], asked: Sequence[Mapping[str, Any]], origin: Origin) -> Run:
    documents = Ids.of(doc_id for line in asked for doc_id, _ in line["ranking"])
    scores = np.array([score for line in asked for _, score in line["ranking"]], dtype=np.float64)
    offsets = _offsets(len(line["ranking"]) for line in asked)
    return Run.from_columns(query_ids, offsets, documents, scores, name=origin.retriever, order="given")


def _of_rows(query_ids: tuple[str, ...], asked: Sequence[Mapping[str, Any]], rows: Rows, origin: Origin) -> Run:
    offsets = _offsets(line["documents"] for line in asked)
    if not len(rows.codes) == len(rows.scores) == offsets[-1]:
        raise ValueError("rankings that do not belong to these queries")
    return Run(query_ids, offsets, rows.doc_ids, rows.codes, rows.scores, origin.retriever)


def _offsets(counts: Iterable[int]) -> Integers:
    return np.concatenate(([0], np.cumsum(list(counts)))).astype(np.int64)


def _values(asked: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Values]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for line in asked:
        for name, by_measure in line["values"].items():
            for measure, value in by_measure.items():
                found.setdefault(name, {}).setdefault(measure, {})[line["query_id"]] = float(value)
    return {
        name: {
            measure: Values(measure, tuple(values), np.array(list(values.values()), dtype=np.float64))
            for measure, values in by_measure.items()
        }
        for name, by_measure in found.items()
    }


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace").decode()
