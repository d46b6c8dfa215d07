"""Request: what is sent for one page of one query, rendered from a retriever's options."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import Auth, Endpoint, HttpOptions
from pytest_relevance.retrievers.http.secrets import is_credential
from pytest_relevance.retrievers.http.templates import (
    OMIT,
    Names,
    Render,
    compile_text,
    compile_tree,
    compile_value,
    url_encoded,
)

NO_BODY = object()


@dataclass(frozen=True, repr=False)
class Request:
    """One request. It prints nothing of itself: it may hold secrets."""

    method: str
    url: str  # percent-encoded, without `params`
    headers: tuple[tuple[str, str], ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    body: Any = NO_BODY  # sent as JSON
    content: bytes | None = None  # sent as it is, instead of a body
    content_type: str = "application/json"

    @property
    def address(self) -> str:
        """The whole URL. Values are encoded to the letter: a blank is %20, a plus %2B."""
        if not self.params:
            return self.url
        pairs = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in self.params)
        return f"{self.url}{'&' if '?' in self.url else '?'}{pairs}"

    @property
    def payload(self) -> bytes | None:
        """The bytes of the body, None where there is none."""
        if self.content is not None:
            return self.content
        if self.body is NO_BODY:
            return None
        try:
            return json.dumps(self.body, allow_nan=False, default=str).encode("ascii")
        except ValueError as error:
            raise NotAnswered(f"the body cannot be written as JSON: {error}") from None

    def header_bytes(self) -> list[tuple[bytes, bytes]]:
        """Headers as they are sent.

        Raises:
            NotAnswered: a value would end its line and begin another header.
        """
        headers = list(self.headers)
        given = {name.lower() for name, _ in headers}
        if "content-type" not in given and (self.content is not None or self.body is not NO_BODY):
            headers.append(("Content-Type", self.content_type))
        if "accept" not in given:
            headers.append(("Accept", "application/json, */*;q=0.5"))
        for name, value in headers:
            if any(ord(sign) < 32 and sign != "\t" for sign in value):
                raise NotAnswered(f"the header {name} would hold a line break or another control character")
        return [(name.encode("ascii", "replace"), value.encode("utf-8")) for name, value in headers]

    def key_view(self) -> list[Any]:
        """What of it decides the answer: all but where the service stands and by which credentials it is asked."""
        path = urlsplit(self.url)
        headers = sorted((name.lower(), value) for name, value in self.headers if not is_credential(name, any_key=True))
        params = [pair for pair in self.params if not is_credential(pair[0])]
        return [self.method, path.path, path.query, headers, params, None if self.body is NO_BODY else self.body]

    def __repr__(self) -> str:
        return f"Request({self.method} …)"


class RequestTemplate:
    """Makes requests from templates that are compiled once."""

    def __init__(self, options: HttpOptions) -> None:
        self._url = compile_text(options.url, encode=url_encoded)
        self._headers = {name: compile_value(str_of(value)) for name, value in options.headers.items()}
        self._params = {name: _param(value) for name, value in options.params.items()}
        self._body = None if options.body is None else compile_tree(options.body)
        self._method = options.method or ("GET" if options.body is None else "POST")
        self._authorization = _authorization(options.auth)

    def request(self, names: Names) -> Request:
        """The request for these names.

        Raises:
            NotAnswered: a template says something that this query does not have.
        """
        headers = [(name, _header(render(names))) for name, render in self._headers.items()]
        body = NO_BODY if self._body is None else self._body(names)
        return Request(
            self._method,
            self._url(names),
            (*self._authorization, *((name, value) for name, value in headers if value is not None)),
            tuple(_params(self._params, names)),
            NO_BODY if body is OMIT else body,
        )


def embedding_template(options: Endpoint) -> RequestTemplate:
    """Makes the requests that ask for a query's vector."""
    body = {"model": options.model, "input": [options.input]} if options.model else {"input": [options.input]}
    asking = HttpOptions(url=options.url, headers=options.headers, body=options.body or body)
    return RequestTemplate(asking)


def str_of(value: object) -> str:
    """A scalar of an option as text; a text that is marked stays marked."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)


def _authorization(auth: Auth | None) -> tuple[tuple[str, str], ...]:
    if auth is None:
        return ()
    if auth.bearer is not None:
        return (("Authorization", f"Bearer {auth.bearer}"),)
    pair = f"{str_of(auth.user)}:{str_of(auth.password)}"
    return (("Authorization", f"Basic {b64encode(pair.encode()).decode('ascii')}"),)


def _header(value: Any) -> str | None:
    return None if value is OMIT else str_of(value)


def _param(value: object) -> Render:
    if isinstance(value, list | tuple):
        items = [compile_value(str_of(item)) for item in value]
        return lambda names: [item(names) for item in items]
    return compile_value(str_of(value)) if value is not None else lambda _: OMIT


def _params(templates: dict[str, Render], names: Names) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, render in templates.items():
        value = render(names)
        values = value if isinstance(value, list | tuple) else [value]
        pairs += [(name, str_of(one)) for one in values if one is not OMIT and one is not None]
    return pairs
