"""From the rows that were found to a run: a text that several documents have stands for each of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_relevance.records import Ids, Query, Run
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Vectors
from pytest_relevance.retrievers.dense.filling import UNUSABLE


def run_of_rows(
    queries: Sequence[Query],
    of_queries: Integers,
    rows: Integers,
    scores: Vectors,
    doc_rows: Integers,
    doc_ids: Ids,
    name: str,
) -> Run:
    """The run of all queries but the unusable ones, in their order; those that were not asked have no documents.

    Shapes: of_queries (queries,): each one's row in the store or a reason for none; rows and scores (asked, k): what
    was found for each query that has a row, -1 for nothing; doc_rows and doc_ids (documents,).
    """
    answered = np.flatnonzero(of_queries != UNUSABLE)
    asked = np.flatnonzero(of_queries >= 0)
    query, at = np.nonzero(rows >= 0)
    spread, documents = documents_of(rows[query, at], doc_rows)
    places = np.searchsorted(answered, asked[query])[spread]
    offsets = np.zeros(len(answered) + 1, dtype=np.int64)
    np.cumsum(np.bincount(places, minlength=len(answered)), out=offsets[1:])
    return Run.from_columns(
        tuple(queries[int(place)].query_id for place in answered),
        offsets,
        doc_ids.take(documents),
        scores[query, at][spread].astype(np.float64),
        name=name,
    )


def documents_of(rows: Integers, doc_rows: Integers) -> tuple[Integers, Integers]:
    """For every document that has one of `rows`: which of `rows` it is, and the document; shapes (found,), (found,)."""
    order = np.argsort(doc_rows, kind="stable")
    ordered = doc_rows[order]
    first = np.searchsorted(ordered, rows, side="left")
    counts = np.searchsorted(ordered, rows, side="right") - first
    spread = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(spread)) - np.repeat(np.cumsum(counts) - counts, counts)
    return spread, order[first[spread] + within]
