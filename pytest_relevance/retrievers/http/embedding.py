"""Embedder: a query's vector, before the search that needs it, from an endpoint in the style of OpenAI or a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pytest_relevance.retrievers.http.decoding import Mask, json_of
from pytest_relevance.retrievers.http.exchange import Exchange
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import Endpoint
from pytest_relevance.retrievers.http.paths import json_path
from pytest_relevance.retrievers.http.reasons import words_of
from pytest_relevance.retrievers.http.requests import embedding_template


class Embedder(Protocol):
    """Anything that knows a query's vector."""

    async def vector(self, names: Mapping[str, Any]) -> list[float]:
        """The vector of the query among `names`.

        Raises:
            NotAnswered: there is none, and so the query does not run.
        """
        ...


class EndpointEmbedder:
    """Asks an endpoint for the vector of each query."""

    def __init__(self, options: Endpoint, exchange: Exchange, mask: Mask) -> None:
        self._template = embedding_template(options)
        self._exchange = exchange
        self._path = options.vector
        self._look = json_path(options.vector)
        self._mask = mask

    async def vector(self, names: Mapping[str, Any]) -> list[float]:
        """The numbers at the configured path of the endpoint's answer."""
        try:
            received = await self._exchange.answer(self._template.request(names))
            answer = json_of(received.content, received.content_type, self._mask)
        except NotAnswered as failure:
            raise NotAnswered(f"no vector: {failure.reason}", status=failure.status) from None
        vector = self._look(answer)
        if not isinstance(vector, list) or not vector or not all(isinstance(one, int | float) for one in vector):
            told = words_of(answer.get("error"), self._mask) if isinstance(answer, Mapping) else ""
            raise NotAnswered(f"no vector at {self._path!r} in the endpoint's answer{told and f': {told}'}")
        return vector
