"""Stating: the words of the assertion vocabulary as methods, each with the meaning it has in a suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

from pytest_relevance.errors import UsageError
from pytest_relevance.measures import Measure
from pytest_relevance.records.ranking import Ranking
from pytest_relevance.verdict import vocabulary
from pytest_relevance.verdict.vocabulary import Finding

Explain = Callable[[Ranking, Finding], str]  # the text of a finding that does not hold


def sentence_of(_: Ranking, finding: Finding) -> str:
    """The plainest explanation: the sentence and what is told under it."""
    return "\n".join((finding.sentence, *finding.remarks))


class Stating(ABC):
    """What can be stated of a ranking and its first `reach` documents. A statement that does not hold raises.

    Each method gives the object back, so that statements can be joined: `hits.top(5).all(brand="A").contains("X")`.

    Raises:
        AssertionError: (every method) it does not hold; the text is what a suite's failure says.
    """

    ranking: Ranking
    reach: int  # the documents that are spoken of, from the first on

    @abstractmethod
    def _stated(self, finding: Finding) -> Self:
        """Go on where a finding holds, and raise where it does not."""

    @abstractmethod
    def _value(self, notation: str) -> tuple[Measure, float]:
        """A measure and its value for the query."""

    def first(self, doc_id: str) -> Self:
        """This document is first."""
        __tracebackhide__ = True
        return self._stated(vocabulary.first(self.ranking, doc_id))

    def contains(self, *doc_ids: str, at_least: int | None = None, any_of: bool = False) -> Self:
        """All of these documents are there (`at_least`: so many of them; `any_of`: one)."""
        __tracebackhide__ = True
        found = vocabulary.contains(self.ranking, doc_ids, top=self.reach, at_least=at_least, any_of=any_of)
        return self._stated(found)

    def excludes(self, *doc_ids: str, **fields: object) -> Self:
        """None of these documents is there, or none with such fields."""
        __tracebackhide__ = True
        return self._stated(vocabulary.excludes(self.ranking, doc_ids or _fields(None, fields), top=self.reach))

    def all(self, condition: Mapping[str, object] | None = None, /, **fields: object) -> Self:
        """Every document has such fields: `all(category="footwear")`, `all({"price": {"at_most": "100"}})`."""
        __tracebackhide__ = True
        return self._stated(vocabulary.all_of(self.ranking, _fields(condition, fields), top=self.reach))

    def mostly(self, share: float, condition: Mapping[str, object] | None = None, /, **fields: object) -> Self:
        """At least such a share of the documents, 0.0 to 1.0, has such fields."""
        __tracebackhide__ = True
        asked = _fields(condition, fields)
        return self._stated(vocabulary.all_of(self.ranking, asked, top=self.reach, mostly=share))

    def any(self, condition: Mapping[str, object] | None = None, /, **fields: object) -> Self:
        """At least one document has such fields."""
        __tracebackhide__ = True
        return self._stated(vocabulary.any_of(self.ranking, _fields(condition, fields), top=self.reach))

    def none(self, condition: Mapping[str, object] | None = None, /, **fields: object) -> Self:
        """No document has such fields."""
        __tracebackhide__ = True
        return self._stated(vocabulary.none_of(self.ranking, _fields(condition, fields), top=self.reach))

    def above(self, doc_id: str, other: str) -> Self:
        """A document stands above another."""
        __tracebackhide__ = True
        return self._stated(vocabulary.above(self.ranking, doc_id, other))

    def below(self, doc_id: str, other: str) -> Self:
        """A document stands below another."""
        __tracebackhide__ = True
        return self._stated(vocabulary.below(self.ranking, doc_id, other))

    def at_rank(self, doc_id: str, *, at_least: int | None = None, at_most: int | None = None) -> Self:
        """A document stands at a rank within bounds, from 1, both ends included."""
        __tracebackhide__ = True
        return self._stated(vocabulary.at_rank(self.ranking, doc_id, at_least=at_least, at_most=at_most))

    def order(self, *doc_ids: str) -> Self:
        """Documents stand in this order, with others between them or not."""
        __tracebackhide__ = True
        return self._stated(vocabulary.in_order(self.ranking, doc_ids))

    def tiers(self, *tiers: Sequence[str]) -> Self:
        """Each document of a tier stands above each of the tiers after it; inside a tier nothing is claimed."""
        __tracebackhide__ = True
        return self._stated(vocabulary.in_tiers(self.ranking, tiers))

    def sorted_by(self, field: str, order: Literal["ascending", "descending"] = "ascending") -> Self:
        """The documents are sorted by a field."""
        __tracebackhide__ = True
        return self._stated(vocabulary.sorted_by(self.ranking, field, order=order, top=self.reach))

    def results(self, count: int | None = None, *, at_least: int | None = None, at_most: int | None = None) -> Self:
        """So many documents came back: exactly `count`, or within bounds."""
        __tracebackhide__ = True
        low, high = (at_least, at_most) if count is None else (count, count)
        return self._stated(vocabulary.results(self.ranking, at_least=low, at_most=high))

    def distinct(self, field: str, *, at_least: int | None = None, at_most: int | None = None) -> Self:
        """The documents have so many different values in a field."""
        __tracebackhide__ = True
        found = vocabulary.distinct(self.ranking, field, top=self.reach, at_least=at_least, at_most=at_most)
        return self._stated(found)

    def same_as(self, other: Stating, *, any_order: bool = False) -> Self:
        """The documents are those of other hits, in their order (`any_order`: in whatever order)."""
        __tracebackhide__ = True
        return self._stated(vocabulary.same_as(self.ranking, other.ranking, top=self.reach, any_order=any_order))

    def subset_of(self, other: Stating) -> Self:
        """The documents are all among those of other hits."""
        __tracebackhide__ = True
        return self._stated(vocabulary.subset_of(self.ranking, other.ranking, top=self.reach))

    def overlaps(self, other: Stating, at_least: float) -> Self:
        """The documents and those of other hits share so much, 0.0 to 1.0."""
        __tracebackhide__ = True
        return self._stated(vocabulary.overlaps(self.ranking, other.ranking, at_least=at_least, top=self.reach))

    def more_results_than(self, other: Stating) -> Self:
        """More documents came back than in other hits."""
        __tracebackhide__ = True
        return self._stated(vocabulary.more_results_than(self.ranking, other.ranking))

    def fewer_results_than(self, other: Stating) -> Self:
        """Fewer documents came back than in other hits."""
        __tracebackhide__ = True
        return self._stated(vocabulary.fewer_results_than(self.ranking, other.ranking))

    def measures(self, notation: str, *, at_least: float | None = None, at_most: float | None = None) -> Self:
        """A measure's value for this query keeps to bounds; a failure lists what stands above something better."""
        __tracebackhide__ = True
        measure, value = self._value(notation)
        return self._stated(vocabulary.measure(self.ranking, measure, value, at_least=at_least, at_most=at_most))

    def latency(self, *, at_most: float) -> Self:
        """The answer came within so many seconds.

        Raises:
            UsageError: the retriever answers many queries at once, so that nobody knows the time of one.
        """
        __tracebackhide__ = True
        try:
            found = vocabulary.latency(self.ranking, at_most=at_most)
        except ValueError as error:
            raise UsageError(str(error), fix="ask a retriever that answers query by query") from None
        return self._stated(found)

    def where(self, function: Callable[[Ranking], Any], *, name: str = "") -> Self:
        """A function of the ranking is true of it."""
        __tracebackhide__ = True
        called = name or getattr(function, "__name__", "the function")
        return self._stated(vocabulary.where(self.ranking, function, name=called, top=self.reach))


def _fields(condition: Mapping[str, object] | None, fields: Mapping[str, object]) -> Mapping[str, object]:
    return {**(condition or {}), **fields}
