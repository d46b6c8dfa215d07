"""Words about what the fields of the first documents hold: all (mostly), any, none, distinct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pytest_relevance.records.ranking import Ranking
from pytest_relevance.suite import FieldCondition, values_at
from pytest_relevance.verdict.numbers import listed, plural
from pytest_relevance.verdict.vocabulary.finding import Finding, nothing_came, ranks_text, whose

Condition: TypeAlias = FieldCondition | Mapping[str, object]


def all_of(ranking: Ranking, condition: Condition, *, top: int, mostly: float = 1.0) -> Finding:
    """Whether every one of the first documents (`mostly`: such a share of them) has such fields; none is not all."""
    wanted = FieldCondition.of(condition)
    documents = ranking.top(top)
    if not documents:
        return nothing_came(ranking, f"no document is {wanted.text}")
    offenders = [one.rank for one in documents if not wanted.holds(one.fields)]
    count = len(documents)
    share = (count - len(offenders)) / count
    if share >= mostly:
        how_many = f"{count - len(offenders)} of " if offenders else ""
        return Finding(
            True,
            f"{whose(ranking)}: {how_many}the top {_of(top, count)} {'are' if count > 1 else 'is'} "
            f"{'' if offenders else 'all '}{wanted.text}",
        )
    is_are = "is" if len(offenders) == 1 else "are"
    sentence = f"{whose(ranking)}: {len(offenders)} of the top {_of(top, count)} {is_are} not {wanted.text}"
    sentence += f" ({ranks_text(offenders)})"
    if mostly < 1:
        sentence += f"; {share:.0%} are, below the {mostly:.4g} this suite expects"
    marks = dict.fromkeys(offenders, f"not {wanted.text}")
    return Finding(False, sentence, marks, top, wanted.names, shortfall=1 - share)


def any_of(ranking: Ranking, condition: Condition, *, top: int) -> Finding:
    """Whether at least one of the first documents has such fields."""
    wanted = FieldCondition.of(condition)
    documents = ranking.top(top)
    if not documents:
        return nothing_came(ranking, f"no document is {wanted.text}")
    found = next((one for one in documents if wanted.holds(one.fields)), None)
    if found:
        return Finding(True, f"{whose(ranking)}: {found.doc_id} (rank {found.rank}) is {wanted.text}")
    later = next((one for one in ranking if wanted.holds(one.fields)), None)
    after = f"; the first one is {later.doc_id} at rank {later.rank}" if later else f"; nor is any of {len(ranking)}"
    sentence = f"{whose(ranking)}: none of the top {_of(top, len(documents))} is {wanted.text}"
    marks = {later.rank: f"should be in the top {top}"} if later else {}
    return Finding(False, sentence + (after if len(ranking) > top else ""), marks, top, wanted.names)


def none_of(ranking: Ranking, condition: Condition, *, top: int) -> Finding:
    """Whether not one of the first documents has such fields. It holds where nothing came back."""
    wanted = FieldCondition.of(condition)
    documents = ranking.top(top)
    offenders = [one.rank for one in documents if wanted.holds(one.fields)]
    if not offenders:
        came = "" if documents else ", for nothing came back"
        return Finding(True, f"{whose(ranking)}: none of the top {top} is {wanted.text}{came}")
    is_are = "is" if len(offenders) == 1 else "are"
    sentence = f"{whose(ranking)}: {len(offenders)} of the top {_of(top, len(documents))} {is_are} {wanted.text}"
    sentence += f" ({ranks_text(offenders)}), and none should be"
    marks = dict.fromkeys(offenders, f"is {wanted.text}")
    return Finding(False, sentence, marks, top, wanted.names, shortfall=len(offenders) / len(documents))


def distinct(
    ranking: Ranking, field: str, *, top: int = 10, at_least: int | None = None, at_most: int | None = None
) -> Finding:
    """Whether the first documents have so many different values in a field; what lacks the field adds none."""
    documents = ranking.top(top)
    if not documents:
        return nothing_came(ranking, f"there is no {field} to count")
    counts: dict[str, int] = {}
    repeats: dict[int, str] = {}
    for one in documents:
        values = _texts(one.fields, field)
        if values and all(value in counts for value in values):
            repeats[one.rank] = f"{', '.join(values)} again"
        elif not values:
            repeats[one.rank] = f"no {field}"
        for value in values:
            counts[value] = counts.get(value, 0) + 1
    head = f"{whose(ranking)}: the top {_of(top, len(documents))} has {plural(len(counts), 'value')} in {field}"
    shown = f" ({listed([f'{value} {times}x' for value, times in _most(counts)])})" if counts else ""
    if at_least is not None and len(counts) < at_least:
        sentence = f"{head}{shown}, fewer than the {at_least} this suite expects"
        missing = (at_least - len(counts)) / at_least
        return Finding(False, sentence, repeats, top, (field,), shortfall=missing)
    if at_most is not None and len(counts) > at_most:
        sentence = f"{head}{shown}, more than the {at_most} this suite allows"
        return Finding(False, sentence, {}, top, (field,), shortfall=1 - at_most / len(counts))
    return Finding(True, head)


def _of(top: int, came: int) -> str:
    return str(min(top, came))


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: -pair[1])


def _texts(fields: Mapping[str, object], path: str) -> list[str]:
    found = [
        member
        for value in values_at(fields, path)
        for member in (value if isinstance(value, list | tuple) else (value,))
    ]
    return list(dict.fromkeys(str(value) for value in found if value is not None and value != ""))
