"""Finding: one thing wrong or worth knowing of the data of a suite, as plain data that any report can draw."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from pytest_relevance.errors import RelevanceError, SuiteError
from pytest_relevance.preflight.material import Material
from pytest_relevance.suite.preflight import Preflight, Severity

EXAMPLES = 5  # shown of each finding
ORDER: Sequence[Severity] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw, before anybody says how serious that is."""

    sentence: str
    count: int  # how many there are
    of: int  # how many were looked at; 0 where a share says nothing
    examples: tuple[str, ...] = ()
    place: str = ""  # the file, or where in the suite
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the pre-flight."""

    level: Severity
    rule: str
    sentence: str
    count: int
    share: float | None  # of what was looked at, 0.0 to 1.0
    examples: tuple[str, ...] = ()
    place: str = ""  # file, or file:line:column
    fix: str = ""

    @classmethod
    def of(cls, level: Severity, rule: str, seen: Seen) -> Finding:
        """What a rule saw, at a level."""
        share = seen.count / seen.of if seen.of else None
        return cls(level, rule, seen.sentence, seen.count, share, seen.examples[:EXAMPLES], seen.place, seen.fix)

    @property
    def line(self) -> str:
        """The finding in one line: `judged-not-in-corpus: 168 of 2349 … (qrels.txt)`."""
        return f"{self.rule}: {self.sentence}{f' ({self.place})' if self.place else ''}"

    @property
    def error(self) -> RelevanceError:
        """The finding as an error that stops what stands on the data."""
        examples = f": {', '.join(self.examples)}" if self.examples else ""
        place = f"{self.place}: " if self.place else ""
        off = f"; if it is meant to be so, write 'preflight: {{{self.rule}: warn}}'"
        return SuiteError(f"{place}{self.rule}: {self.sentence}{examples}", fix=f"{self.fix}{off}")

    def to_json(self) -> str:
        """The finding as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Finding:
        """The finding again."""
        plain: dict[str, Any] = json.loads(text)
        plain["examples"] = tuple(plain["examples"])
        return cls(**{field.name: plain[field.name] for field in fields(cls)})


Look = Callable[[Material], Iterable[Seen]]


class Rule(NamedTuple):
    """A rule's id, which its usual level is known by, and the function that looks."""

    rule_id: str
    look: Look


def findings_of(rules: Iterable[Rule], material: Material, preflight: Preflight) -> Iterator[Finding]:
    """What the rules that are on find, in their order."""
    for rule in rules:
        level = preflight.severity(rule.rule_id)
        if level is not None:
            yield from (Finding.of(level, rule.rule_id, seen) for seen in rule.look(material))


def by_level(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, errors first, in their order otherwise."""
    return tuple(sorted(findings, key=lambda finding: ORDER.index(finding.level)))
