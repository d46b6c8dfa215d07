"""RequestKeys: the hash under which an answer is recorded: all that decides it, and nothing that is secret."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any

from pytest_relevance.records import Query
from pytest_relevance.retrievers.http.asking import first_names
from pytest_relevance.retrievers.http.local_vectors import LocalVectors
from pytest_relevance.retrievers.http.options import Endpoint, HttpOptions
from pytest_relevance.retrievers.http.requests import RequestTemplate, embedding_template

VERSION = 1  # of what is hashed

# Options that say how a service is reached and treated, and not what it answers.
_HOW = frozenset(
    (
        *("url", "headers", "params", "body", "auth", "embed"),  # in the rendered requests
        *("proxy", "tls", "http2", "concurrency", "rate", "multi", "most_megabytes"),
        *("tries", "longest_wait", "give_up_after", "timeout"),
    )
)


class RequestKeys:
    """Keys of one retriever's requests."""

    def __init__(
        self, kind: str, options: HttpOptions, template: RequestTemplate, vectors: LocalVectors | None = None
    ) -> None:
        self._options = options
        self._template = template
        self._endpoint = embedding_template(options.embed) if isinstance(options.embed, Endpoint) else None
        self._vectors = vectors
        self._digest = blake2b(_json([VERSION, kind, _deciding(options)]).encode("ascii"), digest_size=16)

    def key(self, query: Query, depth: int) -> str:
        """The key of a query's answer to this depth.

        The vector of a query is not in it, but what decides the vector is, the request that asks for it or the local
        model: a replay cannot embed.

        Raises:
            NotAnswered: a template says something that this query does not have.
            RetrieverError: a local model that is told by its files is not there.
        """
        names = first_names(query, depth, self._options)
        views: list[Any] = [depth]
        embed = self._options.embed
        if self._endpoint is not None and isinstance(embed, Endpoint):
            views.append([self._endpoint.request(names).key_view(), embed.vector])
        elif self._vectors is not None:
            views.append([self._identity, query.text])
        if embed is not None:
            names["vector"] = ["the vector of the query"]
        views.append(self._template.request(names).key_view())
        digest = self._digest.copy()
        digest.update(self._options.secrets.mask_credentials(_json(views)).encode("ascii"))
        return digest.hexdigest()

    def fingerprint(self) -> str:
        """A hash of the configuration with its templates as they are written."""
        path = str(self._options.url).partition("://")[2].partition("/")[2]  # a host may change, as from test to live
        templates = [path, self._options.params, self._options.body]
        embed = self._options.embed
        endpoint = embed.model_dump(exclude={"headers"}) if isinstance(embed, Endpoint) else None
        parts = [templates, endpoint if self._vectors is None else self._identity]
        digest = self._digest.copy()
        digest.update(self._options.secrets.mask_credentials(_json(parts)).encode("ascii"))
        return digest.hexdigest()

    @cached_property
    def _identity(self) -> str:
        return "" if self._vectors is None else self._vectors.identity()


def _deciding(options: HttpOptions) -> Mapping[str, Any]:
    names = [name for name in HttpOptions.model_fields if name not in _HOW]
    found = ((name, getattr(options, name)) for name in names)
    return {name: value.model_dump() if hasattr(value, "model_dump") else value for name, value in found}


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
