"""Transport: one try of a request over httpx, whole within its time and size, or the reason it failed."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpx

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.http.failures import Failed
from pytest_relevance.retrievers.http.options import HttpOptions, Timeouts, Tls
from pytest_relevance.retrievers.http.quiet import quietly
from pytest_relevance.retrievers.http.requests import Request

MOST_REDIRECTS = 5
REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, repr=False)
class Received:
    """An answer with its whole body."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


class Transport:
    """Clients for as long as the context is open, inside one event loop.

    There is one for each request that may be under way: httpcore looks through a whole pool at every request, which at
    32 connections costs more than the request. Over HTTP/2 one client does, with its streams.
    """

    def __init__(self, options: HttpOptions, folder: Path) -> None:
        self._timeouts: Timeouts = options.timeouts
        self._most_bytes = int(options.most_megabytes * 1_000_000)
        count = 1 if options.http2 else options.concurrency
        self._clients = [_client(options, self._timeouts, folder) for _ in range(count)]
        self._free = list(self._clients)
        self._shared = options.http2

    async def __aenter__(self) -> Self:
        quietly()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for client in self._clients:
            await client.aclose()

    async def send(self, request: Request) -> Received:
        """Send once, follow redirects within the service, and give what came.

        Raises:
            Failed: nothing whole came. Its words are ours: httpx's hold addresses, and with them secrets.
        """
        try:
            async with asyncio.timeout(self._timeouts.total):
                return await self._followed(request)
        except TimeoutError:
            reason = f"timeout: no whole answer within {self._timeouts.total:g} s"
        except httpx.TimeoutException as error:
            reason = f"timeout: {_silence(error, self._timeouts)}"
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            raise _broken(error) from None
        raise Failed(reason, kind="timeout", again=True, unwell=True)

    async def _followed(self, request: Request) -> Received:
        for _ in range(MOST_REDIRECTS + 1):
            received = await self._once(request)
            location = received.headers.get("location")
            if received.status not in REDIRECTS or location is None:
                return received
            request = _redirected(request, received.status, location)
        raise Failed(f"more than {MOST_REDIRECTS} redirects: the service sends us in circles", kind="redirects")

    async def _once(self, request: Request) -> Received:
        client = self._free[-1] if self._shared else self._free.pop()
        try:
            return await self._read(client, request)
        finally:
            if not self._shared:
                self._free.append(client)

    async def _read(self, client: httpx.AsyncClient, request: Request) -> Received:
        address, content, headers = request.address, request.payload, request.header_bytes()
        async with client.stream(request.method, address, content=content, headers=headers) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > self._most_bytes:
                    limit = f"{self._most_bytes / 1_000_000:g} MB"
                    raise Failed(f"the answer is larger than {limit} (most_megabytes)", kind="too large")
            return Received(response.status_code, response.headers, bytes(body))


def origin(url: str) -> str:
    """Scheme, host and port: what a message may say of an address."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    return f"{parts.scheme}://{host}:{port}"


def _redirected(request: Request, status: int, location: str) -> Request:
    try:
        url = urljoin(request.url, location)
        here, there = origin(request.url), origin(url)
    except ValueError:
        raise Failed("the redirect leads to no address", kind="redirect") from None
    if there != here:
        # Headers, parameters and the query itself were meant for the service in the suite, and for no other.
        raise Failed(
            f"the service redirects to another one, {there}, which is not followed: credentials would go there too; "
            "write that address as the url if it is meant",
            kind="redirect",
        )
    if status in (301, 302, 303) and request.method != "GET":
        raise Failed(
            f"HTTP {status} redirects a {request.method}, which would lose its body; write the new address as the url",
            kind="redirect",
        )
    return replace(request, url=url, params=())  # a Location holds the parameters that are meant


def _silence(error: httpx.TimeoutException, timeouts: Timeouts) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {timeouts.connect:g} s"
    return f"no byte for {timeouts.read:g} s"


def _broken(error: Exception) -> Failed:
    cause: BaseException | None = error
    number: int | None = None
    while cause is not None and number is None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Failed(f"the certificate is not trusted: {cause.verify_message}", kind="certificate", unwell=True)
        if isinstance(cause, socket.gaierror):
            return Failed("no host of this name is known", kind="connection", again=True, unwell=True)
        number = getattr(cause, "errno", None)
        cause = cause.__cause__ or cause.__context__
    known = {errno.ECONNREFUSED: "connection refused", errno.ECONNRESET: "connection reset"}
    if isinstance(error, httpx.ConnectError):
        return Failed(known.get(number or 0, "cannot connect"), kind="connection", again=True, unwell=True)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return Failed("this request cannot be sent: its address or a header is not valid", kind="request")
    if isinstance(error, httpx.DecodingError):
        return Failed("the answer's compression is broken", kind="broken answer", again=True)
    reason = known.get(number or 0, "the connection broke in the middle of the answer")
    return Failed(reason, kind="connection", again=True, unwell=True)


def _client(options: HttpOptions, timeouts: Timeouts, folder: Path) -> httpx.AsyncClient:
    proxy = None if options.proxy in ("environment", "none", None) else str(options.proxy)
    try:
        return httpx.AsyncClient(
            http2=options.http2,
            verify=_tls(options.tls, folder) if options.tls != Tls() else _usual_tls(),
            trust_env=options.proxy == "environment",
            proxy=proxy,
            follow_redirects=False,
            headers={"User-Agent": "pytest-relevance"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # no query may change what the next one finds
            timeout=httpx.Timeout(timeouts.read, connect=timeouts.connect, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=2),  # the search's and the embedding's
        )
    except ImportError as error:
        package = "h2" if "h2" in str(error) else "socksio"
        fix = "install the extra 'http2' of pytest-relevance" if package == "h2" else "pip install 'httpx[socks]'"
        raise RetrieverError(f"this needs the package {package!r}, which is not installed", fix=fix) from None
    except (ValueError, httpx.InvalidURL):
        raise RetrieverError("the proxy is no address", fix="write it as http://host:port") from None


@cache
def _usual_tls() -> ssl.SSLContext:
    return ssl.create_default_context()  # reads hundreds of certificates: once for all retrievers


def _tls(tls: Tls, folder: Path) -> ssl.SSLContext:
    files = [None if name is None else _file(folder / name) for name in (tls.ca, tls.certificate, tls.key)]
    ca, certificate, key = files
    try:
        context = ssl.create_default_context(cafile=ca)
        if not tls.verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate is not None:
            context.load_cert_chain(certificate, key, None if tls.password is None else str(tls.password))
    except (OSError, ValueError):  # ssl's own errors are OSErrors
        fix = "check that ca, certificate and key are PEM files, and the key's password"
        raise RetrieverError("the files under tls hold no certificate or key that can be read", fix=fix) from None
    return context


def _file(path: Path) -> str:
    if not path.is_file():
        raise RetrieverError(f"cannot read {path}: no such file", fix="paths under tls begin at the suite's folder")
    return str(path)
