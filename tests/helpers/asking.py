"""What the tests of search APIs share: a retriever's run from plain options, and a clock that nobody waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from pytest_relevance.errors import Place
from pytest_relevance.records import Duplicates, Queries, Run
from pytest_relevance.retrievers import Recordings, RetrieverContext
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.retriever import HttpRetriever
from pytest_relevance.runs import retrieve_run

Options = TypeVar("Options", bound=BaseModel)


class Entry:
    """A stand-in for a suite's entry, with options as Python values."""

    def __init__(self, options: Mapping[str, Any], name: str = "live") -> None:
        self.options = options
        self.name = name
        self.type = "http"
        self.place: Place | None = None

    def validate(self, model: type[Options], /) -> Options:
        return model.model_validate(self.options)


@dataclass
class Waits:
    """A clock that jumps instead of waiting, and remembers the jumps."""

    seconds: list[float] = field(default_factory=list)
    time: float = 1_000_000.0

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, lambda: self.time, self.sleep, lambda: 1.0)


def retriever(
    options: Mapping[str, Any],
    *,
    clock: Clock | None = None,
    recordings: Recordings | None = None,
    kind: type[HttpOptions] = HttpOptions,
    folder: Path = Path(),
) -> HttpRetriever:
    """The retriever of these options."""
    context = RetrieverContext(folder, recordings=recordings)
    return HttpKind("http", kind, clock=clock or Waits().clock)(Entry(options), context)


def ask(
    options: Mapping[str, Any],
    queries: Mapping[str, str] | Queries,
    *,
    depth: int = 10,
    duplicates: Duplicates = "error",
    **more: Any,
) -> Run:
    """The run of these options for these queries."""
    asked = queries if isinstance(queries, Queries) else Queries.from_dict(queries)
    return retrieve_run(retriever(options, **more), asked, depth=depth, name="live", duplicates=duplicates)


def search(url: str, **options: Any) -> dict[str, Any]:
    """Options for a search by `q` on a fault server."""
    return {"url": f"{url}/search", "params": {"q": "{{ query.text }}"}, "score": "score", **options}


def failure(run: Run, query_id: str = "q1") -> str:
    """Why a query did not run."""
    assert query_id in run.failures, f"{query_id} ran: {run.ranking(query_id)}"
    return run.failures[query_id]
