"""The service's own words about an error, from the many places services put them, and without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_relevance.retrievers.http.decoding import excerpt, json_of
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions

if TYPE_CHECKING:
    from pytest_relevance.retrievers.http.transport import Received

MOST = 300  # characters
_PLACES = (
    "root_cause",
    "reason",
    "message",
    "msg",
    "detail",
    "summary",
    "description",
    "title",
    "error",
    "errors",
    "type",
)


def reason_of(received: Received, options: HttpOptions) -> str:
    """`: reason` of an answer with an error status, or nothing where it gives none."""
    if not received.content:
        return ""
    try:
        told = words_of(json_of(received.content, received.content_type))
    except NotAnswered:
        told = excerpt(received.content.decode("utf-8", "replace"))
    return f": {options.secrets.mask(told)}" if told else ""


def words_of(error: Any) -> str:
    """What an error says: itself where it is text, else the most telling text in it."""
    if isinstance(error, str):
        return _line(error)
    if isinstance(error, list):
        return next((words for words in map(words_of, error) if words), "")
    if isinstance(error, Mapping):
        for place in _PLACES:
            words = words_of(error.get(place))
            if words:
                return words
        return ""
    return "" if error is None or isinstance(error, bool) else str(error)


def _line(text: str) -> str:
    words = "".join(sign if sign.isprintable() else " " for sign in text)
    words = " ".join(words.split())
    return words if len(words) <= MOST else f"{words[:MOST]}…"
