"""Rules about documents: without text, or copies of one another that are judged apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_relevance.preflight.contents import Copies
from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import EXAMPLES, counted, shown, some
from pytest_relevance.records import Ids, Qrels


def empty_document(material: Material) -> Iterator[Seen]:
    """Documents without any text: no search by words can find them."""
    empty = material.contents.without_text
    if empty and material.corpus is not None:
        yield Seen(
            f"{counted(len(empty), 'document')} of {len(material.corpus):,} have no text at all",
            len(empty),
            len(material.corpus),
            some(empty),
            material.name("corpus"),
            "give them their text, or drop them and their judgments",
        )


def empty_field(material: Material) -> Iterator[Seen]:
    """Documents that lack a text which nine in ten documents have."""
    told = set(material.contents.without_text)  # by a rule of its own
    for name, lacking in material.contents.lacking.items():
        empty = [doc_id for doc_id in lacking if doc_id not in told]
        if not empty or material.corpus is None:
            continue
        yield Seen(
            f"field {name!r} is blank in {counted(len(empty), 'document')} of {len(material.corpus):,}",
            len(empty),
            len(material.corpus),
            some(empty),
            material.name("corpus"),
            "fill it in, or know that these documents are found by their other fields only",
        )


def judged_without_text(material: Material) -> Iterator[Seen]:
    """Judged documents that lack a text which nine in ten documents have: what was judged is not what is searched."""
    lacking = material.contents.lacking
    bare = Ids.of({doc_id: None for empty in lacking.values() for doc_id in empty})
    for name, qrels in material.qrels.items():
        used = np.unique(qrels.codes)
        judged = bare.take(np.flatnonzero(np.isin(qrels.doc_ids.find(bare), used)))
        if len(judged):
            yield Seen(
                f"{counted(len(judged), 'judged document lacks', 'judged documents lack')} the text that others have "
                f"(fields: {', '.join(lacking)})",
                len(judged),
                len(used),
                some(judged),
                material.name(f"qrels.{name}"),
                "restore their text, or drop their judgments",
            )


def duplicate_documents(material: Material) -> Iterator[Seen]:
    """Documents that are another to the letter, ids apart."""
    groups = material.contents.copies
    if groups and material.corpus is not None:
        again = sum(len(group) - 1 for group in groups)
        yield Seen(
            f"{counted(again, 'document')} of {len(material.corpus):,} are copies of another",
            again,
            len(material.corpus),
            _equal(groups),
            material.name("corpus"),
            "keep one of each, with the judgments of all",
        )


def copy_unjudged(material: Material) -> Iterator[Seen]:
    """Copies of which some are judged for a query and some are not: ranking the other copy counts as wrong."""
    groups = material.contents.copies
    for name, qrels in material.qrels.items():
        holes = {
            (query_id, doc_id): group
            for query_id, group, judged in _judged_groups(qrels, groups)
            for doc_id in group
            if doc_id not in judged
        }
        if holes:
            touched = len({group[0] for group in holes.values()})
            yield Seen(
                f"{counted(touched, 'group')} of copies are judged in part: {counted(len(holes), 'pair')} of a query "
                "and a copy have no grade where the other copy has one",
                touched,
                len(groups),
                some([f"{query_id} {doc_id}" for query_id, doc_id in holes]),
                material.name(f"qrels.{name}"),
                "give the copies the grade of the one that is judged, or keep one copy",
            )


def copies_graded_apart(material: Material) -> Iterator[Seen]:
    """Copies with different grades for one query: one of the grades is wrong."""
    groups = material.contents.copies
    for name, qrels in material.qrels.items():
        apart = [
            f"{query_id}: {', '.join(f'{doc_id} {grade:g}' for doc_id, grade in judged.items())}"
            for query_id, _, judged in _judged_groups(qrels, groups)
            if len(set(judged.values())) > 1
        ]
        if apart:
            yield Seen(
                f"copies of one document have different grades for one query, {counted(len(apart), 'time')}",
                len(apart),
                0,
                tuple(apart[:EXAMPLES]),
                material.name(f"qrels.{name}"),
                "judge them again, and give them one grade",
            )


def _judged_groups(qrels: Qrels, groups: Copies) -> Iterator[tuple[str, tuple[str, ...], dict[str, float]]]:
    """For each query and each group of copies it judged one of: the group, and the grades of those it judged."""
    group_of = {doc_id: group for group in groups for doc_id in group}
    members = Ids.of(group_of)
    place = members.find(qrels.doc_ids)  # of each judged document, or -1
    found: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}
    queries = qrels.query_of_row
    for row in np.flatnonzero(place[qrels.codes] >= 0):
        doc_id = members[int(place[qrels.codes[row]])]
        query_id = qrels.query_ids[int(queries[row])]
        found.setdefault((query_id, group_of[doc_id]), {})[doc_id] = float(qrels.grades[row])
    yield from ((query_id, group, judged) for (query_id, group), judged in found.items())


def _equal(groups: Copies) -> tuple[str, ...]:
    return tuple(" = ".join(map(shown, group[:4])) for group in groups[:EXAMPLES])


RULES = (
    Rule("empty-document", empty_document),
    Rule("empty-field", empty_field),
    Rule("judged-without-text", judged_without_text),
    Rule("duplicate-documents", duplicate_documents),
    Rule("copy-unjudged", copy_unjudged),
    Rule("copies-graded-apart", copies_graded_apart),
)
