"""The suite file as written: one form whose fields are the keys of the file. The JSON Schema is made from it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from pytest_relevance.records import Duplicates
from pytest_relevance.suite.asserted import AssertionForm
from pytest_relevance.suite.bounds import Depth
from pytest_relevance.suite.checks import CheckForm
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import MeasureName, Share, Text, kind_tag
from pytest_relevance.suite.preflight import PreflightForm
from pytest_relevance.suite.slices import SliceRule

_ID_KEYS = ("query_id", "id", "_id")
_TEXT_KEYS = ("text", "query")

_Positive: TypeAlias = Annotated[Share, Field(gt=0)]


def _gain_once(gains: object) -> object:
    numbers = [_number(grade) for grade in gains] if isinstance(gains, dict) else []
    twice = next((number for number in numbers if number is not None and numbers.count(number) > 1), None)
    if twice is not None:
        raise misfit(f"{{path}} gives grade {twice:g} twice", "keep one gain for each grade")
    return gains


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_Gains: TypeAlias = Annotated[dict[float, float], Field(min_length=1), BeforeValidator(_gain_once)]


def _text_or_table(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<list>" else tag


def _text_or_list(value: object) -> str:
    tag = kind_tag(value)
    return "<nothing>" if tag == "<table>" else tag


class GradesForm(Form):
    """The scale of the judgments and what a grade is worth."""

    max: float | None = Field(None, description="the top of the scale; default: the highest grade in the qrels")
    relevant: float = Field(1.0, description="the least grade that counts as relevant")
    gain: Annotated[
        Annotated[Literal["linear", "exp"], Tag("<text>")] | Annotated[_Gains, Tag("<table>")],
        Discriminator(_text_or_table),
    ] = Field("linear", description="what a grade is worth: itself, 2^grade - 1, or a gain for each grade")

    @model_validator(mode="after")
    def _on_one_scale(self) -> GradesForm:
        if self.max is not None and self.relevant > self.max:
            raise misfit("{path}: no grade can be relevant, for 'relevant' is above 'max'", "lower it", key="relevant")
        return self


def _any_spelling(schema: dict[str, Any]) -> None:
    # An editor should take each spelling that the reader takes.
    properties, required = schema["properties"], schema["required"]
    for keys in (_ID_KEYS, _TEXT_KEYS):
        properties.update(dict.fromkeys(keys, properties[keys[0]]))
        required.remove(keys[0])
        schema.setdefault("allOf", []).append({"anyOf": [{"required": [key]} for key in keys]})


class QueryForm(Form):
    """A query written in the suite; its keys are those of a line of queries.jsonl, and `relevant`."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_any_spelling)

    example: ClassVar[str] = "query_id: q1, text: red shoes"

    query_id: Text = Field(
        validation_alias=AliasChoices(*_ID_KEYS), description="the id, as qrels and runs have it", examples=["q1"]
    )
    text: str = Field(
        validation_alias=AliasChoices(*_TEXT_KEYS), description="what is searched", examples=["red shoes"]
    )
    relevant: dict[Text, float] | None = Field(None, description="judgments: doc_id → grade")

    @model_validator(mode="after")
    def _one_spelling(self) -> QueryForm:
        for keys in (_ID_KEYS, _TEXT_KEYS):
            again = [key for key in keys if key in (self.model_extra or {})]
            if again:
                raise misfit(f"{{path}}: {again[0]!r} says again what another key says", "keep one", key=again[0])
        return self


class RetrieverForm(Form):
    """An entry under `retrievers:`; what else it holds is for its type to know."""

    model_config = ConfigDict(extra="allow")

    example: ClassVar[str] = "type: bm25"

    type: Text = Field(description="the kind of retriever", examples=["bm25"])


_Rules: TypeAlias = Annotated[dict[Text, SliceRule], Field(min_length=1)]
_Scheme: TypeAlias = Annotated[
    Annotated[Literal["attribute"], Tag("<text>")] | Annotated[_Rules, Tag("<table>")], Discriminator(_text_or_table)
]


class SuiteForm(Form):
    """A suite of search-relevance checks."""

    suite: Text | None = Field(None, description="the suite's name; default: the file's")
    corpus: Text | None = Field(None, description="a file of documents, or a folder that holds corpus.jsonl")
    queries: Annotated[
        Annotated[Text, Tag("<text>")] | Annotated[tuple[QueryForm, ...], Field(min_length=1), Tag("<list>")],
        Discriminator(_text_or_list),
    ] = Field(description="a file of queries, or the queries themselves", examples=["queries.jsonl"])
    qrels: (
        Annotated[
            Annotated[Text, Tag("<text>")] | Annotated[dict[Text, Text], Field(min_length=1), Tag("<table>")],
            Discriminator(_text_or_table),
        ]
        | None
    ) = Field(None, description="a file of judgments, or several by name")
    grades: GradesForm = Field(GradesForm(), description="the scale of the judgments")
    slices: dict[Text, _Scheme] = Field({}, description="named parts of the queries: rules, or 'attribute'")
    weights: dict[Text, Annotated[dict[Text, _Positive], Field(min_length=1)]] = Field(
        {}, description="for a scheme of slices, each slice's share"
    )
    retrievers: dict[Text, RetrieverForm] = Field(
        min_length=1, description="what ranks documents, by name", examples=["{bm25: {type: bm25}}"]
    )
    report: tuple[MeasureName, ...] = Field((), description="measured and shown for every retriever, gating nothing")
    checks: tuple[CheckForm, ...] = Field((), description="what is expected of whole runs")
    assertions: tuple[AssertionForm, ...] = Field((), description="what is expected of single queries")
    preflight: PreflightForm = Field(PreflightForm(), description="what is looked for in the data before retrieval")
    duplicates: Duplicates = Field("error", description="a document twice in a ranking: an error, or the first is kept")
    depth: Depth | None = Field(None, description="documents retrieved per query")
    fold: Text | None = Field(None, description="a rule or a file that leads from a document to its parent")

    @model_validator(mode="after")
    def _asks_something(self) -> SuiteForm:
        if not (self.report or self.checks or self.assertions):
            raise misfit(
                "{path} checks nothing: it would pass whatever the search does",
                "add checks, assertions or report, for example 'report: [nDCG@10]'",
            )
        return self
