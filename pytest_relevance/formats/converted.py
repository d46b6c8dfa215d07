"""Converted: what another tool's suite says, in our words, and as the YAML and files that say the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pytest_relevance.errors import DataError, as_shown

HEAD = "# Converted from {source}. Say here what searches: a retriever, or several.\n"
RETRIEVERS = {"live": {"type": "function", "function": "search:search"}}


@dataclass(frozen=True)
class ConvertedQuery:
    """A query with what was judged of it."""

    query_id: str
    text: str
    grades: Mapping[str, float] = field(default_factory=dict)
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Stated:
    """What is expected of one query; `expect` are expectations as the grammar has them."""

    query_id: str
    expect: tuple[Mapping[str, Any], ...]
    known_failure: str | None = None


@dataclass(frozen=True)
class Converted:
    """A suite of another tool."""

    name: str
    source: str
    queries: tuple[ConvertedQuery, ...]
    assertions: tuple[Stated, ...] = ()
    left_out: tuple[str, ...] = ()  # what could not be said in our words, and why

    @property
    def is_judged(self) -> bool:
        """Whether it has judgments."""
        return any(query.grades for query in self.queries)


class QueryList:
    """Gives queries ids of their own, each text one query."""

    def __init__(self) -> None:
        self._by_text: dict[str, ConvertedQuery] = {}
        self._taken: set[str] = set()

    @property
    def queries(self) -> tuple[ConvertedQuery, ...]:
        """All of them, in the order they came."""
        return tuple(self._by_text.values())

    def id_of(self, text: str, *, wanted: str = "", grades: Mapping[str, float] | None = None, **more: object) -> str:
        """The id of the query with this text; a new one gets the id that is wanted, if nobody has it."""
        known = self._by_text.get(text)
        query_id = known.query_id if known else self._free(wanted)
        merged = {**(known.grades if known else {}), **(grades or {})}
        attributes = {**(known.attributes if known else {}), **more}
        self._by_text[text] = ConvertedQuery(query_id, text, merged, attributes)
        return query_id

    def _free(self, wanted: str) -> str:
        number = len(self._taken) + 1
        query_id = wanted if wanted and wanted not in self._taken else f"q{number}"
        while query_id in self._taken:
            number += 1
            query_id = f"q{number}"
        self._taken.add(query_id)
        return query_id


def suite_yaml(converted: Converted, *, beside: bool = False) -> str:
    """The suite as YAML; queries and judgments stand in it, or `beside` it in the files that `write_suite` writes.

    Raises:
        DataError: nothing is in it.
    """
    if not converted.queries:
        raise DataError(f"{converted.source} holds no query", fix="name another file, or say what it is with --from")
    suite: dict[str, Any] = {"suite": converted.name}
    if beside:
        suite["queries"] = "queries.jsonl"
        suite |= {"qrels": "qrels.jsonl"} if converted.is_judged else {}
    else:
        suite["queries"] = [_query(query) for query in converted.queries]
    suite["retrievers"] = RETRIEVERS
    if converted.is_judged:
        suite["report"] = ["nDCG@10", "R@100", "Judged@10"]
    if converted.assertions:
        names = _names(converted.queries)
        suite["assertions"] = [_assertion(one, names) for one in converted.assertions]
    if not converted.is_judged and not converted.assertions:
        suite["assertions"] = [
            {"query": query.query_id, "expect": [{"results": {"at_least": 1}}]} for query in converted.queries
        ]
    left_out = "".join(f"# left out: {' '.join(one.split())}\n" for one in converted.left_out)
    text = yaml.safe_dump(_plain(suite), sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    return HEAD.format(source=converted.source) + left_out + text


def write_suite(converted: Converted, folder: Path) -> list[Path]:
    """Write the suite, its queries and its judgments into a folder; the files that were written.

    Raises:
        DataError: nothing is in it, or a file is there already or cannot be written.
    """
    files = {f"{converted.name}.relevance.yaml": suite_yaml(converted, beside=True)}
    files["queries.jsonl"] = _lines(
        {"query_id": one.query_id, "text": one.text, **one.attributes} for one in converted.queries
    )
    if converted.is_judged:
        files["qrels.jsonl"] = _lines(
            {"query_id": query.query_id, "doc_id": doc_id, "grade": grade}
            for query in converted.queries
            for doc_id, grade in query.grades.items()
        )
    written = [folder / name for name in files]
    there = next((path for path in written if path.exists()), None)
    if there is not None:
        raise DataError(f"{as_shown(str(there))} is there already", fix="name an empty folder, or move the file away")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(written, files.values(), strict=True):
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(
            f"cannot write to {as_shown(str(folder))}: {error.strerror}", fix="name another folder"
        ) from None
    return written


def _query(query: ConvertedQuery) -> dict[str, Any]:
    relevant = {"relevant": dict(query.grades)} if query.grades else {}
    return {"query_id": query.query_id, "text": query.text, **query.attributes, **relevant}


def _assertion(stated: Stated, names: Mapping[str, str]) -> dict[str, Any]:
    known = {"known_failure": stated.known_failure} if stated.known_failure else {}
    return {"query": names[stated.query_id], **known, "expect": list(stated.expect)}


def _names(queries: Sequence[ConvertedQuery]) -> dict[str, str]:
    """How assertions call each query: by its text, which reads best, where nothing else has it for an id."""
    ids = {query.query_id for query in queries}
    return {query.query_id: query.query_id if query.text in ids else query.text for query in queries}


def _lines(records: Any) -> str:
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def _plain(value: Any) -> Any:
    """What YAML holds, with `${` written so that a suite reads it as it stands; whole grades without a fraction."""
    if isinstance(value, Mapping):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, bool | int | float) else str(value)
