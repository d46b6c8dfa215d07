"""The service's own words about an error, from the many places services put them, and without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_relevance.retrievers.http.decoding import Mask, excerpt, json_of
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
    mask = options.secrets.mask
    try:
        told = words_of(json_of(received.content, received.content_type, mask), mask)
    except NotAnswered:
        told = excerpt(received.content.decode("utf-8", "replace"), mask)
    return f": {told}" if told else ""


def words_of(error: Any, mask: Mask) -> str:
    """What an error says, without secrets: itself where it is text, else the most telling text in it."""
    if isinstance(error, str):
        return _line(mask(error))  # before it is cut: half a secret is not found any more
    if isinstance(error, list):
        return next((words for words in (words_of(one, mask) for one in error) if words), "")
    if isinstance(error, Mapping):
        for place in _PLACES:
            words = words_of(error.get(place), mask)
            if words:
                return words
        return ""
    return "" if error is None or isinstance(error, bool) else str(error)


def _line(text: str) -> str:
    words = "".join(sign if sign.isprintable() else " " for sign in text)
    words = " ".join(words.split())
    return words if len(words) <= MOST else f"{words[:MOST]}…"
