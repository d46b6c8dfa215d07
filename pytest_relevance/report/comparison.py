"""A failed comparison of hits, explained: what is there, where it stands, what moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.evaluate.hits import Column, Hits
from pytest_relevance.records.ranking import Ranking
from pytest_relevance.report.lines import ranking_lines
from pytest_relevance.report.text import columns_of, cut
from pytest_relevance.verdict.assertions import rows_of, rows_of_finding
from pytest_relevance.verdict.vocabulary import Finding

COLUMNS = 100  # pytest tells no width to this hook


def comparison_lines(op: str, left: object, right: object) -> list[str] | None:
    """Why `left op right` does not hold; None where this has nothing to say of it."""
    if op in {"in", "not in"} and isinstance(right, (Hits, Column)):
        return _membership(op, left, right)
    if op in {"==", "!="}:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Hits) and isinstance(other, Hits):
                return _two_rankings(op, left, right) if isinstance(left, Hits) and isinstance(right, Hits) else None
            if isinstance(one, Column):
                return _column(op, one, other)
    return None


def explained(ranking: Ranking, finding: Finding) -> str:
    """What a statement that does not hold says: the sentence, the ranking with its marks, the remarks."""
    rows = rows_of_finding(ranking, finding)
    table = ranking_lines(rows, COLUMNS)
    return "\n".join((finding.sentence, *(("", *table) if table else ()), *finding.remarks))


def _membership(op: str, wanted: object, found: Hits | Column) -> list[str]:
    hits = found if isinstance(found, Hits) else found.hits
    rank = hits.rank_of(wanted) if isinstance(wanted, str) else None
    there = f"it stands at rank {rank}" if rank else f"it is not among the {len(hits.ranking)} documents found"
    what = "documents" if isinstance(found, Hits) else f"values of {found.name}"
    if op == "not in":
        return [f"{wanted!r} is in the first {len(hits)} {what}", *_ranking(hits, {rank: "unwanted"} if rank else {})]
    why = there if isinstance(found, Hits) or found.name == "doc_id" else "no document has it"
    marks = {rank: f"{wanted} is here"} if rank else {}
    return [f"{wanted!r} is not in the first {len(hits)} {what}: {why}", *_ranking(hits, marks)]


def _column(op: str, column: Column, other: object) -> list[str]:
    head = f"{column.name} of {column.hits!r} {op} {other!r}"
    marks: dict[int, str] = {}
    if isinstance(other, (set, frozenset)):
        extra = [place for place, value in enumerate(column) if value not in other]
        marks = {column.hits[place].rank: f"{column[place]!r} is not expected" for place in extra}
        lacking = [repr(value) for value in other if value not in tuple(column)]
        missing = [f"expected and not found: {', '.join(sorted(lacking))}"] if lacking else []
        return [head, *missing, *_ranking(column.hits, marks, column.name)]
    if isinstance(other, Sequence):
        for place, document in enumerate(column.hits):
            expected = other[place] if place < len(other) else "nothing"
            if place >= len(other) or column[place] != expected:
                marks[document.rank] = f"{expected!r} expected" if place < len(other) else "nothing expected here"
        short = len(other) - len(column)
        missing = [f"{short} more expected: {', '.join(map(repr, other[len(column) :]))}"] if short > 0 else []
        return [head, *missing, *_ranking(column.hits, marks, column.name)]
    return [head]


def _two_rankings(op: str, left: Hits, right: Hits) -> list[str]:
    if op == "!=":
        return [f"both find the same documents in the same order: {left!r} and {right!r}"]
    lefts, rights = tuple(left.doc_ids), tuple(right.doc_ids)
    rows = [["rank", repr(left), repr(right), "move"]]
    for place in range(max(len(lefts), len(rights))):
        here = lefts[place] if place < len(lefts) else "-"
        there = rights[place] if place < len(rights) else "-"
        rows.append([str(place + 1), cut(here, 40), cut(there, 40), _move(there, place + 1, lefts)])
    differing = sum(row[1] != row[2] for row in rows[1:])
    return [
        f"the rankings differ at {differing} of {len(rows) - 1} ranks",
        *columns_of(rows, [True, False, False, False]),
    ]


def _move(doc_id: str, rank: int, before: Sequence[str]) -> str:
    if doc_id == "-":
        return ""
    if doc_id not in before:
        return "new"
    was = before.index(doc_id) + 1
    return "" if was == rank else f"{'up' if was > rank else 'down'} from {was}"


def _ranking(hits: Hits, marks: dict[int, str], field: str = "") -> Iterable[str]:
    fields = (field,) if field and field != "doc_id" else ()
    return ranking_lines(rows_of(hits.ranking, marks, max(len(hits), 1), fields), COLUMNS)
