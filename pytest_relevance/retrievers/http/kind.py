"""HttpKind: makes the retrievers of `type: http` and of every preset of it."""

from __future__ import annotations

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.retrievers.http.keys import RequestKeys
from pytest_relevance.retrievers.http.local_vectors import LocalVectors
from pytest_relevance.retrievers.http.options import HttpOptions, LocalModel
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
            RetrieverError, ModuleNotFoundError: a local model for queries, or its library, is not there. A replay loads
                none, and needs no library.
        """
        entry = Entry(config.name, self.name, context.folder)
        options = self._completed(config)
        vectors = _local_vectors(config, options, context)
        if vectors is not None and (context.recordings is None or not context.recordings.replaying):
            vectors.require()
        return HttpRetriever(entry, options, context.recordings, self._clock, vectors)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by the request's templates and how the answer is read; what the service holds is not ours to know."""
        options = self._completed(config)
        vectors = _local_vectors(config, options, context)
        return RequestKeys(self.name, options, RequestTemplate(options), vectors).fingerprint()

    def _completed(self, config: RetrieverEntry) -> HttpOptions:
        try:
            return config.validate(self.options).completed()
        except RetrieverError as error:
            raise RetrieverError(error.problem, place=config.place, fix=error.fix) from None


def _local_vectors(config: RetrieverEntry, options: HttpOptions, context: RetrieverContext) -> LocalVectors | None:
    model = options.embed
    return LocalVectors(config, model, context, options.secrets) if isinstance(model, LocalModel) else None


http = HttpKind("http")
