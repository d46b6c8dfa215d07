"""AnswerReader: from an answer to its documents, total and cursor, or the reason it is no answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance.retrievers import Hit
from pytest_relevance.retrievers.http.decoding import json_of, xml_of
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.paths import Lookup, json_path, named_field, xml_list, xml_value
from pytest_relevance.retrievers.http.reasons import words_of
from pytest_relevance.retrievers.http.transport import Received

_NOTHING: Lookup = lambda _: None  # noqa: E731 - the path that leads nowhere


@dataclass(frozen=True)
class Page:
    """One answer as it was read."""

    hits: tuple[Hit, ...]
    total: int | None = None  # documents the service says it has
    at_least: bool = False  # and it has perhaps more
    cursor: Any = None  # where the next page begins
    partial: bool = False


class AnswerReader:
    """Reads answers of one shape. Documents keep the order they come in."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options
        self._hits = self._list(options.hits)
        self._id = self._value(options.id)
        self._score = self._value(options.score)
        self._fields = self._named()
        self._total = self._value(options.total)
        self._at_least = self._value(options.total_at_least)
        self._error = self._value(options.error)
        self._partial = self._value(options.partial)
        self._cursor = self._value(options.pages.next if options.pages else None)
        self._columns = self._value(options.columns) if isinstance(options.columns, str) else _NOTHING
        self._sign = -1.0 if options.score_order == "ascending" else 1.0

    def decoded(self, received: Received) -> Any:
        """The JSON value or the XML root of an answer."""
        if self._options.format == "xml":
            return xml_of(received.content, self._options.secrets.mask)
        return json_of(received.content, received.content_type, self._options.secrets.mask)

    def page(self, answer: Any) -> Page:
        """What one answer holds.

        Raises:
            NotAnswered: it is an error in spite of its status, a part of it is missing, or it has another shape.
        """
        error = self._error(answer)
        if error is not None and error is not False and error not in ("", [], {}):
            reason = words_of(error, self._options.secrets.mask) or "without words"
            raise NotAnswered(f"the service answered with an error: {reason}", status=_status(answer))
        partial = _is_true(self._partial(answer))
        if partial and not self._options.allow_partial:
            raise NotAnswered(
                "partial answer: the service says that parts are missing (`allow_partial: true` takes it)"
            )
        total = _whole_number(self._total(answer))
        hits = tuple(self._documents(answer, total))
        return Page(hits, total, _is_true(self._at_least(answer)), self._cursor(answer), partial)

    def _documents(self, answer: Any, total: int | None) -> Iterator[Hit]:
        if self._options.shape == "columns":
            yield from self._from_columns(answer)
            return
        items = self._hits(answer)
        if items is None:
            if total == 0 or self._options.missing_hits == "empty":
                return
            raise NotAnswered(f"no list at {self._options.hits!r} in the answer{self._seen(answer)}")
        if not isinstance(items, list):
            raise NotAnswered(f"what is at {self._options.hits!r} in the answer is no list of documents")
        if self._options.shape == "rows":
            items = self._rows(answer, items)
        for rank, item in enumerate(items, start=1):
            yield Hit(self._doc_id(self._id(item), rank), self._number(self._score(item)), self._kept(item))

    def _from_columns(self, answer: Any) -> Iterator[Hit]:
        ids = self._id(answer)
        if ids is None and self._options.missing_hits == "empty":
            return
        scores = self._score(answer)
        fields = {name: look(answer) for name, look in self._fields.items()}
        columns = [one for one in (ids, scores, *fields.values()) if one is not None]
        if ids is None or not all(isinstance(one, list) and len(one) == len(ids) for one in columns):
            raise NotAnswered(f"the columns of the answer are not lists of one length{self._seen(answer)}")
        for place, doc_id in enumerate(ids):
            kept = {name: self._clean(column[place]) for name, column in fields.items() if column is not None}
            score = None if scores is None else scores[place]
            yield Hit(self._doc_id(doc_id, place + 1), self._number(score), kept)

    def _rows(self, answer: Any, items: list[Any]) -> list[dict[str, Any]]:
        columns = self._columns(answer) if isinstance(self._options.columns, str) else self._options.columns
        if not isinstance(columns, Sequence) or isinstance(columns, str):
            raise NotAnswered(f"no list of columns at {self._options.columns!r} in the answer")
        if not all(isinstance(item, list) and len(item) == len(columns) for item in items):
            raise NotAnswered(f"the rows of the answer do not have the {len(columns)} columns it tells")
        names = [str(name) for name in columns]
        return [dict(zip(names, item, strict=True)) for item in items]

    def _doc_id(self, value: Any, rank: int) -> str:
        if isinstance(value, str) and value:
            return self._options.secrets.mask_credentials(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise NotAnswered(f"document {rank} of the answer has no id at {self._options.id!r}")

    def _number(self, value: Any) -> float | None:
        """A score, negated where less is better. Some services send numbers as text, and none where they sort."""
        if value is None or isinstance(value, bool):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise NotAnswered(f"the score {self._options.secrets.mask(str(value))[:40]!r} is not a number") from None
        return None if math.isnan(number) else self._sign * number

    def _kept(self, item: Any) -> dict[str, object]:
        found = ((name, look(item)) for name, look in self._fields.items())
        return {name: self._clean(value) for name, value in found if value is not None}

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._options.secrets.mask_credentials(value)
        if isinstance(value, list):
            return [self._clean(one) for one in value]
        return {name: self._clean(one) for name, one in value.items()} if isinstance(value, dict) else value

    def _seen(self, answer: Any) -> str:
        if isinstance(answer, Mapping):
            keys = ", ".join(self._options.secrets.mask(str(key))[:40] for key in list(answer)[:8])
            return f"; its keys: {keys}" if keys else ", which is empty"
        return f", which is a {type(answer).__name__}"

    def _value(self, path: str | None) -> Lookup:
        if path is None:
            return _NOTHING
        return json_path(path) if self._options.format == "json" else xml_value(path, self._options.namespaces)

    def _list(self, path: str) -> Lookup:
        return json_path(path) if self._options.format == "json" else xml_list(path, self._options.namespaces)

    def _named(self) -> dict[str, Lookup]:
        if isinstance(self._options.fields, dict):
            return {name: self._value(path) for name, path in self._options.fields.items()}
        if self._options.format == "xml":
            return {name: self._value(name) for name in self._options.fields}
        inside = self._value(self._options.fields_in) if self._options.fields_in else None
        return {name: _inside(inside, named_field(name)) for name in self._options.fields}


def _inside(outer: Lookup | None, inner: Lookup) -> Lookup:
    return inner if outer is None else lambda item: inner(outer(item))


def _is_true(value: Any) -> bool:
    return value.strip().lower() not in ("", "false", "0") if isinstance(value, str) else bool(value)


def _whole_number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdigit():
        return int(value)
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) else None
    )


def _status(answer: Any) -> int | None:
    status = answer.get("status", answer.get("code")) if isinstance(answer, Mapping) else None
    return status if isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600 else None
