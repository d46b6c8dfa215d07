"""Workers: a few tasks that take queries one after the other, so that thousands of them cost the memory of a few."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter

from pytest_relevance.records import Query
from pytest_relevance.retrievers.http.asking import Asking, Found
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions

Take = Callable[[Query, Found | NotAnswered], Awaitable[None]]


async def spread(asking: Asking, queries: Sequence[Query], depth: int, options: HttpOptions, take: Take) -> None:
    """Ask for all queries, `concurrency` requests at a time, and hand over each answer as it comes."""
    rest = batches(queries, options.multi)

    async def work() -> None:
        for batch in rest:
            asked = perf_counter()
            answers = await asking.many(batch, depth)
            took = perf_counter() - asked if len(batch) == 1 else None
            for query, found in zip(batch, answers, strict=True):
                await take(query, replace(found, seconds=took) if isinstance(found, Found) else found)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(options.concurrency, len(queries))):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def batches(queries: Iterable[Query], size: int) -> Iterator[list[Query]]:
    """Lists of `size` queries, the last one shorter."""
    rest = iter(queries)
    while batch := list(islice(rest, size)):
        yield batch
