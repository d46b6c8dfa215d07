"""Rules about ids: whether the files of a suite speak of the same queries and documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.parts import fold_advice
from pytest_relevance.preflight.sides import Side, compared, met
from pytest_relevance.preflight.spelling import Respelled, respelled
from pytest_relevance.preflight.words import counted, some
from pytest_relevance.records import Ids, Qrels
from pytest_relevance.records.columns import Grouped

HARDLY = 0.1  # share of common ids below which another spelling is looked for


def judged_not_in_corpus(material: Material) -> Iterator[Seen]:
    """Judged documents that the corpus does not have: no retriever can find them, and recall cannot reach 1."""
    if material.doc_ids is None:
        return
    for name, qrels in material.qrels.items():
        used = _used_documents(qrels)
        lost = used.take(np.flatnonzero(~material.in_corpus(used)))
        if len(lost):
            rows = np.isin(qrels.codes, qrels.doc_ids.find(lost))
            relevant = int((qrels.grades[rows] >= material.grades.relevant).sum())
            yield Seen(
                f"{counted(len(lost), 'judged document')} of {len(used)} are not in {material.name('corpus')}: "
                f"{counted(int(rows.sum()), 'judgment')}, {relevant} of them relevant",
                len(lost),
                len(used),
                some(lost),
                material.name(f"qrels.{name}"),
                "drop these judgments, or restore the documents",
            )


def judged_query_unknown(material: Material) -> Iterator[Seen]:
    """Judgments for queries that the queries do not have: they are never asked, and never measured."""
    if material.queries is None:
        return
    for name, qrels in material.qrels.items():
        lost = [query_id for query_id in qrels.query_ids if query_id not in material.queries]
        if lost:
            rows = sum(int(qrels.counts[qrels.positions[query_id]]) for query_id in lost)
            yield Seen(
                f"{counted(len(lost), 'judged query', 'judged queries')} of {len(qrels)} are not in "
                f"{material.name('queries')}: {counted(rows, 'judgment')} that nothing is measured with",
                len(lost),
                len(qrels),
                some(lost),
                material.name(f"qrels.{name}"),
                "add the queries, or drop the judgments; check that both files number the queries alike",
            )


def query_unjudged(material: Material) -> Iterator[Seen]:
    """Queries that nobody judged: they are left out of every mean."""
    if material.queries is None or not material.qrels:
        return
    lost = [one for one in material.queries.query_ids if not any(one in qrels for qrels in material.qrels.values())]
    if lost:
        yield Seen(
            f"{counted(len(lost), 'query', 'queries')} of {len(material.queries)} have no judgments",
            len(lost),
            len(material.queries),
            some(lost),
            material.name("queries"),
            "judge some of their documents, or leave them out",
        )


def query_id_is_doc_id(material: Material) -> Iterator[Seen]:
    """A query whose id is that of a document judged or ranked for it: some tools drop such a document unasked."""
    for key, rows in (*_keyed("qrels", material.qrels), *_keyed("run", material.runs)):
        queries = Ids.of(rows.query_ids)
        place = rows.doc_ids.find(queries)
        same = np.flatnonzero((rows.codes == place[rows.query_of_row]) & (place[rows.query_of_row] >= 0))
        if len(same):
            found = [rows.query_ids[int(query)] for query in rows.query_of_row[same]]
            yield Seen(
                f"{counted(len(found), 'query has', 'queries have')} a document of the same id",
                len(found),
                len(rows.query_ids),
                some(found),
                material.name(key),
                "nothing is dropped here; if the query is that document, exclude it in the search",
            )


def id_mismatch(material: Material) -> Iterator[Seen]:
    """Ids that another file has in another spelling: letter case, blanks, leading zeros, a trailing .0, look-alikes.

    A run is compared with judgments too where they hardly meet; most of what it ranks nobody judged.
    """
    pairs = list(compared(material))
    pairs += [(one, run) for judged, run in met(material) for one in judged if _common(one, run) < HARDLY]
    for one, other in pairs:
        for found in respelled(one.ids, other.ids):
            yield _mismatch(one, other, found)


def nothing_in_common(material: Material) -> Iterator[Seen]:
    """Two files that must share ids and share none: every value would be 0, or nothing would be measured."""
    pairs = [pair for pair in compared(material) if _common(*pair) == 0]
    pairs += [(run, judged[0]) for judged, run in met(material) if all(_common(one, run) == 0 for one in judged)]
    for one, other in pairs:
        if len(one.ids) and len(other.ids):
            yield Seen(
                f"shares no {one.kind} with {other.name}: {one.ids[0]!r} here, {other.ids[0]!r} there",
                len(one.ids),
                len(one.ids),
                (*some(one.ids)[:2], *some(other.ids)[:2]),
                one.name,
                fold_advice(one, other) or "name files that belong together, or mend the ids of one of them",
            )


def _common(one: Side, other: Side) -> float:
    """Share of the smaller side's ids that both have; 1.0 where a side is empty."""
    least = min(len(one.ids), len(other.ids))
    return float((other.ids.find(one.ids) >= 0).sum()) / least if least else 1.0


def _mismatch(one: Side, other: Side, found: Respelled) -> Seen:
    wrong, right = (one, other) if found.wrong_is_first else (other, one)
    bad, good = found.pairs[0] if wrong is one else found.pairs[0][::-1]
    return Seen(
        f"{counted(len(found.pairs), f'{one.kind} is', f'{one.kind}s are')} in both {one.name} and {other.name} "
        f"but for {found.difference}",
        len(found.pairs),
        len(one.ids),
        tuple(f"{first!r} for {second!r}" for first, second in found.pairs),
        wrong.name,
        f"mend {wrong.name}: write {good!r} as {right.name} has it, not {bad!r}{found.advice}",
    )


def _used_documents(qrels: Qrels) -> Ids:
    return qrels.doc_ids.take(np.unique(qrels.codes))


def _keyed(kind: str, records: Mapping[str, Grouped]) -> list[tuple[str, Grouped]]:
    return [(f"{kind}.{name}", one) for name, one in records.items()]


RULES = (
    Rule("id-mismatch", id_mismatch),
    Rule("nothing-in-common", nothing_in_common),
    Rule("judged-not-in-corpus", judged_not_in_corpus),
    Rule("judged-query-unknown", judged_query_unknown),
    Rule("query-unjudged", query_unjudged),
    Rule("query-id-is-doc-id", query_id_is_doc_id),
)
