"""A scripted server on loopback: each request is answered, or ill-treated, as a function of the test says."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as the server saw it."""

    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    content: bytes
    number: int  # of all requests, from 1

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def params(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def query(self) -> str:
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True)["q"][0]

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass(frozen=True)
class Reply:
    """An answer. `body` is sent as JSON unless it is bytes."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None  # told instead of the true one
    sent: int | None = None  # bytes of the body after which the connection is reset
    drip: float | None = None  # seconds before each byte of the body

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Silence:
    """No answer, ever."""


class Reset:
    """The connection is reset without an answer."""


Script = Callable[[Asked], Reply | Silence | Reset]


def hits(*doc_ids: Any, **more: Any) -> Reply:
    """An answer with these documents, the first with the highest score."""
    found = [{"id": doc_id, "score": float(len(doc_ids) - place)} for place, doc_id in enumerate(doc_ids)]
    return Reply({"hits": found, **more})


class FaultServer:
    """Runs in a thread of its own, on a free port."""

    def __init__(self, script: Script, host: str = "127.0.0.1") -> None:
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._script = script
        self._host = host
        self._at_once = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self.port}"

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                    while await self._exchange(reader, writer):
                        pass
            finally:
                connections.discard(task)
                writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(method, target, headers, content, len(self.asked) + 1)
        self.asked.append(asked)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._answer(self._script(asked), writer)
        finally:
            self._at_once -= 1

    async def _answer(self, reply: Reply | Silence | Reset, writer: asyncio.StreamWriter) -> bool:
        if isinstance(reply, Silence):
            await self._stop.wait()
            return False
        if isinstance(reply, Reset):
            return _reset(writer)
        content = reply.content
        told = {
            "Content-Type": "application/json",
            **reply.headers,
            "Content-Length": str(reply.length or len(content)),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        writer.write(f"HTTP/1.1 {reply.status} told\r\n{lines}\r\n".encode("latin-1"))
        if reply.drip is not None:
            for byte in content:
                await asyncio.sleep(reply.drip)
                writer.write(bytes([byte]))
                await writer.drain()
            return True
        writer.write(content[: reply.sent])
        await writer.drain()
        if reply.sent is not None:
            return _reset(writer)
        return reply.length is None


def _reset(writer: asyncio.StreamWriter) -> bool:
    connection = writer.get_extra_info("socket")
    # With no time to linger, closing sends a reset instead of a goodbye.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
