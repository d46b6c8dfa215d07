"""Searching: one suite's retrievers for Python tests; what tests announce is fetched at once, the rest when asked."""

from __future__ import annotations

from pytest_relevance.errors import SuiteError, UsageError, suggestion
from pytest_relevance.evaluate.flow import SuiteFlow
from pytest_relevance.evaluate.hits import Hits
from pytest_relevance.evaluate.stating import Explain, sentence_of
from pytest_relevance.measures import Measure, evaluate, parse_measure
from pytest_relevance.records import Query, Run
from pytest_relevance.suite import resolve_query


class Searching:
    """Answers searches of one suite. `announce` first: queries announced of a retriever are retrieved together."""

    def __init__(self, flow: SuiteFlow, explain: Explain = sentence_of) -> None:
        self.flow = flow
        self._explain = explain
        self._announced: dict[str, dict[str, Query]] = {name: {} for name in flow.suite.retrievers}
        self._depths: dict[str, int] = {}
        self._batches: dict[str, Run] = {}

    @property
    def retriever(self) -> str:
        """The suite's first retriever, which is meant where none is named."""
        return next(iter(self.flow.suite.retrievers))

    def announce(self, query: str, *, retriever: str | None = None, depth: int | None = None) -> None:
        """Say that a search will be made."""
        name = self._known(retriever)
        found = self.query_of(query)
        self._announced[name][found.query_id] = found
        self._depths[name] = max(self._depths.get(name, 0), self._depth(name, depth))

    def search(self, query: str | Query, *, retriever: str | None = None, depth: int | None = None) -> Hits:
        """What a retriever finds for a query, by id, text or record.

        Raises:
            SuiteError: the retriever is unknown. RetrieverError: it cannot be made, or the query did not run.
        """
        name = self._known(retriever)
        asked = query if isinstance(query, Query) else self.query_of(query)
        wanted = self._depth(name, depth)
        run = self._run(name, asked, wanted)
        ranking = self.flow.ranking_in(run.restricted_to([asked.query_id]).cut(wanted), name, asked)
        return Hits(ranking, lambda notation: self._value(run, asked, notation), explain=self._explain)

    def run(self, retriever: str | None = None, *, depth: int | None = None) -> Run:
        """The run of a retriever for all the suite's queries."""
        name = self._known(retriever)
        retrieval = self.flow.retrieval
        return retrieval.folded(retrieval.run_for(name, self.flow.data.queries.items, self._depth(name, depth)))

    def query_of(self, text: str) -> Query:
        """The suite's query of that id or text, or a query of its own."""
        return resolve_query(self.flow.data.queries, text) or Query(text, text)

    def _run(self, name: str, query: Query, depth: int) -> Run:
        announced, retrieval = self._announced[name], self.flow.retrieval
        if query.query_id not in announced or depth > self._depths[name]:
            return retrieval.folded(retrieval.run_for(name, [query], depth))
        if name not in self._batches:
            batch = retrieval.run_for(name, tuple(announced.values()), self._depths[name])
            self._batches[name] = retrieval.folded(batch)
        return self._batches[name]

    def _value(self, run: Run, query: Query, notation: str) -> tuple[Measure, float]:
        measure = self.flow.suite.grades.applied_to(parse_measure(notation, known=self.flow.known_measures))
        qrels = self.flow.data.qrels
        judged = next(iter(qrels.values()), None)
        if judged is None or query.query_id not in judged:
            names = ", ".join(qrels) or "none in this suite"
            raise SuiteError(
                f"query {query.query_id!r} has no judgments (judgment sets: {names})", fix="judge it first"
            )
        only = [query.query_id]
        evaluation = evaluate(run.restricted_to(only), judged.restricted_to(only), [measure])
        return measure, evaluation[measure.name][query.query_id]

    def _depth(self, name: str, asked: int | None) -> int:
        depth = self.flow.suite.depth_for(name) if asked is None else asked
        if depth < 1:
            raise UsageError(f"depth {depth} is below 1", fix="ask for at least one document")
        return depth

    def _known(self, retriever: str | None) -> str:
        name = retriever or self.retriever
        if name not in self._announced:
            raise SuiteError(
                f"unknown retriever {name!r} in suite {self.flow.suite.name!r}",
                fix=suggestion(name, self._announced, label="retrievers"),
            )
        return name
