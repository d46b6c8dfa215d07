"""How a service is reached: proxies, certificates, cookies, names that are not known."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from asking import ask, failure, search
from fault_server import Asked, FaultServer, Reply, hits


def test_proxies_of_the_environment_are_used_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(lambda _: hits("by proxy")) as proxy, FaultServer(lambda _: hits("directly")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        monkeypatch.setenv("no_proxy", "")
        monkeypatch.setenv("http_proxy", proxy.url)

        assert ask(search(server.url), {"q1": "x"}).ranking("q1") == ("by proxy",)
        assert proxy.asked[0].target.startswith(server.url)
        assert ask(search(server.url, proxy="none"), {"q1": "x"}).ranking("q1") == ("directly",)
        monkeypatch.delenv("HTTP_PROXY")
        monkeypatch.delenv("http_proxy")
        assert ask(search(server.url, proxy=proxy.url), {"q1": "x"}).ranking("q1") == ("by proxy",)


def test_a_cookie_does_not_come_back() -> None:
    def script(asked: Asked) -> Reply:
        return Reply(
            {"hits": [{"id": asked.headers.get("cookie", "none")}]}, headers={"Set-Cookie": "session=1; Path=/"}
        )

    with FaultServer(script) as server:
        run = ask({"url": server.url, "concurrency": 1}, {"q1": "x", "q2": "y"})

    assert run.ranking("q2") == ("none",)


def test_we_say_who_we_are_unless_the_suite_does() -> None:
    with FaultServer(lambda asked: hits(asked.headers["user-agent"])) as server:
        assert ask(search(server.url), {"q1": "x"}).ranking("q1") == ("pytest-relevance",)
        named = search(server.url, headers={"User-Agent": "shop tests"})
        assert ask(named, {"q1": "x"}).ranking("q1") == ("shop tests",)


def test_http2_falls_back_where_it_is_not_offered() -> None:
    with FaultServer(lambda _: hits("d1")) as server:
        run = ask(search(server.url, http2=True, concurrency=8), {f"q{number}": "x" for number in range(20)})

    assert run.failures == {}


def test_a_name_that_nobody_knows_is_told() -> None:
    run = ask(search("http://search.invalid"), {"q1": "x"})

    assert failure(run) == "no host of this name is known after 3 tries"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the command openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "only.pem")]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    both = folder / "certificate.pem"
    both.write_text((folder / "only.pem").read_text() + (folder / "key.pem").read_text())
    return both


@pytest.fixture(params=[False, True], ids=["server certificate", "and a client's"])
def tls_server(request: pytest.FixtureRequest, certificate: Path) -> Iterator[tuple[str, bool]]:
    """An HTTPS service with one answer for all, that may ask for a client's certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if request.param:
        context.load_verify_locations(certificate)
        context.verify_mode = ssl.CERT_REQUIRED
    answer = b'{"hits": [{"id": "d1"}]}'
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(answer)

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                secure.recv(65536)
                secure.sendall(head + answer)
                secure.unwrap()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"https://localhost:{listening.getsockname()[1]}", bool(request.param)
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_certificates_are_checked_trusted_and_shown(tls_server: tuple[str, bool], certificate: Path) -> None:
    url, wants_client = tls_server
    options: dict[str, Any] = {"url": url, "tries": 1, "proxy": "none"}
    client = {"certificate": certificate.name} if wants_client else {}
    trusting = {"ca": certificate.name}

    assert "the certificate is not trusted: self-signed certificate" in failure(ask(options, {"q1": "x"}))
    run = ask(options | {"tls": trusting | client}, {"q1": "x"}, folder=certificate.parent)
    assert run.failures == {}
    assert ask(options | {"tls": client | {"verify": False}}, {"q1": "x"}, folder=certificate.parent).failures == {}
    if wants_client:
        assert failure(ask(options | {"tls": trusting}, {"q1": "x"}, folder=certificate.parent))
