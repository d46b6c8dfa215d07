"""Suites written inside tests: read from text as if from a file."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pytest_relevance.errors import CombinedError, RelevanceError, SuiteError
from pytest_relevance.suite import Suite
from pytest_relevance.suite.located import Table, load
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of

DATA = Path(__file__).resolve().parents[1] / "data" / "suites"
FILE = "shoes.relevance.yaml"

# Three lines before whatever a test adds; so the first line added is line 4.
BASE = """\
queries: [{query_id: q1, text: red shoes, relevant: {d1: 2}}]
retrievers: {bm25: {type: bm25}, live: {type: http}}
slices: {type: {short: {words: [1, 3]}, question: {starts_with: [who, what]}}, language: attribute}
"""


def read(text: str) -> Suite:
    """The suite a text makes."""
    return suite_of(source_of(FILE, textwrap.dedent(text).encode()), Path(FILE))


def read_more(text: str) -> Suite:
    """The suite of `BASE` and a text."""
    return read(BASE + textwrap.dedent(text))


def tree(text: str) -> Table:
    """The located tree of a text."""
    return load(source_of(FILE, textwrap.dedent(text).encode()))


def refused(text: str) -> RelevanceError:
    """The one error of a text that cannot be read as a suite."""
    with pytest.raises(RelevanceError) as caught:
        read(text)
    assert isinstance(caught.value, SuiteError | RelevanceError)
    return caught.value


def refused_more(text: str) -> RelevanceError:
    """The error of `BASE` and a text."""
    return refused(BASE + textwrap.dedent(text))


def problems(error: RelevanceError) -> list[str]:
    """`line:column problem` of each problem of an error."""
    found = error.problems if isinstance(error, CombinedError) else (error,)
    return [f"{one.place.line}:{one.place.column} {one.problem}" for one in found if one.place]


def underlined(error: RelevanceError) -> str:
    """The part of the source that the carets are under."""
    place = error.place
    assert place is not None
    return place.source[place.column - 1 : place.column - 1 + place.width]
