"""What differs between a stored run and one of now, and whether it still makes sense to compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_relevance.baseline.record import Baseline, Origin

Kind = Literal["queries", "depth", "qrels", "grades", "definition", "fold", "corpus", "configuration", "model"]
_SHOWN = 5  # ids named


@dataclass(frozen=True)
class Change:
    """One thing that is not as it was."""

    kind: Kind
    text: str  # as a report tells it
    blocks: bool = False  # the two cannot be compared


def changes_between(
    stored: Baseline,
    now: Origin,
    queries: Mapping[str, str],
    *,
    qrels: str | None,
    needs: int | None,
    shared_queries: bool,
) -> tuple[Change, ...]:
    """What differs, blocking things first. `queries`: query_id → hash, all that the suite has now.

    `qrels`: the judgment set that is compared under, None where no judgments are needed. `needs`: the rank that is
    looked at, None for the whole list.
    """
    then = stored.origin
    found = [
        *_queries(stored, queries, shared_queries),
        *_depth(stored, now, needs),
        *([] if qrels is None else _judgments(then, now, qrels)),
        *_made_from(then, now),
    ]
    return tuple(sorted(found, key=lambda change: not change.blocks))


def shared_query_ids(stored: Baseline, queries: Mapping[str, str]) -> tuple[str, ...]:
    """The queries that both have, worded alike, in the order of `queries`."""
    return tuple(
        query_id
        for query_id, hashed in queries.items()
        if query_id in stored.queries and stored.queries[query_id].hash == hashed
    )


def _queries(stored: Baseline, queries: Mapping[str, str], shared: bool) -> list[Change]:
    gone = [query_id for query_id in stored.queries if query_id not in queries]
    new = [query_id for query_id in queries if query_id not in stored.queries]
    other = [name for name, hashed in queries.items() if name in stored.queries and stored.queries[name].hash != hashed]
    parts = [
        f"{_ids(found)} {word}"
        for found, word in ((gone, _verb(gone, "gone")), (new, _verb(new, "new")), (other, _verb(other, "reworded")))
        if found
    ]
    if not parts:
        return []
    counts = f"{len(stored.queries)} then, {len(queries)} now"
    return [Change("queries", f"the queries changed ({counts}): {'; '.join(parts)}", blocks=not shared)]


def _depth(stored: Baseline, now: Origin, needs: int | None) -> list[Change]:
    wanted = now.depth if needs is None else needs
    depth, longest = stored.origin.depth, int(stored.run.counts.max(initial=0))
    if depth >= wanted or longest < depth:  # where every list is shorter than what was asked for, each is whole
        return []
    return [Change("depth", f"the baseline holds {depth} documents per query, and {wanted} are needed", blocks=True)]


def _judgments(then: Origin, now: Origin, qrels: str) -> list[Change]:
    found = []
    if then.qrels.get(qrels) != now.qrels.get(qrels):
        what = f"judgments {qrels!r} changed" if qrels in then.qrels else f"judgments {qrels!r} are new"
        found.append(Change("qrels", f"{what}: the stored run is measured anew under those of now"))
    for key in dict.fromkeys((*then.grades, *now.grades)):
        was, is_ = then.grades.get(key, "unset"), now.grades.get(key, "unset")
        if was != is_:
            found.append(Change("grades", f"{key} was {was} and is {is_}: the stored run is measured anew with {is_}"))
    for measure, version in now.definitions.items():
        was_version = then.definitions.get(measure)
        if was_version is not None and was_version != version:
            text = f"the definition of {measure} went from version {was_version} to {version}: both are measured by it"
            found.append(Change("definition", text))
    if then.fold != now.fold:
        found.append(
            Change("fold", f"fold was {then.fold or 'unset'} and is {now.fold or 'unset'}: both are folded so")
        )
    return found


def _made_from(then: Origin, now: Origin) -> list[Change]:
    found = []
    if then.corpus != now.corpus:
        found.append(Change("corpus", "the corpus changed"))
    if then.model != now.model:
        found.append(Change("model", f"the model was {then.model or 'not told'} and is {now.model or 'not told'}"))
    if then.configuration != now.configuration:
        found.append(Change("configuration", f"the configuration of {now.retriever} changed"))
    return found


def _ids(query_ids: list[str]) -> str:
    shown = ", ".join(query_ids[:_SHOWN])
    return shown if len(query_ids) <= _SHOWN else f"{shown} and {len(query_ids) - _SHOWN} more"


def _verb(query_ids: list[str], word: str) -> str:
    return f"{'is' if len(query_ids) == 1 else 'are'} {word}"
