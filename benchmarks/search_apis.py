"""What asking a search API costs: our retriever against a bare httpx loop, and a replay against a live service.

    python benchmarks/search_apis.py                # --queries 3000 --rounds 5 --recorded 10000

The service is a trivial one on loopback, in a process of its own. Bare and ours take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from pytest_relevance.records import Query
from pytest_relevance.retrievers import RetrieverContext
from pytest_relevance.retrievers.http.kind import http
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.runs import RecordingFolder

HITS = [{"id": f"document-{number}", "score": 10.0 - number} for number in range(10)]


class Entry:
    """An entry of a suite without a suite."""

    name = "live"
    type = "http"
    place = None

    def __init__(self, **options: Any) -> None:
        self._options = options

    def validate(self, model: Any, /) -> Any:
        """The options, which fit."""
        return model.model_validate(self._options)


async def serve(delay: float) -> None:
    """Answer every request with ten documents, after `delay` seconds; tell the port on standard output."""
    body = json.dumps({"hits": HITS}).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                if delay:
                    await asyncio.sleep(delay)
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def service(delay: float = 0.0) -> Iterator[str]:
    """The address of a running service."""
    command = [sys.executable, __file__, "--serve", str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/search"
        finally:
            process.terminate()


def bare(url: str, queries: Sequence[Query], concurrency: int) -> None:
    """What a user would write: one client, as many tasks as requests at once."""

    async def run() -> None:
        rest = iter(queries)
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        async with httpx.AsyncClient(limits=limits) as client:

            async def work() -> None:
                for query in rest:
                    answer = (await client.get(url, params={"q": query.text})).json()
                    assert len([hit["id"] for hit in answer["hits"]]) == 10

            await asyncio.gather(*(work() for _ in range(concurrency)))

    asyncio.run(run())


def ours(
    url: str, queries: Sequence[Query], concurrency: int | None = None, recordings: RecordingFolder | None = None
) -> None:
    """The retriever; without a concurrency its default."""
    more = {} if concurrency is None else {"concurrency": concurrency}
    entry = Entry(url=url, params={"q": "{{ query.text }}"}, score="score", **more)
    with http(entry, RetrieverContext(Path(), recordings=recordings)) as retriever:
        for ranked in retriever.retrieve(queries, depth=10):
            assert len(ranked.hits) == 10, ranked.error


def seconds(work: Callable[[], None]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def throughput(queries: Sequence[Query], rounds: int) -> Iterator[str]:
    """Requests a second, bare and ours in turn."""
    yield f"| {len(queries):,} requests, at once | bare httpx, 1/s | ours, 1/s | ours / bare (median of rounds) |"
    yield "|---|---|---|---|"
    with service() as url:
        ours(url, queries[:100], 4)  # imports and certificates are paid for once
        for concurrency in (1, 4, 16, 32):
            pairs = [
                (seconds(lambda: bare(url, queries, concurrency)), seconds(lambda: ours(url, queries, concurrency)))  # noqa: B023 - called at once
                for _ in range(rounds)
            ]
            rates = [len(queries) / statistics.median(times) for times in zip(*pairs, strict=True)]
            ratio = statistics.median(one / other for one, other in pairs)
            yield f"| {concurrency} | {rates[0]:,.0f} | {rates[1]:,.0f} | {ratio:.2f} |"


def replay(queries: Sequence[Query]) -> Iterator[str]:
    """A live service that takes 10 ms an answer, recorded, against the replay of it."""
    yield f"| {len(queries):,} queries | s | 1/s |"
    yield "|---|---|---|"
    with tempfile.TemporaryDirectory() as folder, service(0.01) as url:
        live = seconds(lambda: ours(url, queries, None, RecordingFolder(Path(folder), "record")))
        replayed = min(
            seconds(lambda: ours(url, queries, None, RecordingFolder(Path(folder), "replay"))) for _ in range(3)
        )
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    at_once = HttpOptions.model_fields["concurrency"].default
    yield f"| live: 10 ms an answer, {at_once} at once (the default) | {live:.1f} | {len(queries) / live:,.0f} |"
    yield f"| replayed ({size / len(queries):,.0f} bytes a query) | {replayed:.2f} | {len(queries) / replayed:,.0f} |"
    yield f"| faster by | {live / replayed:.0f}× | |"


def main() -> None:
    """Measure, print as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=3000, help="requests of each measurement (default 3000)")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (default 5)")
    parser.add_argument("--recorded", type=int, default=10_000, help="queries recorded and replayed (default 10000)")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        asyncio.run(serve(chosen.serve))
        return
    queries = [Query(f"q{number}", f"text {number}") for number in range(max(chosen.queries, chosen.recorded))]
    for line in throughput(queries[: chosen.queries], chosen.rounds):
        print(line, flush=True)
    print()
    for line in replay(queries[: chosen.recorded]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
