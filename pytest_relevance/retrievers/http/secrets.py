"""Secrets: what came from the environment or names itself a credential, and texts without it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus, urlsplit

from pytest_relevance.suite.scalars import Text, references_in

MASK = "***"
# Shorter values, and short numbers, are ports, sizes and the like: masking them would only spoil messages.
SHORTEST = 4
SHORTEST_NUMBER = 6
SHORTEST_IN_DATA = 8

_CREDENTIALS = frozenset(
    (
        *("apikey", "token", "secret", "password", "passwd", "pwd", "credential", "credentials"),
        *("auth", "authorization", "bearer", "cookie", "signature", "jwt"),
    )
)
_OF_A_KEY = frozenset(("api", "access", "private", "subscription", "admin", "master"))  # `api_key`, not `sort_key`
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_KEY_LIKE = re.compile(r"(?:(?:bearer|basic|apikey|token)\s+)?(?=\S*\d)(?=\S*[a-z])[\w+=~-]{20,}", re.IGNORECASE)


def is_credential(name: str, *, any_key: bool = False) -> bool:
    """Whether what has this name holds a credential: `access_token`, `api_key`.

    With `any_key` also `SEARCH_KEY`: right for headers and environment variables, where a key is nothing else.
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(words & _CREDENTIALS) or ("key" in words and (any_key or bool(words & _OF_A_KEY)))


class Secrets:
    """Values that no message, recording or log may hold."""

    def __init__(self, values: Iterable[str] = (), credentials: Iterable[str] = ()) -> None:
        worth = {part for value in values for part in _parts(value) if _is_worth_masking(part)}
        strict = {value for value in credentials if len(value) >= SHORTEST}
        self._all = _pattern(worth | strict)
        # A key such as `test` or `password` stands in many an id and text that has nothing to do with it.
        self._credentials = _pattern({one for one in strict if len(one) >= SHORTEST_IN_DATA and not one.isalpha()})

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Secrets:
        """The secrets of a retriever's options as they were written: environment values, and literals named as keys."""
        references = list(references_in(options))
        literal = {value for _, value in _credentials(options) if _is_worth_masking(value)}
        literal |= {value.rpartition(" ")[2] for value in literal} | set(_basic(options.get("auth")))
        credentials = {one.value for one in references if is_credential(one.name, any_key=True)}
        return cls((one.value for one in references), literal | credentials)

    def mask(self, text: str) -> str:
        """`text` with every secret in it, in any form it is sent in, as ***."""
        return self._all.sub(MASK, text) if self._all else text

    def mask_credentials(self, text: str) -> str:
        """`text`, which is data, without what is a credential by its name and cannot be a word.

        Other environment values, such as an index's name, stay.
        """
        return self._credentials.sub(MASK, text) if self._credentials else text

    def __repr__(self) -> str:
        return "Secrets(…)"


def written_credentials(options: Mapping[str, object]) -> Iterator[str]:
    """Names of options whose value is written in the suite and looks like a credential."""
    named = [(name, value) for name, value in _credentials(options) if len(value) >= SHORTEST]
    for key in ("headers", "params"):
        table = options.get(key)
        if isinstance(table, Mapping):
            named += [(name, value) for name, value in _named_values(table) if _KEY_LIKE.fullmatch(value)]
    for name, value in named:
        if "{{" not in value and not (isinstance(value, Text) and value.references):
            yield name
    url = options.get("url")
    if isinstance(url, str) and urlsplit(url).password and not (isinstance(url, Text) and url.references):
        yield "url"


def _credentials(options: Mapping[str, object], *, any_key: bool = False) -> Iterator[tuple[str, str]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _credentials(value, any_key=name == "headers")
        elif isinstance(value, str) and is_credential(name, any_key=any_key):
            yield name, value


def _named_values(options: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _named_values(value)
        elif isinstance(value, str):
            yield name, value


def _basic(auth: object) -> Iterator[str]:
    if isinstance(auth, Mapping) and isinstance(auth.get("password"), str):
        yield b64encode(f"{auth.get('user', '')}:{auth['password']}".encode()).decode("ascii")


def _parts(value: str) -> Iterator[str]:
    """A value's secret parts: all of it, but of an address not where it leads."""
    if "://" not in value:
        yield value
        return
    parts = urlsplit(value)
    if parts.password or parts.username:
        yield from (parts.netloc.rpartition("@")[0], parts.password or "", parts.username or "")
    rest = value.partition("://")[2].partition("/")[2]
    yield from (rest, parts.path.strip("/"), parts.query)


def _is_worth_masking(value: str) -> bool:
    if value.isdigit():
        return len(value) >= SHORTEST_NUMBER
    return len(value) >= SHORTEST and value.lower() not in ("true", "false", "none", "null")


def _pattern(values: Iterable[str]) -> re.Pattern[str] | None:
    forms = {form for value in values for form in _forms(value)}
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _forms(value: str) -> Iterator[str]:
    yield from (value, value.strip(), quote(value, safe=""), quote(value), quote_plus(value))
    yield from (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
