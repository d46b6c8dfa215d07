"""Reading queries quickly and reading them with places are one reading."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.errors import RelevanceError
from pytest_relevance.records import Queries
from pytest_relevance.trec.plain_queries import plain_queries
from pytest_relevance.trec.query_list import checked_queries
from pytest_relevance.trec.record_files import json_queries
from pytest_relevance.trec.source import Source
from pytest_relevance.trec.text import Text

NAMES = st.sampled_from(("_id", "id", "query_id", "ID", "text", "query", "title", "Text", "type", "weight"))
VALUES = st.one_of(
    st.text(max_size=4), st.integers(-3, 10**20), st.booleans(), st.none(), st.floats(), st.lists(st.integers())
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
GOOD = st.builds(
    lambda number, text, more: {"type": more, "_id": number, "text": text},
    st.one_of(st.integers(0, 9), st.text(min_size=1, max_size=3)),
    st.text(min_size=1, max_size=5),
    VALUES,
)
LINES = st.one_of(
    st.lists(st.one_of(GOOD, OBJECTS).map(json.dumps), max_size=3),
    st.lists(GOOD.map(lambda one: json.dumps(one, ensure_ascii=False)), max_size=5),
    st.lists(
        st.sampled_from(('{"_id": "a", "text": "b"}', "", "  ", "[1]", "{", '{"id": "1", "id": "2"}')), max_size=3
    ),
)


@given(lines=LINES, end=st.sampled_from(("\n", "\r\n")))
def test_what_is_read_quickly_is_what_is_read_with_places(lines: list[str], end: str) -> None:
    text = Text(Source(Path("q.jsonl"), "q.jsonl"), end.join(lines).encode())

    quickly = plain_queries(text)

    assert quickly is None or _told(lambda: quickly) == _told(
        lambda: checked_queries(text, json_queries(text, lines=True))
    )


@pytest.mark.parametrize(
    "lines",
    [
        '{"_id": "1", "text": "a"}\n{"_id": "1", "text": "b"}',
        '{"_id": "1", "text": " "}',
        '{"_id": "", "text": "a"}',
        '{"_id": -0, "text": "a"}',
        '{"_id": "1", "_id": "2", "text": "a"}',
        '{"_id": "1"}',
        '["1", "a"]',
        "",
    ],
)
def test_what_needs_a_place_is_not_read_quickly(lines: str) -> None:
    assert plain_queries(Text(Source(Path("q.jsonl"), "q.jsonl"), lines.encode())) is None


def _told(queries: Callable[[], Queries]) -> Any:
    try:
        return [(one.query_id, one.text, repr(one.attributes)) for one in queries()]
    except RelevanceError as error:
        return str(error)
