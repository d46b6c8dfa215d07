"""`preflight:`: how serious each finding of the pre-flight is, and how many queries a stored run must cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

from pydantic import ConfigDict, Field, model_validator

from pytest_relevance.errors import suggestion
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import Share

Severity: TypeAlias = Literal["error", "warning", "note"]

WRITTEN: Mapping[str, Severity | None] = {"error": "error", "warn": "warning", "off": None}


class PreflightRule(NamedTuple):
    """One thing the pre-flight looks for."""

    usual: Severity  # where a suite says nothing: errors only for what can make no sense
    finds: str


RULES: Mapping[str, PreflightRule] = {
    "unreadable-file": PreflightRule("error", "a file that cannot be read as it stands"),
    "id-mismatch": PreflightRule("error", "ids that differ from another file's by letter case, blanks, zeros, signs"),
    "nothing-in-common": PreflightRule("error", "two files that share no id at all"),
    "repeated-id": PreflightRule("error", "an id that stands twice in a file, with the same text or another"),
    "judged-not-in-corpus": PreflightRule("warning", "judged documents that the corpus does not have"),
    "judged-query-unknown": PreflightRule("warning", "judgments for queries that the queries do not have"),
    "query-unjudged": PreflightRule("note", "queries that nobody judged"),
    "query-without-relevant": PreflightRule("warning", "judged queries without a relevant document"),
    "grade-outside-scale": PreflightRule("warning", "grades below 0 or above the declared scale"),
    "gain-out-of-proportion": PreflightRule("warning", "an exponential gain over grades too high for it"),
    "all-one-grade": PreflightRule("note", "queries whose judged documents all have one grade"),
    "no-judged-negatives": PreflightRule("warning", "judgments without any document that is not relevant"),
    "scale-upside-down": PreflightRule("warning", "higher grades on documents less like their query"),
    "judgments-of-other-queries": PreflightRule("warning", "judged documents less like their query than like others"),
    "query-id-is-doc-id": PreflightRule("note", "a query whose id is that of a document judged or ranked for it"),
    "empty-document": PreflightRule("warning", "documents without any text"),
    "empty-field": PreflightRule("note", "documents that lack the text nearly all others have"),
    "judged-without-text": PreflightRule("warning", "judged documents that lack the text nearly all others have"),
    "duplicate-documents": PreflightRule("note", "documents that are copies of another, to the letter"),
    "copy-unjudged": PreflightRule("warning", "copies of which some are judged for a query and some are not"),
    "copies-graded-apart": PreflightRule("warning", "copies with different grades for one query"),
    "blank-query": PreflightRule("warning", "queries without any text"),
    "repeated-query": PreflightRule("warning", "queries that have the same text"),
    "near-identical-queries": PreflightRule("note", "queries that ask nearly the same"),
    "passage-ids": PreflightRule("warning", "ids of parts where another file has their parents"),
    "ids-of-parts": PreflightRule("note", "judged ids that look like parts of parents"),
    "reader-note": PreflightRule("note", "what reading a file had to tell"),
    "run-query-missing": PreflightRule("warning", "judged queries that a run does not have"),
    "run-query-unknown": PreflightRule("note", "queries of a run that nobody judged"),
    "run-not-in-corpus": PreflightRule("warning", "ranked documents that the corpus does not have"),
    "run-shorter-than-cutoff": PreflightRule("note", "rankings shorter than the deepest cutoff asked for"),
    "tied-scores": PreflightRule("warning", "a run in which more than 5 % of the ranks share their score"),
}


@dataclass(frozen=True)
class Preflight:
    """What a suite says of its pre-flight."""

    levels: Mapping[str, Severity | None] = field(default_factory=dict)  # rule → severity, None: off
    min_query_coverage: float = 1.0  # share of the asked queries that a stored run must have

    def severity(self, rule: str) -> Severity | None:
        """How serious a finding of this rule is; None where it is off."""
        return self.levels.get(rule, RULES[rule].usual)

    def is_on(self, *rules: str) -> bool:
        """Whether any of these rules is looked at."""
        return any(self.severity(rule) is not None for rule in rules)


def _with_rules(schema: dict[str, Any]) -> None:
    # An editor's YAML may read `off` as false.
    level = {"anyOf": [{"enum": list(WRITTEN)}, {"const": False}]}
    schema["properties"] |= {name: {"description": rule.finds, **level} for name, rule in RULES.items()}
    schema["additionalProperties"] = False


class PreflightForm(Form):
    """What is looked for in the data before anything is retrieved."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_with_rules)

    example: ClassVar[str] = "judged-not-in-corpus: error"

    min_query_coverage: Share = Field(1.0, ge=0, le=1, description="share of the queries that a stored run must have")

    @model_validator(mode="after")
    def _known(self) -> PreflightForm:
        for name, level in (self.model_extra or {}).items():
            if name not in RULES:
                known = ("min_query_coverage", *RULES)
                fix = suggestion(name, known, label="rules")
                raise misfit(f"unknown rule {name!r} in {{path}}", fix, key=name, at_key=True)
            if not isinstance(level, str) or level not in WRITTEN:
                fix = f"levels: {', '.join(WRITTEN)}"
                raise misfit(f"unknown level {{written}} of {name} in {{path}}", fix, key=name)
        return self

    @property
    def preflight(self) -> Preflight:
        """The record it makes."""
        levels = {name: WRITTEN[cast("str", level)] for name, level in (self.model_extra or {}).items()}
        return Preflight(levels, self.min_query_coverage)
