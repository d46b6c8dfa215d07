"""What two versions of a suite ask differently: bounds that were moved, checks and assertions that are gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias

from pytest_relevance.suite.asserted import Assertion, QueryTable
from pytest_relevance.suite.checks import Check
from pytest_relevance.suite.conditions import FieldCondition
from pytest_relevance.suite.expectations import Expectation
from pytest_relevance.suite.forms import Form
from pytest_relevance.suite.model import Suite
from pytest_relevance.suite.regressions import EachQuery, EachSlice

_NAMING = frozenset(("place", "title", "of", "measure", "overlap"))  # what a check is about, not how strict it is
_AROUND = ("level", "known_failure")  # an expectation's own, or else its assertion's
_BOUNDS = frozenset(("top", "at_least", "at_most", "mostly", "qrels", "any_order"))  # words that claim nothing alone
_GONE_SHOWN = 10  # assertions named one by one

_About: TypeAlias = tuple[str, str, QueryTable | None]  # a retriever, and the query or the table of queries


class SuiteEdits:
    """A suite beside another version of it, such as the one on the main branch."""

    def __init__(self, now: Suite, then: Suite) -> None:
        self._now = now
        self._then = then
        self._checks = {(check.of, check.title): check for check in then.checks}

    def of_check(self, check: Check) -> tuple[str, ...]:
        """`at_least was 0.42 and is 0.4, in nDCG@10 of live`: each bound of a check that the other version has."""
        before = self._checks.get((check.of, check.title))
        if before is None or type(before) is not type(check):
            return ()
        names = [field.name for field in fields(check) if field.name not in _NAMING]
        was, now = ({name: getattr(one, name) for name in names} for one in (before, check))
        return tuple(f"{moved}, in {check.title} of {check.of}" for moved in _moved(was, now))

    def of_expectation(self, retriever: str, expectation: Expectation) -> tuple[str, ...]:
        """`rank was 1 and is {at_most: 3}, in red shoes: D1 at rank at most 3 of live`: the same of an expectation."""
        return self._edited.get((retriever, id(expectation)), ())

    @cached_property
    def gone(self) -> tuple[str, ...]:
        """`the check nDCG@10 of live`: what the other version asks and this one does not."""
        kept = {(check.of, check.title) for check in self._now.checks}
        checks = [f"the check {title} of {of}" for of, title in self._checks if (of, title) not in kept]
        claims = [f"the assertion {claim.told}" for claim in self._matched.gone]
        more = len(claims) - _GONE_SHOWN
        return (*checks, *claims[:_GONE_SHOWN], *([f"{more} more assertions"] if more > 0 else ()))

    @cached_property
    def _edited(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        return {
            (now.retriever, id(now.expectation)): tuple(
                f"{moved}, in {now.told}" for moved in _moved(then.settings, now.settings)
            )
            for then, now in self._matched.edited
        }

    @cached_property
    def _matched(self) -> _Matched:
        now, then = _claims(self._now), _claims(self._then)
        edited: list[tuple[_Claim, _Claim]] = []
        gone: list[_Claim] = []
        for about, before in then.items():
            after = now.get(about, [])
            same = {one.identity for one in before} & {one.identity for one in after}
            changed = [one for one in after if one.identity not in same]
            for claim in before:
                if claim.identity in same:
                    continue
                partner = min((one for one in changed if claim.is_like(one)), key=claim.distance, default=None)
                if partner is None:
                    gone.append(claim)
                else:
                    changed.remove(partner)
                    edited.append((claim, partner))
        return _Matched(tuple(edited), tuple(gone))


@dataclass(frozen=True)
class _Claim:
    """One expectation of one retriever, with all that says how strict it is."""

    retriever: str
    assertion: Assertion
    expectation: Expectation

    @cached_property
    def identity(self) -> tuple[object, ...]:
        """Equal where nothing was edited. The text of an expectation tells all that it asks."""
        return (self.expectation.text, *self._around.values())

    @cached_property
    def settings(self) -> dict[str, object]:
        """Everything that may be edited, by its name in the suite."""
        names = [name for name in type(self.expectation).model_fields if name not in _AROUND]
        return {**{name: getattr(self.expectation, name) for name in names}, **self._around}

    @property
    def told(self) -> str:
        return f"{self.assertion.about}: {self.expectation.text} of {self.retriever}"

    @property
    def _around(self) -> dict[str, object]:
        return {
            "mostly of its queries": self.assertion.mostly,
            "level": self.assertion.level_of(self.expectation),
            "known_failure": self.assertion.known_failure_of(self.expectation),
        }

    def is_like(self, other: _Claim) -> bool:
        """Whether one may have become the other: it is of the same kind, and says one of the same words."""
        return type(self.expectation) is type(other.expectation) and not self._words.isdisjoint(other._words)

    def distance(self, other: _Claim) -> int:
        """How many settings differ."""
        return sum(1 for _ in _moved(self.settings, other.settings))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(name for name, value in self.settings.items() if value is not None) - _BOUNDS - {*self._around}


@dataclass(frozen=True)
class _Matched:
    """The claims of another version by what became of them; what is the same is in neither."""

    edited: tuple[tuple[_Claim, _Claim], ...]  # then, now
    gone: tuple[_Claim, ...]


def _claims(suite: Suite) -> dict[_About, list[_Claim]]:
    found: dict[_About, list[_Claim]] = defaultdict(list)
    for assertion in suite.assertions:
        for retriever in assertion.of:
            about = (retriever, assertion.query, assertion.table)
            found[about] += [_Claim(retriever, assertion, expectation) for expectation in assertion.expect]
    return found


def _moved(was: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*was, *now)):
        before, after = was.get(name), now.get(name)
        if before != after:
            yield f"{name} was {_shown(before)} and is {_shown(after)}"


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "unset"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(_shown, value)) if value else "unset"
    if isinstance(value, FieldCondition):
        return value.text
    if isinstance(value, EachQuery | EachSlice | Form):
        inside = value.model_dump() if isinstance(value, Form) else vars(value)
        return f"{{{', '.join(f'{name}: {_shown(one)}' for name, one in inside.items() if one is not None)}}}"
    return str(value)
