"""Hits: what a search found, as Python tests read it and state things of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, overload

from pytest_relevance.errors import UsageError
from pytest_relevance.evaluate.stating import Explain, Stating, sentence_of
from pytest_relevance.measures import Measure
from pytest_relevance.records.ranking import RankedDocument, Ranking
from pytest_relevance.suite import values_at
from pytest_relevance.verdict.vocabulary import Finding

ValueOf = Callable[[str], tuple[Measure, float]]  # a measure's notation → the measure and its value for the query


class Column(tuple[Any, ...]):
    """Values by rank that remember whose they are, so that a failing comparison can show the ranking.

    Equal to a list or tuple of the same values in the same order, and to a set of the same values.
    """

    hits: Hits
    name: str

    @classmethod
    def of(cls, values: Iterable[Any], hits: Hits, name: str) -> Column:
        """The values of `hits` under a name."""
        column = cls(values)
        column.hits, column.name = hits, name
        return column

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (set, frozenset)):
            return set(self) == other
        return tuple(self) == tuple(other) if isinstance(other, (list, tuple)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


class Hits(Stating):
    """The documents found for one query, best first; each has doc_id, rank, score, grade (None: unjudged), fields.

    The words of the assertion vocabulary are methods; they speak of the first `reach` documents.
    """

    def __init__(
        self, ranking: Ranking, value_of: ValueOf, *, reach: int | None = None, explain: Explain = sentence_of
    ) -> None:
        self.ranking = ranking  # the whole answer
        self.reach = max(len(ranking), 1) if reach is None else reach
        self._value_of = value_of
        self._explain = explain
        self._documents = ranking.top(self.reach)

    @overload
    def __getitem__(self, index: int) -> RankedDocument: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedDocument, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedDocument | tuple[RankedDocument, ...]:
        return self._documents[index]

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[RankedDocument]:
        return iter(self._documents)

    def __contains__(self, doc_id: object) -> bool:
        """Whether a document, by its id, is among these."""
        return any(document.doc_id == doc_id for document in self._documents)

    def __eq__(self, other: object) -> bool:
        """Whether other hits are the same documents in the same order."""
        return self.doc_ids == other.doc_ids if isinstance(other, Hits) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.doc_ids))

    def __repr__(self) -> str:
        return f"<{len(self)} hits of {self.ranking.query.text!r} on {self.ranking.retriever}>"

    @property
    def doc_ids(self) -> Column:
        """The ids, best first."""
        return Column.of((document.doc_id for document in self._documents), self, "doc_id")

    def top(self, depth: int) -> Hits:
        """The first `depth` documents, or all there are.

        Raises:
            UsageError: there are none before the first.
        """
        if depth < 1:
            raise UsageError(f"top({depth}) holds no document, whatever is found", fix="ask for at least one")
        return Hits(self.ranking, self._value_of, reach=depth, explain=self._explain)

    def rank_of(self, doc_id: str) -> int | None:
        """The rank of a document, from 1; None where it was not found."""
        return self.ranking.ranks.get(doc_id)

    def values(self, field: str) -> Column:
        """The values of a field (a dotted path enters nested ones), document by document; a missing one gives None."""
        found = (values_at(document.fields, field) for document in self._documents)
        return Column.of((values[0] if values else None for values in found), self, field)

    def measure(self, notation: str) -> float:
        """A measure's value for this query, such as `hits.measure("nDCG-f@10")`, under the suite's first judgment set.

        Raises:
            MeasureError: the notation is no measure.
            SuiteError: the query has no judgments.
        """
        return self._value(notation)[1]

    def _value(self, notation: str) -> tuple[Measure, float]:
        return self._value_of(notation)

    def _stated(self, finding: Finding) -> Hits:
        __tracebackhide__ = True
        if not finding.holds:
            raise AssertionError(self._explain(self.ranking, finding))
        return self
