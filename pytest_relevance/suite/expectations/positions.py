"""Expectations about where documents stand: first, above, below, at a rank, in order, in tiers."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from pytest_relevance.suite.expectations.base import (
    ABOVE_DEPTH,
    CountOrBounds,
    ExpectationForm,
    bounds_of,
    bounds_text,
)
from pytest_relevance.suite.forms import misfit
from pytest_relevance.suite.names import Text, lone

_Tier: TypeAlias = Annotated[tuple[Text, ...], Field(min_length=1), BeforeValidator(lone)]


class First(ExpectationForm):
    """This document is first."""

    example: ClassVar[str] = "first: DOC_ID"

    first: Text = Field(description="the document that is first", examples=["B08L3B9B9P"])

    @property
    def text(self) -> str:
        """`first B08L3B9B9P`"""
        return f"first {self.first}"

    @property
    def depth(self) -> int:
        return 1


class DocPlace(ExpectationForm):
    """One document stands above another, below another, or at some ranks."""

    example: ClassVar[str] = "doc: DOC_ID, above: DOC_ID"

    doc: Text = Field(description="the document this is about", examples=["B077QMNXTS"])
    above: Text | None = Field(None, description="it stands above this one", examples=["B075SCHMPY"])
    below: Text | None = Field(None, description="it stands below this one", examples=["B075SCHMPY"])
    rank: CountOrBounds | None = Field(
        None, description="it stands at this rank, or within bounds such as {at_most: 3}", examples=["{at_most: 3}"]
    )

    @model_validator(mode="after")
    def _one_claim(self) -> DocPlace:
        claims = [name for name in ("above", "below", "rank") if getattr(self, name) is not None]
        if len(claims) != 1:
            found = " and ".join(claims) if claims else "none of above, below, rank"
            fix = "write one expectation for each" if claims else "add one, for example 'above: DOC_ID'"
            raise misfit(f"{{path}} has {found}", fix, key=claims[1] if claims else "doc")
        if self.doc in (self.above, self.below):
            raise misfit(f"{{path}}: a document cannot stand {claims[0]} itself", "name two documents", key=claims[0])
        if self.rank is not None and (0 in bounds_of(self.rank)):
            raise misfit("{path}: ranks count from 1", "write for example 'rank: 1'", key="rank")
        return self

    @property
    def text(self) -> str:
        """`B077QMNXTS above B075SCHMPY`, `B077QMNXTS at rank at most 3`"""
        if self.rank is not None:
            return f"{self.doc} at rank {bounds_text(*bounds_of(self.rank))}"
        return f"{self.doc} above {self.above}" if self.above else f"{self.doc} below {self.below}"

    @property
    def depth(self) -> int:
        return max(ABOVE_DEPTH, self.least_depth)

    @property
    def least_depth(self) -> int:
        if self.rank is None:
            return 2
        return max(end for end in bounds_of(self.rank) if end is not None)


class InOrder(ExpectationForm):
    """These documents stand in this order; others may stand between them."""

    example: ClassVar[str] = "order: [DOC_ID, DOC_ID]"

    order: tuple[Text, ...] = Field(min_length=2, description="documents, best first", examples=["[DOC_ID, DOC_ID]"])

    @model_validator(mode="after")
    def _once(self) -> InOrder:
        _refuse_repeats(self.order, "order")
        return self

    @property
    def text(self) -> str:
        """`order A, B, C`"""
        return f"order {', '.join(self.order)}"

    @property
    def depth(self) -> int:
        return max(ABOVE_DEPTH, self.least_depth)

    @property
    def least_depth(self) -> int:
        return len(self.order)


class InTiers(ExpectationForm):
    """Every document of a tier stands above every one of the tiers after it; inside a tier nothing is stated."""

    example: ClassVar[str] = "tiers: [[DOC_ID, DOC_ID], [DOC_ID]]"

    tiers: tuple[_Tier, ...] = Field(
        min_length=2, description="tiers of documents, best first", examples=["[[A], [B]]"]
    )

    @model_validator(mode="after")
    def _once(self) -> InTiers:
        _refuse_repeats(tuple(doc_id for tier in self.tiers for doc_id in tier), "tiers")
        return self

    @property
    def text(self) -> str:
        """`tiers A, B > C, D`"""
        return f"tiers {' > '.join(', '.join(tier) for tier in self.tiers)}"

    @property
    def depth(self) -> int:
        return max(ABOVE_DEPTH, self.least_depth)

    @property
    def least_depth(self) -> int:
        return sum(map(len, self.tiers))


def _refuse_repeats(doc_ids: tuple[str, ...], key: str) -> None:
    twice = next((doc_id for doc_id in doc_ids if doc_ids.count(doc_id) > 1), None)
    if twice is not None:
        raise misfit(f"{{path}}: {twice!r} is there twice", "name each document once", key=key)
