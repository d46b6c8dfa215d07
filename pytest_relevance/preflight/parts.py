"""Rules about parts and parents: passage ids where another file has documents, and the rule that would match."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median

import numpy as np

from pytest_relevance.measures import Fold
from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.sides import Side, judged_documents, ranked_documents
from pytest_relevance.preflight.words import counted, some
from pytest_relevance.records import Ids

MOST = 20_000  # ids of a side that are tried, spread over all of them
FIRST = 50_000  # judged ids that are looked at for parts of parents
LEAST_SHARE = 0.02  # of the tried ids whose parents the other side has: a run names mostly what nobody judged
TIMES_DIRECT = 5  # as many of them as ids that are there as they stand
SIGNS = "#_-.:/|~@"
_PART = re.compile(r"(.+)[#_\-.:/|~@](\d{1,6})")
_SMALL = 50  # parts are numbered from 0 or 1; the median of numbers that are no parts is higher


def passage_ids(material: Material) -> Iterator[Seen]:
    """Ids of parts in one file where another has their parents: unfolded, they never match."""
    for parts, parents in _pairs(material):
        tried = _spread(parts.ids)
        direct = parents.ids.find(tried) >= 0
        if TIMES_DIRECT * int(direct.sum()) > len(tried):
            continue
        lost = tried.take(np.flatnonzero(~direct))
        rule, found = _best_rule(lost, parents.ids)
        if rule and found >= max(1, LEAST_SHARE * len(tried), TIMES_DIRECT * int(direct.sum())):
            example = next(one for one in lost if _parent_in(rule, one, parents.ids))
            parent = Fold.parse(rule).parent_of(example)
            yield Seen(
                f"names parts such as {example!r} where {parents.name} names parents such as {parent!r}: "
                f"with 'fold: {rule}' {counted(found, 'id')} of {len(tried)} would match, now {int(direct.sum())} do",
                found,
                len(tried),
                (example,),
                parts.name,
                f"write fold: '{rule}'",
            )


def ids_of_parts(material: Material) -> Iterator[Seen]:
    """Judged ids that end in a small number after a sign, several to a parent: parts, such as paragraphs of pages."""
    if material.fold is not None:
        return
    for name, qrels in material.qrels.items():
        split = [_PART.fullmatch(doc_id) for doc_id in qrels.doc_ids[:FIRST]]
        parts = [match for match in split if match]
        if len(parts) < 0.95 * len(split) or len(parts) < 2:
            continue
        parents = Counter(match[1] for match in parts)
        if len(parents) == len(parts) or len(parents) < 2 or median(int(match[2]) for match in parts) > _SMALL:
            continue
        sign = Counter(match[0][len(match[1])] for match in parts).most_common(1)[0][0]
        rule = f"before {sign}" if all(match[0].count(sign) == 1 for match in parts) else f"before last {sign}"
        yield Seen(
            f"{counted(len(parts), 'judged id')} look like parts of {counted(len(parents), 'parent')}",
            len(parts),
            len(split),
            some(qrels.doc_ids),
            material.name(f"qrels.{name}"),
            f"to measure parents, write fold: '{rule}'; a reader that takes # for a comment would cut such ids"
            if sign == "#"
            else f"to measure parents, write fold: '{rule}'",
        )


def fold_advice(one: Side, other: Side) -> str | None:
    """What to write where one of two sides names parts of what the other names; None where none of them does."""
    for parts, parents in ((one, other), (other, one)):
        tried = _spread(parts.ids)
        rule, found = _best_rule(tried, parents.ids)
        if found > LEAST_SHARE * len(tried):
            return f"write fold: '{rule}', for {parts.name} names parts of what {parents.name} names"
    return None


def _spread(ids: Ids) -> Ids:
    """At most so many of them, from all over."""
    return ids.take(np.unique(np.linspace(0, len(ids) - 1, MOST).astype(np.int64))) if len(ids) else ids


def _pairs(material: Material) -> Iterator[tuple[Side, Side]]:
    judged, ranked = judged_documents(material), ranked_documents(material)
    known = material.parents_and_parts
    corpus = [Side(material.name("corpus"), "document", known)] if known is not None else []
    yield from ((one, other) for one in judged for other in judged if one is not other)
    for others in (ranked, corpus):
        for one in judged:
            for other in others:
                yield one, other
                yield other, one
    yield from ((one, other) for one in ranked for other in corpus)


def _best_rule(lost: Ids, parents: Ids) -> tuple[str, int]:
    """The rule that leads most of these ids to a known parent, and how many it leads there."""
    best, most = "", 0
    for sign in SIGNS:
        with_sign = [one for one in lost if sign in one]
        if not with_sign:
            continue
        for rule, parent in (
            (f"before {sign}", [one.partition(sign)[0] for one in with_sign]),
            (f"before last {sign}", [one.rpartition(sign)[0] for one in with_sign]),
        ):
            found = int((parents.find(Ids.of(parent)) >= 0).sum())
            if found > most:
                best, most = rule, found
    return best, most


def _parent_in(rule: str, doc_id: str, parents: Ids) -> bool:
    parent = Fold.parse(rule).parent_of(doc_id)
    return parent is not None and bool((parents.find(Ids.of([parent])) >= 0)[0])


RULES = (Rule("passage-ids", passage_ids), Rule("ids-of-parts", ids_of_parts))
