"""Folding to parents: passages to documents, paragraphs to pages. A parent is as good as the best of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pytest_relevance.errors import DataError, MeasureError, Place
from pytest_relevance.records.columns import Floats, Grouped, first_repeat, rows_kept
from pytest_relevance.records.ids import Ids, Integers
from pytest_relevance.records.qrels import Qrels
from pytest_relevance.records.run import Run, ranked_rows

_BEFORE = re.compile(r"before\s+(?P<last>last\s+)?(?P<sign>\S+)")
_EXAMPLES = "write 'before #', 'before last -', a regular expression such as /^(.*)-\\d+$/, or the path of a file"


@dataclass(frozen=True)
class Fold:
    """A rule that gives each doc_id its parent, or None where it does not apply."""

    text: str  # as written
    parent_of: Callable[[str], str | None]

    @classmethod
    def parse(cls, text: str, *, place: Place | None = None) -> Fold:
        """`before #`, `before last -`, `/^(.*)-\\d+$/` (the parent is group 1), or a file of doc_id, tab, parent.

        Raises:
            MeasureError: the text is none of these, or the expression is no expression or has no group.
            DataError: the file has a line of another shape, or gives a document two parents.
        """
        rule = text.strip()
        before = _BEFORE.fullmatch(rule)
        if before:
            return cls(rule, _part_before(before["sign"], last=before["last"] is not None))
        if len(rule) > 1 and rule.startswith("/") and rule.endswith("/"):
            return cls(rule, _group_of(rule, place))
        if rule and Path(rule).is_file():
            return cls(rule, read_parents(Path(rule)).get)
        raise MeasureError(f"{rule!r} is no rule to fold by, and no file", place=place, fix=_EXAMPLES)


Parents = Fold | Mapping[str, str]


def fold_run(run: Run, parent: Parents) -> Run:
    """The run with parents for documents; a parent's score is the highest of its parts.

    Where scores decided the order they decide it again, ties and all; where the order was given, a parent stands where
    its first part stood. Ids that the rule or mapping does not cover stay as they are, and are counted in a note.
    """
    vocabulary, codes, left = _parents(run, parent)
    by_score = np.array_equal(ranked_rows(run.query_of_row, run.scores, run.codes, run.doc_ids), np.arange(len(codes)))
    best = _highest(run, codes, run.scores, len(vocabulary))
    kept = ~first_repeat(run.query_of_row, codes, len(vocabulary))
    offsets, codes, scores = rows_kept(run.offsets, kept), codes[kept], best[kept]
    if by_score:
        order = ranked_rows(np.repeat(np.arange(len(run)), np.diff(offsets)), scores, codes, vocabulary)
        codes, scores = codes[order], scores[order]
    return replace(
        run, offsets=offsets, doc_ids=vocabulary, codes=codes, scores=scores, notes=(*run.notes, *_note(run.name, left))
    )


def fold_qrels(qrels: Qrels, parent: Parents) -> Qrels:
    """The qrels with parents for documents; a parent's grade is the highest of its parts."""
    vocabulary, codes, left = _parents(qrels, parent)
    best = _highest(qrels, codes, qrels.grades, len(vocabulary))
    kept = ~first_repeat(qrels.query_of_row, codes, len(vocabulary))
    return replace(
        qrels,
        offsets=rows_kept(qrels.offsets, kept),
        doc_ids=vocabulary,
        codes=codes[kept],
        grades=best[kept],
        notes=(*qrels.notes, *_note(qrels.name, left)),
    )


def read_parents(path: Path) -> dict[str, str]:
    """doc_id → parent from lines of doc_id, tab, parent.

    Raises:
        DataError: a line has another shape, or a document has two parents.
    """
    parents: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        place = Place(str(path), number, 1, line, max(1, len(line)))
        doc_id, tab, parent = line.partition("\t")
        if not line.strip():
            continue
        if not tab or not doc_id or not parent or "\t" in parent:
            raise DataError("expected doc_id, tab, parent", place=place, fix="write the two ids with one tab between")
        if parents.setdefault(doc_id, parent) != parent:
            raise DataError(f"document {doc_id!r} has two parents", place=place, fix="keep one of them")
    return parents


def _parents(rows: Grouped, parent: Parents) -> tuple[Ids, Integers, int]:
    """The vocabulary of parents, each row's code in it, and how many documents have none."""
    parent_of = parent.parent_of if isinstance(parent, Fold) else parent.get
    found = [(doc_id, parent_of(doc_id)) for doc_id in rows.doc_ids]
    left = sum(1 for _, above in found if above is None)
    vocabulary, code_of = Ids.of(doc_id if above is None else above for doc_id, above in found).distinct()
    return vocabulary, code_of[rows.codes], left


def _highest(rows: Grouped, codes: Integers, numbers: Floats, documents: int) -> Floats:
    """For each row the highest number among the rows of the same query and code; shape (rows,)."""
    keys = rows.query_of_row * max(documents, 1) + codes
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], np.diff(keys[order]) != 0))) if len(keys) else order
    best = np.empty(len(keys))
    if len(keys):
        highest = np.maximum.reduceat(numbers[order], starts)
        best[order] = np.repeat(highest, np.diff(np.append(starts, len(keys))))
    return best


def _part_before(sign: str, *, last: bool) -> Callable[[str], str | None]:
    def parent_of(doc_id: str) -> str | None:
        before, found, _ = doc_id.rpartition(sign) if last else doc_id.partition(sign)
        return before if found and before else None

    return parent_of


def _group_of(rule: str, place: Place | None) -> Callable[[str], str | None]:
    try:
        pattern = re.compile(rule[1:-1])
    except re.error as error:
        raise MeasureError(f"{rule} is no regular expression: {error}", place=place, fix=_EXAMPLES) from None
    if pattern.groups < 1:
        raise MeasureError(f"{rule} has no group that is the parent", place=place, fix="put it in (): /^(.*)-\\d+$/")

    def parent_of(doc_id: str) -> str | None:
        found = pattern.search(doc_id)
        return (found.group(1) or None) if found else None

    return parent_of


def _note(name: str, left: int) -> tuple[str, ...]:
    if not left:
        return ()
    kept = "document has no parent and is kept" if left == 1 else "documents have no parent and are kept"
    return (f"{name}: {left} {kept}",)
