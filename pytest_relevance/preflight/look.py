"""All rules together: over the data before anything is retrieved, and over runs once they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
_OF_A_RUN = ("id-mismatch", "nothing-in-common", "passage-ids", "query-id-is-doc-id")


def look(material: Material, preflight: Preflight | None = None) -> tuple[Finding, ...]:
    """Everything that is found in the data and the runs, errors first."""
    return by_level(findings_of((*DATA_RULES, *RUN_RULES), material, preflight or Preflight()))


def look_at_data(material: Material, preflight: Preflight) -> tuple[Finding, ...]:
    """What is found before anything is retrieved."""
    data_only = replace(material, runs={})
    return by_level(findings_of((*DATA_RULES, *_named(RUN_RULES, "reader-note")), data_only, preflight))


def look_at_run(
    material: Material, name: str, run: Run, preflight: Preflight, *, names: Mapping[str, str]
) -> tuple[Finding, ...]:
    """What is found of one run, once it is there; what concerns the data alone is not said again."""
    with_run = replace(material, runs={name: run}, names={**material.names, **names})
    rules = (*_named(DATA_RULES, *_OF_A_RUN), *RUN_RULES)
    of_data = {finding.line for finding in findings_of(rules, replace(material, runs={}), preflight)}
    found = findings_of(rules, with_run, preflight)
    return by_level(finding for finding in found if finding.line not in of_data)


def _named(rules: Iterable[Rule], *names: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.rule_id in names)
