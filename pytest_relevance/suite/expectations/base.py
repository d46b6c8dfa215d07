"""What all expectations share: how they are called, how deep they look, and what a failure of theirs means."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from pytest_relevance.suite.bounds import LEAST_DEPTH, Count, Depth
from pytest_relevance.suite.checks import Level
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import RetrieverName, Text, kind_tag

ABOVE_DEPTH = 100  # documents retrieved to see which of two stands above the other


class ExpectationForm(Form):
    """One thing stated about one query's ranking."""

    level: Level | None = Field(None, description="'fail' or 'warn'; default: the assertion's")
    known_failure: Text | None = Field(None, description="why it does not hold yet; once it holds, that is a failure")

    @model_validator(mode="after")
    def _one_way_out(self) -> ExpectationForm:
        if self.known_failure and self.level == "warn":
            raise misfit("{path} is a known failure and of level warn", "keep one of them", key="level")
        return self

    @property
    def text(self) -> str:
        """The expectation as a node's name has it."""
        raise NotImplementedError

    @property
    def depth(self) -> int:
        """Documents it asks for."""
        raise NotImplementedError

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return self.depth

    @property
    def target(self) -> Target | None:
        """The other ranking that this one is compared with."""
        return None


class CountBounds(Form):
    """A count keeps to bounds."""

    example: ClassVar[str] = "at_least: 1"

    at_least: Count | None = Field(None, description="not fewer")
    at_most: Count | None = Field(None, description="not more")

    @model_validator(mode="after")
    def _bounded(self) -> CountBounds:
        low, high = self.at_least, self.at_most
        if low is None and high is None:
            raise misfit("{path} has no bound", "add one, for example 'at_least: 1'")
        if low is not None and high is not None and low > high:
            raise misfit("{path}: at_least is above at_most", "no count can be both: change one", key="at_least")
        return self


def _count_tag(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<list>" else tag


CountOrBounds: TypeAlias = Annotated[
    Annotated[Count, Tag("<text>")] | Annotated[CountBounds, Tag("<table>")], Discriminator(_count_tag)
]


def bounds_of(count: int | CountBounds) -> tuple[int | None, int | None]:
    """The least and the most that is allowed; a number alone is both."""
    return (count, count) if isinstance(count, int) else (count.at_least, count.at_most)


def bounds_text(low: float | None, high: float | None) -> str:
    """`3`, `at least 3`, `at least 3 at most 5`"""
    if low is not None and low == high:
        return f"{low}"
    return " ".join(f"{word} {end}" for word, end in (("at least", low), ("at most", high)) if end is not None)


class Target(Form):
    """Another ranking: of another query, of another retriever, or both."""

    example: ClassVar[str] = "query: red shoes"

    query: Text | None = Field(None, description="a query_id, or the text that is searched; default: the same query")
    of: RetrieverName | None = Field(None, description="the retriever; default: the same")

    @model_validator(mode="after")
    def _another(self) -> Target:
        if self.query is None and self.of is None:
            raise misfit("{path} names no other ranking", "name a query, or a retriever in 'of'")
        return self

    @property
    def text(self) -> str:
        """`shoes, red`, `on live`, `shoes, red on live`"""
        return " ".join(part for part in (self.query, self.of and f"on {self.of}") if part)


QueryOrTarget: TypeAlias = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[Target, Tag("<table>")], Discriminator(_count_tag)
]


def target_of(written: str | Target) -> Target:
    """The target; a text alone is a query."""
    return Target(query=written) if isinstance(written, str) else written


TopOrTen: TypeAlias = Annotated[Depth, Field(description=f"how many documents; default: {LEAST_DEPTH}")]
Direction = Literal["ascending", "descending"]
