"""`type: fuse`: one ranking from those of other retrievers of the suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Query, Run
from pytest_relevance.retrievers.aligned import aligned, answers
from pytest_relevance.retrievers.fusion import Method, fuse_runs
from pytest_relevance.retrievers.normalise import Normalise
from pytest_relevance.retrievers.protocol import Opened, Ranked, RetrieverContext, RetrieverEntry, RunOf
from pytest_relevance.suite.forms import misfit

Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class FuseOptions(BaseModel):
    """What a suite may say beside `type: fuse`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: Annotated[tuple[str, ...], Field(min_length=2)]  # names of other retrievers
    method: Method = "rrf"
    k: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None  # of rrf; 60 unless given
    weights: tuple[Weight, ...] | None = None  # one for each of `of`, in its order; 1 each unless given
    normalise: Normalise | None = None  # of all but rrf, which looks at ranks only; min_max unless given

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len(set(self.of)) < len(self.of):
            raise misfit("a retriever stands twice in 'of'", "name it once, and give it a weight of 2", key="of")
        if self.weights is not None and len(self.weights) != len(self.of):
            problem = f"{len(self.weights)} weights for {len(self.of)} retrievers"
            raise misfit(problem, "give one for each of 'of', in its order", key="weights")
        if self.method == "weighted" and self.weights is None:
            raise misfit("method 'weighted' needs weights", "add 'weights', one for each of 'of'", key="method")
        if self.method == "rrf" and self.normalise is not None:
            raise misfit("method 'rrf' looks at ranks only", "remove 'normalise', or choose weighted", key="normalise")
        if self.method != "rrf" and self.k is not None:
            raise misfit(f"'k' belongs to method 'rrf', not to {self.method!r}", "remove 'k'", key="k")
        return self


class FuseRetriever(Opened):
    """Asks for the runs of its parts, which are retrieved once for all who want them, and fuses them."""

    def __init__(self, name: str, options: FuseOptions, run_of: RunOf) -> None:
        self._name = name
        self._options = options
        self._run_of = run_of

    def whole_run(self, queries: Sequence[Query], *, depth: int) -> Run:
        """The fusion of the parts' runs to the same depth. A query that failed in a part has failed here.

        Raises:
            RelevanceError: a part cannot be retrieved at all.
        """
        options = self._options
        fused = fuse_runs(
            [self._run_of(part, queries, depth) for part in options.of],
            method=options.method,
            k=60 if options.k is None else options.k,
            weights=options.weights,
            normalise=options.normalise or "min_max",
            depth=depth,
            name=self._name,
        )
        return aligned(fused, [query.query_id for query in queries])

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """The same, query by query."""
        return answers(self.whole_run(queries, depth=depth))


class FuseKind:
    """Makes fusions."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> FuseRetriever:
        """A fusion of other retrievers' runs.

        Raises:
            SuiteError: options are unknown, out of range, or do not fit together.
            RetrieverError: there is nobody to ask for the parts' runs.
        """
        options = config.validate(FuseOptions)
        if context.run_of is None:
            raise RetrieverError(
                f"retriever {config.name!r} fuses the runs of others, and none are offered here",
                place=config.place,
                fix="use it in a suite, or fuse runs with fuse_runs",
            )
        return FuseRetriever(config.name, options, context.run_of)

    def depends_on(self, config: RetrieverEntry) -> tuple[str, ...]:
        """The retrievers named in `of`."""
        return config.validate(FuseOptions).of

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:  # noqa: ARG002 - the protocol's
        """Decided by the options; what the parts are is told by their own fingerprints."""
        return f"fuse:{json.dumps(config.validate(FuseOptions).model_dump(mode='json'), sort_keys=True)}"


fuse = FuseKind()
