"""Expectations about two rankings: of another query, or of another retriever on the same query."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from pytest_relevance.suite.bounds import LEAST_DEPTH, WHOLE_LIST
from pytest_relevance.suite.expectations.base import ExpectationForm, QueryOrTarget, Target, TopOrTen, target_of
from pytest_relevance.suite.names import Share

YesOrNo: TypeAlias = Annotated[Literal["true", "false"], WithJsonSchema({"enum": [True, False, "true", "false"]})]

_OTHER = "another query, or {query: QUERY, of: RETRIEVER} with one of the two or both"


class SameAs(ExpectationForm):
    """The first documents are those of another ranking."""

    example: ClassVar[str] = "same_as: QUERY"

    same_as: QueryOrTarget = Field(description=_OTHER, examples=["red shoes"])
    top: TopOrTen = LEAST_DEPTH
    any_order: YesOrNo = Field("false", description="'true': the same documents, in whatever order")

    @property
    def target(self) -> Target:
        return target_of(self.same_as)

    @property
    def text(self) -> str:
        """`top 10 same as shoes, red`"""
        return f"top {self.top} same as {self.target.text}{' in any order' if self.any_order == 'true' else ''}"

    @property
    def depth(self) -> int:
        return self.top


class SubsetOf(ExpectationForm):
    """The first documents are all somewhere in another ranking."""

    example: ClassVar[str] = "subset_of: QUERY"

    subset_of: QueryOrTarget = Field(description=_OTHER, examples=["shoes"])
    top: TopOrTen = LEAST_DEPTH

    @property
    def target(self) -> Target:
        return target_of(self.subset_of)

    @property
    def text(self) -> str:
        """`top 10 subset of shoes`"""
        return f"top {self.top} subset of {self.target.text}"

    @property
    def depth(self) -> int:
        return max(WHOLE_LIST, self.top)

    @property
    def least_depth(self) -> int:
        return self.top


class _ResultsThan(ExpectationForm):
    """How many documents come back, compared with another ranking."""

    @property
    def depth(self) -> int:
        return WHOLE_LIST

    @property
    def least_depth(self) -> int:
        return 2


class MoreResults(_ResultsThan):
    """More documents come back than for another ranking."""

    example: ClassVar[str] = "more_results_than: QUERY"

    more_results_than: QueryOrTarget = Field(description=_OTHER, examples=["red running shoes"])

    @property
    def target(self) -> Target:
        return target_of(self.more_results_than)

    @property
    def text(self) -> str:
        """`more results than red running shoes`"""
        return f"more results than {self.target.text}"


class FewerResults(_ResultsThan):
    """Fewer documents come back than for another ranking."""

    example: ClassVar[str] = "fewer_results_than: QUERY"

    fewer_results_than: QueryOrTarget = Field(description=_OTHER, examples=["shoes"])

    @property
    def target(self) -> Target:
        return target_of(self.fewer_results_than)

    @property
    def text(self) -> str:
        """`fewer results than shoes`"""
        return f"fewer results than {self.target.text}"


class Overlaps(ExpectationForm):
    """The first documents share so much with those of another ranking."""

    example: ClassVar[str] = "overlaps: 0.8, with: QUERY"

    overlaps: Annotated[Share, Field(gt=0, le=1)] = Field(
        description="the least share of the first documents that both have", examples=[0.8]
    )
    with_: QueryOrTarget = Field(validation_alias="with", description=_OTHER, examples=["red shoes"])
    top: TopOrTen = LEAST_DEPTH

    @property
    def target(self) -> Target:
        return target_of(self.with_)

    @property
    def text(self) -> str:
        """`top 10 overlaps 0.8 with red shoes`"""
        return f"top {self.top} overlaps {self.overlaps!r} with {self.target.text}"

    @property
    def depth(self) -> int:
        return self.top
