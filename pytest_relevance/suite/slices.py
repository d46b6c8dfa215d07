"""Slices: rules that put each query into at most one slice of a scheme, and the queries of every slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from pytest_relevance.errors import Place, SuiteError, suggestion
from pytest_relevance.records import Queries, Query
from pytest_relevance.suite.conditions import FieldCondition
from pytest_relevance.suite.expected import Expected
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import Texts

_Words: TypeAlias = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1, max_length=2)]


def _pattern(text: object) -> Expected:
    try:
        expected = Expected.parse(text) if isinstance(text, str) else Expected("")
    except ValueError as error:
        raise misfit(f"{{path}}: {error}", "write it as /pattern/ or /pattern/i") from None
    if expected.pattern is None:
        raise misfit("{path} needs /regex/, found {written}", "write it between slashes, for example '/^how to/i'")
    return expected


_Pattern: TypeAlias = Annotated[
    Expected, PlainValidator(_pattern), WithJsonSchema({"type": "string", "pattern": "^/.+/[imsxa]*$"})
]


class SliceRule(Form):
    """Which queries are in a slice; of several conditions all must hold."""

    example: ClassVar[str] = "words: [2, 3]"

    words: _Words | None = Field(None, description="words of the text: [least, most], or [least] for no upper end")
    starts_with: Texts | None = Field(None, description="the text begins with one of these words, in any letter case")
    matches: _Pattern | None = Field(None, description="the text holds this /regex/")
    attribute: FieldCondition | None = Field(None, description="attributes of the query are equal, or match /regex/")
    queries: Texts | None = Field(None, description="these query_ids")

    @model_validator(mode="after")
    def _sensible(self) -> SliceRule:
        if not self.model_fields_set:
            raise misfit("{path} has no rule", "add one, for example 'words: [2, 3]' or 'starts_with: [who, what]'")
        if self.words and self.words[-1] < self.words[0]:
            raise misfit("{path}: the least number of words is above the most", "write [least, most]", key="words")
        return self

    @property
    def only_counts_words(self) -> bool:
        """Whether it says nothing but a length, and so is tried after the other rules."""
        return self.model_fields_set == {"words"}

    def holds(self, query: Query) -> bool:
        """Whether the query meets every condition."""
        text = query.text
        if self.words and not self._words_hold(len(text.split())):
            return False
        if self.starts_with and not any(_begins(text, word) for word in self.starts_with):
            return False
        if self.matches is not None and not self.matches.fits(text):
            return False
        if self.attribute is not None and not self.attribute.holds(query.attributes):
            return False
        return self.queries is None or query.query_id in self.queries

    def _words_hold(self, count: int) -> bool:
        assert self.words
        return count >= self.words[0] and (len(self.words) == 1 or count <= self.words[1])


Scheme: TypeAlias = Literal["attribute"] | Mapping[str, SliceRule]


def rule_order(rules: Mapping[str, SliceRule]) -> list[tuple[str, SliceRule]]:
    """The rules as they are tried: in written order, those that only count words after all others."""
    return sorted(rules.items(), key=lambda named: named[1].only_counts_words)


def slice_of(query: Query, scheme: str, rules: Scheme) -> str | None:
    """The one slice of a scheme that a query is in, or None."""
    if isinstance(rules, str):
        return _attribute_text(query, scheme)
    return next((name for name, rule in rule_order(rules) if rule.holds(query)), None)


def members_of(
    schemes: Mapping[str, Scheme], queries: Queries, places: Mapping[str, Place]
) -> dict[str, tuple[str, ...]]:
    """`scheme=slice` → its query_ids in the order of the queries; a slice that a rule names is there even if empty.

    Raises:
        SuiteError: no query has the attribute a scheme is named for, a value of it is a list, or a rule lists a
            query_id that is none.
    """
    members: dict[str, list[str]] = {}
    for scheme, rules in schemes.items():
        place = places.get(f"slices.{scheme}")
        _refuse_unknown_ids(scheme, rules, queries)
        if isinstance(rules, str):
            _refuse_unknown_attribute(scheme, queries, place)
        else:
            members.update({f"{scheme}={name}": [] for name in rules})
        for query in queries:
            name = slice_of(query, scheme, rules)
            if name is not None:
                members.setdefault(f"{scheme}={name}", []).append(query.query_id)
    return {name: tuple(query_ids) for name, query_ids in members.items()}


def _begins(text: str, word: str) -> bool:
    folded, start = text.casefold().lstrip(), word.casefold()
    after = folded[len(start) : len(start) + 1]
    return folded.startswith(start) and not (after.isalnum() and start[-1].isalnum())


def _attribute_text(query: Query, scheme: str) -> str | None:
    value = query.attributes.get(scheme)
    if value is None or value == "":
        return None
    if isinstance(value, list | tuple | dict):
        raise SuiteError(
            f"attribute {scheme!r} of query {query.query_id!r} holds several values, and a query is in one slice",
            fix=f"write rules instead, such as '{scheme}: {{NAME: {{attribute: {{{scheme}: VALUE}}}}}}'",
        )
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_unknown_attribute(scheme: str, queries: Queries, place: Place | None) -> None:
    known = dict.fromkeys(name for query in queries for name in query.attributes)
    if scheme not in known:
        fix = suggestion(scheme, known, label="attributes of the queries") if known else "add it to the queries"
        raise SuiteError(f"no query has the attribute {scheme!r}", place=place, fix=fix)


def _refuse_unknown_ids(scheme: str, rules: Scheme, queries: Queries) -> None:
    for name, rule in ({} if isinstance(rules, str) else rules).items():
        for query_id in rule.queries or ():
            if query_id not in queries:
                raise SuiteError(
                    f"slice {scheme}={name} lists query {query_id!r}, which this suite does not have",
                    place=rule.place,
                    fix=suggestion(query_id, queries.query_ids[:20], label="queries of this suite begin with"),
                )
