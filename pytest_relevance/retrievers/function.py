"""`type: function`: a user's own Python function that ranks documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from inspect import getsourcefile, unwrap
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Query
from pytest_relevance.records.run import Order
from pytest_relevance.retrievers.callables import import_callable, importing_from, told
from pytest_relevance.retrievers.hits import NotHits, hits_from
from pytest_relevance.retrievers.protocol import Ranked, RetrieverContext, RetrieverEntry


class FunctionOptions(BaseModel):
    """What a suite may say beside `type: function`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str  # package.module:callable, found in the suite's folder, the working folder, or installed
    batch: bool = False  # true: called once with all queries; false: called for each query
    argument: Literal["query", "text"] = "query"  # given a Query (text, query_id, attributes), or only its text
    order: Order = "score"  # given: answers stand best first already, and scores are only carried


class FunctionRetriever:
    """Calls a function for rankings. What goes wrong in it is the query's failure, with message and place."""

    def __init__(self, name: str, function: Callable[..., Any], options: FunctionOptions, folder: Path) -> None:
        self._name = name
        self._function = function
        self._options = options
        self._folder = folder
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(importing_from(self._folder))  # the function may import when it is called
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.close()

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """An answer for each query: `function(query, depth)`, or with `batch` `function(queries, depth)`.

        Raises:
            RetrieverError: a batch has more answers than queries, so that nobody can tell which belongs to which.
        """
        if self._options.batch:
            return self._all_at_once(queries, depth)
        return (self._one(query, depth) for query in queries)

    def _one(self, query: Query, depth: int) -> Ranked:
        asked = perf_counter()
        try:
            answer = self._function(self._argument(query), depth)
        except Exception as error:
            return Ranked(query.query_id, error=told(error))
        return self._ranked(query, answer, asked)

    def _all_at_once(self, queries: Sequence[Query], depth: int) -> Iterator[Ranked]:
        waiting = list(reversed(queries))
        try:
            answers = self._function([self._argument(query) for query in queries], depth)
            for answer in _in_order(answers, queries):
                if not waiting:
                    raise _TooMany
                query = waiting.pop()
                if answer is not _NOT_THERE:
                    yield self._ranked(query, answer)
        except _TooMany:
            raise RetrieverError(
                f"the function of {self._name!r} gave more answers than the {len(queries)} queries it was given",
                fix="give one answer for each query, in their order, or a mapping from query_id to answer",
            ) from None
        except Exception as error:
            yield from (Ranked(query.query_id, error=told(error)) for query in reversed(waiting))

    def _ranked(self, query: Query, answer: object, asked: float | None = None) -> Ranked:
        try:
            hits, scored = hits_from(answer)
        except NotHits as problem:
            return Ranked(query.query_id, error=str(problem))
        except Exception as error:  # a lazy answer that fails while it is read
            return Ranked(query.query_id, error=told(error))
        seconds = None if asked is None else perf_counter() - asked
        return Ranked(query.query_id, hits, None, self._options.order if scored else "given", seconds)

    def _argument(self, query: Query) -> Query | str:
        return query if self._options.argument == "query" else query.text


_NOT_THERE = object()


def _in_order(answers: object, queries: Sequence[Query]) -> Iterable[object]:
    """The answers of a batch beside its queries."""
    if isinstance(answers, Mapping):
        return [answers.get(query.query_id, _NOT_THERE) for query in queries]
    if isinstance(answers, str | bytes) or not isinstance(answers, Iterable):
        raise TypeError(f"the function returned {type(answers).__name__}, and not an answer for each query")
    return answers


class _TooMany(Exception):  # noqa: N818 - leaves its loop and nothing else
    """More answers than queries."""


class FunctionKind:
    """Makes retrievers of functions."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> FunctionRetriever:
        """A retriever that calls the function, which is imported now.

        Raises:
            SuiteError: options are wrong, or there is no such function, with the nearest one.
            RetrieverError: the module raises an error when it is imported.
        """
        options = config.validate(FunctionOptions)
        function = import_callable(options.function, config, context.folder)
        return FunctionRetriever(config.name, function, options, context.folder)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by the options and the file the function stands in; what that file imports is not seen."""
        options = config.validate(FunctionOptions)
        function = import_callable(options.function, config, context.folder)
        try:
            file = getsourcefile(unwrap(function))
        except TypeError:  # written in C, or an object that can be called
            file = getsourcefile(type(function)) if type(function).__module__ != "builtins" else None
        code = blake2b(Path(file).read_bytes() if file else b"", digest_size=16).hexdigest()
        return f"function:{code}:{json.dumps(options.model_dump(mode='json'), sort_keys=True)}"


function = FunctionKind()
