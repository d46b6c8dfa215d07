"""HttpKind: makes the retrievers of `type: http` and of every preset of it."""

from __future__ import annotations

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.retrievers.http.keys import RequestKeys
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.requests import RequestTemplate
from pytest_relevance.retrievers.http.retriever import Entry, HttpRetriever
from pytest_relevance.retrievers.protocol import RetrieverContext, RetrieverEntry


class HttpKind:
    """One type of a suite: its name, and its options, whose defaults and `completed` are what is special about it."""

    def __init__(self, name: str, options: type[HttpOptions] = HttpOptions, *, clock: Clock | None = None) -> None:
        self.name = name
        self.options = options
        self._clock = clock or Clock()

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> HttpRetriever:
        """A retriever that asks, records or replays as the context says.

        Raises:
            SuiteError: an option is unknown or does not fit, at its place.
        """
        entry = Entry(config.name, self.name, context.folder)
        return HttpRetriever(entry, self._completed(config), context.recordings, self._clock)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:  # noqa: ARG002 - its protocol
        """Decided by the request's templates and how the answer is read; what the service holds is not ours to know."""
        options = self._completed(config)
        return RequestKeys(self.name, options, RequestTemplate(options)).fingerprint()

    def _completed(self, config: RetrieverEntry) -> HttpOptions:
        try:
            return config.validate(self.options).completed()
        except RetrieverError as error:
            raise RetrieverError(error.problem, place=config.place, fix=error.fix) from None


http = HttpKind("http")
