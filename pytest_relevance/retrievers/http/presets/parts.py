"""What presets put their requests together from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.requests import str_of
from pytest_relevance.suite.scalars import Text

_FIRST_STEP = re.compile(r'"?([^".\[\s]+)')


def address(url: object, *parts: str) -> str:
    """The service's address with the parts of a path behind it; a slash at the address's end is not doubled."""
    return _marked("/".join((str_of(url).rstrip("/"), *parts)), url)


def one_part(name: str) -> str:
    """A name as one part of a path, whatever signs are in it."""
    return quote(name, safe="")


def field_names(options: HttpOptions) -> list[str]:
    """The names that the service must send for `fields`; of a path its first step."""
    if not isinstance(options.fields, dict):
        return list(options.fields)
    found = (_FIRST_STEP.match(path) for path in options.fields.values())
    return list(dict.fromkeys(step[1] for step in found if step))


def key_header(name: str, key: object, prefix: str = "") -> dict[str, Any]:
    """A header with a key, where there is a key."""
    return {name: _marked(f"{prefix}{str_of(key)}", key)} if key else {}


def body_of(options: HttpOptions) -> dict[str, Any]:
    """What the suite wrote as `body`, which goes on top of what a preset asks for.

    Raises:
        RetrieverError: it is something else than keys and values.
    """
    if options.body is None:
        return {}
    if not isinstance(options.body, Mapping):
        raise RetrieverError("body is no table of keys and values", fix="write it as 'body: {key: value}'")
    return dict(options.body)


def answers_at(key: str, answer: Any) -> Sequence[Any]:
    """The single answers under a key of the answer to many queries.

    Raises:
        NotAnswered: there is no list of them.
    """
    answers = answer.get(key) if isinstance(answer, Mapping) else None
    if not isinstance(answers, list):
        raise NotAnswered(f"no list at {key!r} in the answer to a request for many queries")
    return answers


def _marked(text: str, source: object) -> Text:
    """A text that remembers what of it came from the environment, so that no sign in it is taken for a template."""
    return Text(text, quoted=True, references=source.references if isinstance(source, Text) else ())
