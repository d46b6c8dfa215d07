"""Assertions: what a suite states about the rankings of one query, or of each query of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, ValidationInfo, model_validator

from pytest_relevance.errors import Place
from pytest_relevance.suite.checks import Level
from pytest_relevance.suite.expectations import AnyExpectation, Expectation
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import RetrieverNames, Share, SliceOrFile, Text, kind_tag, retriever_names
from pytest_relevance.suite.source import Spot

_QUERIES_SHOWN = 4  # queries of a table that stand in the names of its nodes


@dataclass(frozen=True)
class QueryTable:
    """Queries that one expectation is about: a list, a file, or a slice. Exactly one of the three is there."""

    listed: tuple[str, ...] = ()  # query_ids, or else texts
    file: Path | None = None
    slice: str | None = None  # scheme=slice
    written: str = ""  # the file as the suite has it
    spot: Spot | None = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """`queries a, b and 7 more`, `queries head.tsv`, `queries type=question`"""
        shown = ", ".join(self.listed[:_QUERIES_SHOWN])
        more = len(self.listed) - _QUERIES_SHOWN
        return f"queries {self.slice or self.written or shown}{f' and {more} more' if more > 0 else ''}"


@dataclass(frozen=True)
class Assertion:
    """What is expected of one query's ranking, or of a table's, by each of some retrievers."""

    query: str  # a query_id, or else a text; empty where there is a table
    of: tuple[str, ...]
    expect: tuple[Expectation, ...]
    level: Level
    spot: Spot = field(repr=False, compare=False)
    table: QueryTable | None = None
    mostly: float = 1.0  # the share of the table's queries for which an expectation must hold
    each: bool = False  # an item for each query of the table
    known_failure: str = ""  # why it does not hold yet; empty where it must
    name: str = ""  # a title of the user's own

    @property
    def place(self) -> Place:
        return self.spot.place

    @property
    def about(self) -> str:
        """What the node of its items is called."""
        return self.name or (self.table.text if self.table else self.query)

    def level_of(self, expectation: Expectation) -> Level:
        """What it means that the expectation does not hold."""
        return expectation.level or self.level

    def known_failure_of(self, expectation: Expectation) -> str:
        """Why the expectation does not hold yet; empty where it must."""
        return expectation.known_failure or ("" if expectation.level == "warn" else self.known_failure)


def _text_or_list(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<table>" else tag


class AssertionForm(Form):
    """What is expected of one query's ranking, or of the rankings of several queries."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["query"]}, {"required": ["queries"]}]})

    example: ClassVar[str] = "query: red shoes, expect: [{first: DOC_ID}]"

    query: Text | None = Field(None, description="a query_id, or the text that is searched", examples=["red shoes"])
    queries: (
        Annotated[
            Annotated[SliceOrFile, Tag("<text>")] | Annotated[tuple[Text, ...], Field(min_length=1), Tag("<list>")],
            Discriminator(_text_or_list),
        ]
        | None
    ) = Field(None, description="several queries: a list, a file of queries, or a slice such as type=question")
    of: RetrieverNames | None = Field(None, description="the retriever, or a list of them; default: every one")
    expect: tuple[AnyExpectation, ...] = Field(
        min_length=1, description="what is expected", examples=["[{first: DOC}]"]
    )
    level: Level = Field("fail", description="'fail', or 'warn' to report only")
    mostly: Annotated[Share, Field(gt=0, le=1)] | None = Field(
        None, description="beside queries: the share of them for which it must hold", examples=[0.95]
    )
    each: Literal["item"] | None = Field(None, description="beside queries: 'item' makes an item for each query")
    known_failure: Text | None = Field(None, description="why it does not hold yet; once it holds, that is a failure")
    name: Text | None = Field(None, description="a title of your own for the node of its items")

    @model_validator(mode="after")
    def _sensible(self, info: ValidationInfo) -> AssertionForm:
        if (self.query is None) == (self.queries is None):
            found = "has no query" if self.query is None else "has query and queries"
            fix = "add one, for example 'query: red shoes'" if self.query is None else "keep one of them"
            raise misfit(f"{{path}} {found}", fix, key="queries" if self.queries is not None else None)
        for key in ("mostly", "each"):
            if getattr(self, key) is not None and self.queries is None:
                raise misfit(f"{{path}} has {key}, which is for several queries", "write 'queries: [A, B]'", key=key)
        if self.mostly is not None and self.each is not None:
            raise misfit("{path} has mostly and an item for each query", "keep one of them", key="mostly")
        if self.known_failure and self.level == "warn":
            raise misfit("{path} is a known failure and of level warn", "keep one of them", key="level")
        self._refuse_itself(self.of or retriever_names(info))
        self._refuse_repeats()
        return self

    def _refuse_itself(self, retrievers: Sequence[str]) -> None:
        for one in self.expect:
            target = one.target
            same_query = target is not None and target.query in (None, self.query)
            if target is not None and same_query and (target.of is None or list(retrievers) == [target.of]):
                raise misfit("{path} compares a ranking with itself", "name another query or retriever", key="expect")

    def _refuse_repeats(self) -> None:
        listed = self.queries if isinstance(self.queries, tuple) else ()
        if len(set(listed)) < len(listed):
            twice = next(query for query in listed if listed.count(query) > 1)
            raise misfit(f"{{path}}: query {twice!r} is there twice", "name each query once", key="queries")

    def assertion(self, retrievers: Sequence[str], folder: Path, schemes: Sequence[str]) -> Assertion:
        """The assertion in a suite with these retrievers and schemes of slices."""
        return Assertion(
            query=self.query or "",
            of=self.of or tuple(retrievers),
            expect=self.expect,
            level=self.level,
            spot=self.spot,
            table=None if self.queries is None else self._table(self.queries, folder, schemes),
            mostly=1.0 if self.mostly is None else self.mostly,
            each=self.each is not None,
            known_failure=self.known_failure or "",
            name=self.name or "",
        )

    def _table(self, written: str | tuple[str, ...], folder: Path, schemes: Sequence[str]) -> QueryTable:
        if not isinstance(written, str):
            return QueryTable(written, spot=self.spot)
        if written.partition("=")[0] in schemes:
            return QueryTable(slice=written, spot=self.spot)
        return QueryTable(file=folder / written, written=written, spot=self.spot)
