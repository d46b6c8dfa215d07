"""One query asked through a preset: the request it made, and the run that came of a given answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asking import ask
from fault_server import Asked, FaultServer, Reply

from pytest_relevance.records import Run
from pytest_relevance.retrievers import BUILTIN
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions


def options_of(name: str) -> type[HttpOptions]:
    kind = BUILTIN[name]
    assert isinstance(kind, HttpKind)
    assert kind.name == name
    return kind.options


def asked_and_read(
    name: str, answer: Any, options: Mapping[str, Any], *, text: str = "red shoes", depth: int = 2
) -> tuple[Asked, Run]:
    """The first request of this preset for one query, and the run that came of the answer."""
    seen: list[Asked] = []

    def script(asked: Asked) -> Reply:
        seen.append(asked)
        return Reply(answer)

    with FaultServer(script) as server:
        run = ask({"url": server.url, **options}, {"q1": text}, depth=depth, kind=options_of(name))
    return seen[0], run


def scored(run: Run) -> list[tuple[str, float]]:
    return list(zip(run.ranking("q1"), run.scores_of("q1"), strict=True))
