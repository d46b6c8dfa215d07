"""Expectations about the first documents: which are among them, and what their fields hold."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, WithJsonSchema, model_validator

from pytest_relevance.suite.bounds import LEAST_DEPTH, Depth
from pytest_relevance.suite.conditions import FieldCondition
from pytest_relevance.suite.expectations.base import (
    CountBounds,
    Direction,
    ExpectationForm,
    TopOrTen,
    bounds_text,
)
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import Share, Text, Texts, kind_tag

_CLAIMS = ("contains", "excludes", "all", "any", "none")


def _ids_or_fields(value: object) -> str:
    tag = kind_tag(value)
    return "<text>" if tag == "<list>" else tag


def _true_or_fields(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<list>" else tag


_IdsOrFields: TypeAlias = Annotated[
    Annotated[Texts, Tag("<text>")] | Annotated[FieldCondition, Tag("<table>")], Discriminator(_ids_or_fields)
]
_TrueOrFields: TypeAlias = Annotated[
    Annotated[Literal["true"], WithJsonSchema({"enum": [True, "true"]}), Tag("<text>")]
    | Annotated[FieldCondition, Tag("<table>")],
    Discriminator(_true_or_fields),
]


class Top(ExpectationForm):
    """The first documents contain some, exclude some, or are alike in their fields."""

    example: ClassVar[str] = "top: 5, all: {category: footwear}"

    top: Depth = Field(description="how many documents from the first on", examples=[10])
    contains: Texts | None = Field(None, description="all of these documents are among them")
    excludes: _IdsOrFields | None = Field(None, description="none of these documents, or none with such fields")
    all: FieldCondition | None = Field(None, description="every one of them has such fields")
    any: _TrueOrFields | None = Field(
        None, description="at least one has such fields; 'true' beside contains: one of these documents is enough"
    )
    none: FieldCondition | None = Field(None, description="not one of them has such fields")
    mostly: Annotated[Share, Field(gt=0, le=1)] | None = Field(
        None, description="beside all: this share of them is enough", examples=[0.9]
    )
    at_least: Annotated[int, Field(ge=1)] | None = Field(
        None, description="beside contains: so many of these documents are enough"
    )

    @model_validator(mode="after")
    def _one_claim(self) -> Top:
        claims = self._claims()
        if len(claims) != 1:
            found = " and ".join(claims) if claims else f"none of {', '.join(_CLAIMS)}"
            fix = "write one expectation for each" if claims else "add one, for example 'contains: [DOC_ID]'"
            raise misfit(f"{{path}} has {found}", fix, key=claims[1] if claims else "top")
        if self.mostly is not None and self.all is None:
            raise misfit("{path} has mostly without all", "write 'all: {FIELD: VALUE}' beside it", key="mostly")
        if self.at_least is not None and self.contains is None:
            raise misfit("{path} has at_least without contains", "write 'contains: [DOC_ID]' beside it", key="at_least")
        if self.contains is not None:
            self._refuse_impossible(self.contains)
        return self

    def _claims(self) -> list[str]:
        given = [name for name in _CLAIMS if getattr(self, name) is not None]
        if self.any == "true":
            if self.contains is None:
                raise misfit(
                    "{path}: any needs keys and values, found 'true'", "write for example {category: boots}", key="any"
                )
            given.remove("any")
        return given

    def _refuse_impossible(self, contains: tuple[str, ...]) -> None:
        if self.any == "true" and self.at_least is not None:
            raise misfit("{path} has any and at_least", "any is at_least: 1; keep one", key="at_least")
        if self.at_least is not None and self.at_least > len(contains):
            problem = f"{{path}}: at least {self.at_least} of {len(contains)} documents cannot be"
            raise misfit(problem, "lower it, or name more documents", key="at_least")
        if self.least_contained > self.top:
            problem = f"{{path}}: the top {self.top} cannot contain {self.least_contained} documents"
            raise misfit(problem, "raise top, or name fewer documents", key="contains")

    @property
    def least_contained(self) -> int:
        """How many of the documents in `contains` must be there."""
        return 1 if self.any == "true" else self.at_least or len(self.contains or ())

    @property
    def text(self) -> str:
        """`top 5 all category=footwear`, `top 10 contains at least 2 of A, B, C`"""
        word = self._claims()[0]
        claim: Any = getattr(self, word)
        what = claim.text if isinstance(claim, FieldCondition) else ", ".join(claim)
        if self.any == "true":
            word += " any of"
        elif self.at_least is not None:
            word += f" at least {self.at_least} of"
        return f"top {self.top} {word} {what}{f' mostly {self.mostly!r}' if self.mostly is not None else ''}"

    @property
    def depth(self) -> int:
        return self.top


class SortForm(Form):
    """By which field, and which way."""

    example: ClassVar[str] = "by: price, order: ascending"

    by: Text = Field(description="the field's path", examples=["price"])
    order: Direction = Field("ascending", description="'ascending' or 'descending'")


class Sorted(ExpectationForm):
    """The first documents are sorted by a field."""

    example: ClassVar[str] = "sorted: {by: price, order: ascending}"

    sorted: SortForm = Field(description="the field and the direction")
    top: TopOrTen = LEAST_DEPTH

    @property
    def text(self) -> str:
        """`top 10 sorted by price ascending`"""
        return f"top {self.top} sorted by {self.sorted.by} {self.sorted.order}"

    @property
    def depth(self) -> int:
        return self.top


class DistinctForm(CountBounds):
    """How many different values a field has."""

    example: ClassVar[str] = "field: brand, at_least: 3"

    field: Text = Field(description="the field's path", examples=["brand"])


class Distinct(ExpectationForm):
    """The first documents have so many different values in a field."""

    example: ClassVar[str] = "distinct: {field: brand, at_least: 3}"

    distinct: DistinctForm = Field(description="the field and how many values")
    top: TopOrTen = LEAST_DEPTH

    @property
    def text(self) -> str:
        """`top 10 distinct brand at least 3`"""
        return f"top {self.top} distinct {self.distinct.field} {self.bounds}"

    @property
    def bounds(self) -> str:
        """`at least 3`"""
        return bounds_text(self.distinct.at_least, self.distinct.at_most)

    @property
    def depth(self) -> int:
        return self.top
