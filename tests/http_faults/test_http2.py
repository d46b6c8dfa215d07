"""HTTP/2 for real: a server that speaks it over TLS, whose authority and clients' certificates are of the tests."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from asking import ask, failure

from pytest_relevance.errors import RetrieverError

PASSWORD = "a pass phrase"
App = Callable[[Any, Any, Any], Awaitable[None]]


class Authority:
    """Who signs the certificates, with the files of them."""

    def __init__(self, folder: Path) -> None:
        made = import_module("trustme").CA()
        server, client = made.issue_cert("localhost"), made.issue_cert("client@localhost")
        self.folder = folder
        made.cert_pem.write_to_path(folder / "ca.pem")
        server.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
        client.private_key_and_cert_chain_pem.write_to_path(folder / "client.pem")
        client.cert_chain_pems[0].write_to_path(folder / "client-only.pem")
        (folder / "client.key").write_bytes(encrypted(client.private_key_pem.bytes()))


def encrypted(key: bytes) -> bytes:
    forms = import_module("cryptography.hazmat.primitives.serialization")
    chosen = forms.BestAvailableEncryption(PASSWORD.encode())
    read = forms.load_pem_private_key(key, None)
    written: bytes = read.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, chosen)
    return written


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if missing := [name for name in ("hypercorn", "trustme") if find_spec(name) is None]:
        pytest.skip(f"needs {', '.join(missing)}: pip install --group test")
    return Authority(tmp_path_factory.mktemp("authority"))


class Seen:
    """The requests as the server saw them."""

    def __init__(self) -> None:
        self.versions: list[str] = []
        self.connections: set[tuple[str, int]] = set()
        self.at_once = 0
        self.most_at_once = 0

    @contextmanager
    def request(self, scope: Any) -> Iterator[None]:
        self.versions.append(scope["http_version"])
        self.connections.add(tuple(scope["client"]))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            self.at_once -= 1


async def answer(send: Any, body: bytes, status: int = 200) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(app: App, authority: Authority, **more: Any) -> Iterator[str]:
    """The address of the application, served over HTTP/2 where a client offers it, from a thread of its own."""
    config = import_module("hypercorn.config").Config()
    serve = import_module("hypercorn.asyncio").serve
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config.bind = [f"fd://{listening.detach()}"]
    config.certfile = config.keyfile = str(authority.folder / "server.pem")
    config.errorlog, config.graceful_timeout = None, 0.1
    for name, value in more.items():
        setattr(config, name, value)
    loops: list[asyncio.AbstractEventLoop] = []
    started, stop = threading.Event(), asyncio.Event()

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        started.set()
        await serve(app, config, shutdown_trigger=stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield f"https://localhost:{port}/search"
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join(10)


def options(url: str, **more: Any) -> dict[str, Any]:
    told = {"url": url, "params": {"q": "{{ query.text }}"}, "proxy": "none", "http2": True, "tls": {"ca": "ca.pem"}}
    return told | more


def test_requests_share_one_connection_through_its_streams(authority: Authority) -> None:
    """No request is answered before eight have come: one connection that carried one at a time would wait for ever."""
    seen, eight = Seen(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        with seen.request(scope):
            if seen.at_once == 8:
                eight.set()
            await eight.wait()
            await answer(send, b'{"hits": [{"id": "d1"}]}')

    queries = {f"q{number}": f"text {number}" for number in range(40)}
    with serving(app, authority) as url:
        run = ask(options(url, concurrency=8), queries, folder=authority.folder)

    assert run.failures == {}
    assert all(run.ranking(query_id) == ("d1",) for query_id in queries)
    assert set(seen.versions) == {"2"}
    assert (len(seen.versions), len(seen.connections), seen.most_at_once) == (40, 1, 8)


def test_without_the_option_it_is_http_1_1(authority: Authority) -> None:
    seen = Seen()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            with seen.request(scope):
                await answer(send, b'{"hits": []}')

    with serving(app, authority) as url:
        assert ask(options(url, http2=False), {"q1": "x"}, folder=authority.folder).failures == {}
    assert seen.versions == ["1.1"]


def test_a_connection_that_the_server_ends_now_and_then_loses_no_query(authority: Authority) -> None:
    """It says goodbye after ten requests, and answers each query once."""
    asked: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            asked.append(scope["query_string"].decode())
            await answer(send, b'{"hits": [{"id": "d1"}]}')

    queries = {f"q{number}": f"text{number}" for number in range(60)}
    with serving(app, authority, keep_alive_max_requests=10) as url:
        run = ask(options(url, concurrency=4), queries, folder=authority.folder)

    assert run.failures == {}
    assert set(asked) == {f"q=text{number}" for number in range(60)}


def test_an_answer_that_is_larger_than_a_window_comes_whole_and_one_that_is_too_large_does_not(
    authority: Authority,
) -> None:
    """Streams begin with windows of 64 KiB; the answer has 600 kB."""
    hits = ", ".join(f'{{"id": "document {number:06}", "text": "{"x" * 500}"}}' for number in range(1100))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await answer(send, f'{{"hits": [{hits}]}}'.encode())

    with serving(app, authority) as url:
        run = ask(options(url), {"q1": "x"}, depth=1100, folder=authority.folder)
        small = ask(options(url, most_megabytes=0.1), {"q1": "x"}, folder=authority.folder)

    assert len(run.ranking("q1")) == 1100
    assert "the answer is larger than 0.1 MB" in failure(small)


def test_a_connection_that_ends_in_the_middle_of_an_answer_is_tried_again(authority: Authority) -> None:
    """The server lets it go, as an idle one, once its application has broken."""
    broken: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if len(broken) == 2:
            await answer(send, b'{"hits": [{"id": "d1"}]}')
            return
        broken.append(scope["http_version"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b'{"hits": [', "more_body": True})
        raise OSError("the disk of the index is gone")

    with serving(app, authority, keep_alive_timeout=0.1) as url:
        run = ask(options(url), {"q1": "x"}, folder=authority.folder)

    assert (run.ranking("q1"), broken) == (("d1",), ["2", "2"])


def test_a_query_without_an_answer_holds_up_no_other_on_its_connection(authority: Authority) -> None:
    seen = Seen()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        with seen.request(scope):
            while b"slow" in scope["query_string"] and (await receive())["type"] != "http.disconnect":
                pass
            await answer(send, b'{"hits": [{"id": "d1"}]}')

    wanted = {"q1": "slow", **{f"q{number}": "x" for number in range(2, 8)}}
    with serving(app, authority) as url:
        asked = options(url, concurrency=1, tries=1, timeout=0.5)
        run = ask(asked, wanted, folder=authority.folder)

    assert set(run.failures) == {"q1"}
    assert "timeout: no whole answer within 0.5 s" in failure(run)
    assert len(seen.connections) == 1


CLIENTS: dict[str, dict[str, str]] = {
    "certificate and key in one file": {"certificate": "client.pem"},
    "a key of its own with a password": {
        "certificate": "client-only.pem",
        "key": "client.key",
        "password": PASSWORD,
    },
}


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_server_that_wants_to_know_its_clients_is_shown_a_certificate(
    authority: Authority, client: dict[str, str]
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await answer(send, b'{"hits": [{"id": "d1"}]}')

    ca = {"ca_certs": str(authority.folder / "ca.pem"), "verify_mode": ssl.CERT_REQUIRED}
    with serving(app, authority, **ca) as url:
        known = ask(options(url, tls={"ca": "ca.pem"} | client), {"q1": "x"}, folder=authority.folder)
        unknown = ask(options(url, tries=1), {"q1": "x"}, folder=authority.folder)

    assert known.ranking("q1") == ("d1",)
    assert failure(unknown)


def test_a_password_that_does_not_open_the_key_is_told_and_not_shown(authority: Authority) -> None:
    tls = {"certificate": "client-only.pem", "key": "client.key", "password": "another phrase"}

    with pytest.raises(RetrieverError, match="hold no certificate or key that can be read") as caught:
        ask(options("https://localhost:9/", tls=tls), {"q1": "x"}, folder=authority.folder)
    assert "another phrase" not in f"{caught.value}"


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    def without_h2(*_: Any, **__: Any) -> None:
        raise ImportError("Using http2=True, but the 'h2' package is not installed.")

    monkeypatch.setattr(httpx, "AsyncClient", without_h2)
    with pytest.raises(RetrieverError, match="needs the package 'h2'") as caught:
        ask({"url": "http://localhost:9/", "http2": True}, {"q1": "x"})
    assert caught.value.fix == "install the extra 'http2' of pytest-relevance"
