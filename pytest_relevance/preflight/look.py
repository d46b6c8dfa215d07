"""All rules together: over the data before anything is retrieved, and over runs once they are there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_relevance.preflight import asked, documents, identity, judged, lexical, parts, ranked
from pytest_relevance.preflight.findings import Finding, Rule, by_level, findings_of
from pytest_relevance.preflight.material import Material
from pytest_relevance.records import Run
from pytest_relevance.suite.preflight import Preflight

DATA_RULES: tuple[Rule, ...] = (
    *identity.RULES,
    *parts.RULES,
    *judged.RULES,
    *lexical.RULES,
    *documents.RULES,
    *asked.RULES,
)
RUN_RULES: tuple[Rule, ...] = ranked.RULES
CORPUS_RULES = (
    "id-mismatch",
    "nothing-in-common",
    "passage-ids",
    "judged-not-in-corpus",
    "run-not-in-corpus",
    *(rule.rule_id for rule in (*lexical.RULES, *documents.RULES)),
)
# Of a run that is at hand: not what counts queries, for a session may ask for few of them. Ties are a fault of files
# that lost digits; a retriever of short texts rightly has many, and their order is always the same.
_OF_A_RUN = ("id-mismatch", "passage-ids", "run-shorter-than-cutoff")
_OF_A_STORED_RUN = (*_OF_A_RUN, "tied-scores")


def look(material: Material, preflight: Preflight | None = None) -> tuple[Finding, ...]:
    """Everything that is found in the data and the runs, errors first."""
    return by_level(findings_of((*DATA_RULES, *RUN_RULES), material, preflight or Preflight()))


def look_at_data(material: Material, preflight: Preflight) -> tuple[Finding, ...]:
    """What is found before anything is retrieved; notes, which nobody would be shown, are not looked for."""
    told = [rule for rule in DATA_RULES if preflight.severity(rule.rule_id) in ("error", "warning")]
    return by_level(findings_of(told, replace(material, runs={}), preflight))


def look_at_run(material: Material, name: str, run: Run, preflight: Preflight, *, stored: bool) -> tuple[Finding, ...]:
    """What is found of one run beside the data, once it is there; what the data has alone is not said again."""
    rules = _named((*DATA_RULES, *RUN_RULES), *(_OF_A_STORED_RUN if stored else _OF_A_RUN))
    before = set(findings_of(rules, replace(material, runs={}), preflight))
    found = findings_of(rules, replace(material, runs={name: run}), preflight)
    return by_level(finding for finding in found if finding not in before)


def _named(rules: Iterable[Rule], *names: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.rule_id in names)
