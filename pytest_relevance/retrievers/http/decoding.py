"""The bytes of an answer as JSON or XML, or the reason they are neither."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat

from pytest_relevance.retrievers.http.failures import NotAnswered

SHOWN = 120  # characters of a strange answer that a message repeats
MOST_LOOKED_AT = 100_000  # characters searched for something to show

Mask = Callable[[str], str]  # takes secrets out of a text
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_TAGS = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def json_of(content: bytes, content_type: str, mask: Mask) -> Any:
    """The JSON value of an answer: integers of any length exact, other numbers as 64-bit floats.

    A service may call JSON what it likes, text/plain included; what decides is whether it is JSON.

    Raises:
        NotAnswered: it is not JSON, or not in UTF-8 nor in the character set that the answer names.
    """
    text = _text(content, content_type)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = str(error).partition(":")[0].lower() if not isinstance(error, RecursionError) else "nested too deep"
        named = content_type.partition(";")[0].strip()
        facts = f"{problem}; {len(content)} bytes{named and f' of {named}'}"
        raise NotAnswered(f"the answer is not JSON ({facts}): {excerpt(text, mask)}") from None


def xml_of(content: bytes, mask: Mask) -> Element:
    """The root element of an answer. Entities of the document's own are refused: they can grow without end.

    Raises:
        NotAnswered: it is not XML, or it declares entities.
    """
    guard = expat.ParserCreate()
    guard.EntityDeclHandler = _refuse_entity
    try:
        guard.Parse(content, True)
        return fromstring(content)  # without entities, as the guard saw
    except (expat.ExpatError, ParseError, LookupError, ValueError) as error:
        text = content.decode("utf-8", "replace")
        raise NotAnswered(f"the answer is not XML ({error}): {excerpt(text, mask)}") from None


def excerpt(text: str, mask: Mask) -> str:
    """The beginning of a text on one line, without secrets, tags and control signs."""
    text = mask(text[:MOST_LOOKED_AT])  # before anything is cut: half a secret is not found any more
    words = " ".join(_TAGS.sub(" ", text).split()) or " ".join(text.split())
    shown = "".join(sign if sign.isprintable() else "?" for sign in words)
    return repr(shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…")


def _text(content: bytes, content_type: str) -> str:
    encoding = json.detect_encoding(content)  # UTF-8, or UTF-16 and 32 by their zero bytes
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        named = _CHARSET.search(content_type)
        try:
            if named and named[1].lower() not in ("utf-8", "utf8"):
                return content.decode(named[1])
        except (LookupError, UnicodeDecodeError):
            pass
        raise NotAnswered(
            f"the answer is not UTF-8 (byte 0x{content[error.start]:02X} at {error.start}), as JSON must be"
        ) from None


def _refuse_entity(name: str, *_: object) -> None:
    raise NotAnswered(f"the answer declares the XML entity {name!r}, which is refused")
