"""Expectations: what an assertion states about one query's ranking. One class a word; a new word is a new class."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from pytest_relevance.suite.bounds import Bounded, Count, Depth, depth_of
from pytest_relevance.suite.conditions import FieldCondition
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import MeasureName, QrelsName, Text, Texts, kind_tag

_ABOVE_DEPTH = 100  # documents retrieved to see which of two stands above the other


def _ids_or_fields(value: object) -> str:
    tag = kind_tag(value)
    return "<text>" if tag == "<list>" else tag


_IdsOrFields: TypeAlias = Annotated[
    Annotated[Texts, Tag("<text>")] | Annotated[FieldCondition, Tag("<table>")], Discriminator(_ids_or_fields)
]


class First(Form):
    """This document is first."""

    example: ClassVar[str] = "first: DOC_ID"

    first: Text = Field(description="the document that is first", examples=["B08L3B9B9P"])

    @property
    def text(self) -> str:
        """`first B08L3B9B9P`"""
        return f"first {self.first}"

    @property
    def depth(self) -> int:
        """Documents it asks for."""
        return 1

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return 1


class DocAbove(Form):
    """One document stands above another."""

    example: ClassVar[str] = "doc: DOC_ID, above: DOC_ID"

    doc: Text = Field(description="the document that should be higher", examples=["B077QMNXTS"])
    above: Text = Field(description="the document it should stand above", examples=["B075SCHMPY"])

    @model_validator(mode="after")
    def _two(self) -> DocAbove:
        if self.doc == self.above:
            raise misfit("{path}: a document cannot stand above itself", "name two documents", key="above")
        return self

    @property
    def text(self) -> str:
        """`B077QMNXTS above B075SCHMPY`"""
        return f"{self.doc} above {self.above}"

    @property
    def depth(self) -> int:
        """Documents it asks for."""
        return _ABOVE_DEPTH

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return 2


class Results(Form):
    """So many documents come back."""

    example: ClassVar[str] = "results: 0"

    results: Count = Field(description="documents that come back, exactly")

    @property
    def text(self) -> str:
        """`0 results`"""
        return f"{self.results} result{'' if self.results == 1 else 's'}"

    @property
    def depth(self) -> int:
        """Documents it asks for: one more than it allows."""
        return self.results + 1

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return self.results + 1


class QueryMeasure(Bounded):
    """A measure's value for this query keeps to bounds."""

    example: ClassVar[str] = "measure: nDCG-f@10, at_least: 1.0"

    measure: MeasureName = Field(description="what is measured", examples=["nDCG-f@10"])
    qrels: QrelsName | None = Field(None, description="the judgment set, by name; default: the first")

    @model_validator(mode="after")
    def _in_range(self) -> QueryMeasure:
        self.refuse_outside(self.measure)
        return self

    @property
    def text(self) -> str:
        """`nDCG-f@10 at least 1.0`"""
        return f"{self.measure.name}{f' {self.qrels}' if self.qrels else ''} {self.bounds}"

    @property
    def depth(self) -> int:
        """Documents it asks for."""
        return depth_of(self.measure)

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return self.measure.depth or 0


class Top(Form):
    """The first documents contain some, exclude some, or are all alike in their fields."""

    example: ClassVar[str] = "top: 5, all: {category: footwear}"

    top: Depth = Field(description="how many documents from the first on", examples=[10])
    contains: Texts | None = Field(None, description="all of these documents are among them")
    excludes: _IdsOrFields | None = Field(None, description="none of these documents, or none with such fields")
    all: FieldCondition | None = Field(None, description="every one of them has such fields")

    @model_validator(mode="after")
    def _one_claim(self) -> Top:
        claims = [name for name in ("contains", "excludes", "all") if getattr(self, name) is not None]
        if len(claims) != 1:
            found = " and ".join(claims) if claims else "none of contains, excludes, all"
            fix = "write one expectation for each" if claims else "add one, for example 'contains: [DOC_ID]'"
            raise misfit(f"{{path}} has {found}", fix, key=claims[1] if claims else "top")
        if self.contains is not None and len(self.contains) > self.top:
            problem = f"{{path}}: the top {self.top} cannot contain {len(self.contains)} documents"
            raise misfit(problem, "raise top, or name fewer documents", key="contains")
        return self

    @property
    def text(self) -> str:
        """`top 5 all category=footwear`"""
        claim: Any = self.contains or self.excludes or self.all
        word = "contains" if self.contains else "excludes" if self.excludes else "all"
        return f"top {self.top} {word} {claim.text if isinstance(claim, FieldCondition) else ', '.join(claim)}"

    @property
    def depth(self) -> int:
        """Documents it asks for."""
        return self.top

    @property
    def least_depth(self) -> int:
        """Documents without which it cannot be decided."""
        return self.top


# In the order in which a written word is looked for: `top` last, for it may also say how much of something else counts.
FORMS: tuple[tuple[str, type[Form]], ...] = (
    ("first", First),
    ("doc", DocAbove),
    ("results", Results),
    ("measure", QueryMeasure),
    ("top", Top),
)
WORDS = tuple(word for word, _ in FORMS)


def first_word(written: object) -> str | None:
    """The word that tells which expectation this is, as the tag of its form."""
    return next((f"<{word}>" for word in WORDS if word in written), None) if isinstance(written, dict) else None


Expectation: TypeAlias = First | DocAbove | Results | QueryMeasure | Top
AnyExpectation: TypeAlias = Annotated[
    Annotated[First, Tag("<first>")]
    | Annotated[Top, Tag("<top>")]
    | Annotated[DocAbove, Tag("<doc>")]
    | Annotated[Results, Tag("<results>")]
    | Annotated[QueryMeasure, Tag("<measure>")],
    Discriminator(first_word),
]
