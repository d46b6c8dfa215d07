"""Finding: what an expectation found in a ranking, and the phrases that all words share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict.numbers import plural

ROWS_SHOWN = 10  # rows of a ranking shown where no rank asks for more


@dataclass(frozen=True, slots=True)
class Finding:
    """What an expectation found in a ranking."""

    holds: bool
    sentence: str
    marks: Mapping[int, str] = field(default_factory=dict)  # rank → why it matters
    depth: int = ROWS_SHOWN  # ranks that matter
    fields: tuple[str, ...] = ()  # fields the expectation looks at
    beside: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # rank → more columns of its row
    remarks: tuple[str, ...] = ()  # lines under the ranking
    shortfall: float = 1.0  # where it does not hold: the share of what is stated that is wrong, 0.0 to 1.0


def whose(ranking: Ranking) -> str:
    """`'red shoes' on bm25`"""
    return f"{ranking.query.text!r} on {ranking.retriever}"


def where_is(ranking: Ranking, doc_id: str) -> str:
    """`rank 3`, or that it was not retrieved."""
    rank = ranking.ranks.get(doc_id)
    return f"rank {rank}" if rank else not_there(ranking)


def not_there(ranking: Ranking) -> str:
    """`not among the 10 documents retrieved`"""
    if not len(ranking):
        return "nothing was retrieved"
    return f"not among the {plural(len(ranking), 'document')} retrieved"


def nothing_came(ranking: Ranking, so: str) -> Finding:
    """What is stated of documents does not hold where there is none."""
    return Finding(False, f"{whose(ranking)}: nothing came back, so {so}")


def ranks_text(ranks: list[int], most: int = 10) -> str:
    """`rank 3`, `ranks 1, 2 and 8 more`"""
    shown = ", ".join(map(str, ranks[:most]))
    more = f" and {len(ranks) - most} more" if len(ranks) > most else ""
    return f"rank{'s' * (len(ranks) > 1)} {shown}{more}"
