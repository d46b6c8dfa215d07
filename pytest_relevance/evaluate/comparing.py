"""Comparing: what the suite's retrievers are compared with, whether that makes sense, and what statistics say of it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from pytest_relevance.baseline import (
    FOLDER,
    BaselineFolder,
    Change,
    GitReference,
    Origin,
    changes_between,
    is_baseline,
    query_hash,
    read_baseline,
    shared_query_ids,
)
from pytest_relevance.baseline.record import Baseline
from pytest_relevance.errors import RelevanceError, SuiteError, as_shown, nearest
from pytest_relevance.evaluate.measuring import Asked, Measuring
from pytest_relevance.evaluate.origins import made_from, origin_of
from pytest_relevance.evaluate.retrieval import Retrieval, Settings
from pytest_relevance.records import Run
from pytest_relevance.suite import Against, DropCheck, OverlapCheck, Suite, SuiteData, Threshold
from pytest_relevance.suite.check_parts import BASELINE
from pytest_relevance.suite.source import is_there
from pytest_relevance.trec import read_run
from pytest_relevance.verdict.compared import Compared, corrected, with_decisions
from pytest_relevance.verdict.measured import Measured


@dataclass(frozen=True, eq=False)
class Other:
    """The other side of a comparison."""

    name: str  # under which it is measured
    label: str  # how messages call it
    baseline: Baseline | None = None
    missing: tuple[str, ...] = ()  # queries that a run file does not have


class NotComparableError(Exception):
    """What was stored cannot be compared; decided as a verdict of its own."""

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__(changes[0].text)
        self.changes = tuple(change.text for change in changes)


class Comparing:
    """Compares the runs of one suite with baselines, with run files and with each other."""

    def __init__(
        self, suite: Suite, data: SuiteData, settings: Settings, retrieval: Retrieval, measuring: Measuring
    ) -> None:
        self._suite = suite
        self._data = data
        self._settings = settings
        self._retrieval = retrieval
        self._measuring = measuring
        self._others: dict[tuple[str, Against], Other] = {}
        self._gates: list[DropCheck] = []
        self._origins: dict[str, Origin] = {}
        self._compared: dict[tuple[str, str], list[Compared] | RelevanceError | NotComparableError] = {}

    def expect(self, check: DropCheck) -> None:
        """Say that a gate will be decided: the gates of a suite are corrected together."""
        self._gates.append(check)

    @cached_property
    def folder(self) -> BaselineFolder:
        """Where the suite's baselines are stored.

        Raises:
            UsageError: they are to be read from a git reference that is not there.
        """
        reference = self._settings.baseline_reference
        home = self._suite.path.parent
        return BaselineFolder(
            self._settings.baselines or home / FOLDER,
            self._suite.name,
            reference=GitReference(reference, home) if reference else None,
        )

    @cached_property
    def query_hashes(self) -> dict[str, str]:
        """query_id → hash, for every query of the suite."""
        return {query.query_id: query_hash(query) for query in self._data.queries}

    def renew(self, retriever: str) -> str:
        """The command that stores a retriever's baseline anew."""
        suite, name = shlex.quote(as_shown(str(self._suite.path))), shlex.quote(retriever)
        return f"pytest --relevance {suite} --relevance-retriever {name} --relevance-update-baseline"

    def origin(self, retriever: str) -> Origin:
        """What a retriever's run of now is made from and measured with."""
        if retriever not in self._origins:
            self._origins[retriever] = origin_of(self._suite, self._data, self._retrieval, self._measuring, retriever)
        return self._origins[retriever]

    def compared(self, check: DropCheck) -> list[Compared]:
        """The comparison of a check under each judgment set it is decided under, corrected among the suite's gates.

        Raises:
            NotComparableError: what was stored cannot be compared.
            RelevanceError: set-up is at fault.
        """
        if not self._compared:
            self._compare_all()
        key = (check.of, check.title)
        if key not in self._compared:
            self._compared[key] = self._try(check)
        found = self._compared[key]
        if isinstance(found, Exception):
            raise found.with_traceback(None)
        return found

    def alike(self, check: OverlapCheck) -> tuple[Measured, Other, tuple[str, ...]]:
        """How alike the rankings of a retriever and of the other side are, and what is not as it was.

        Raises:
            NotComparableError: what was stored cannot be compared.
        """
        other = self._other(check.of, check.against)
        changes, shared = self._changes(check.of, other, None, check.overlap.cutoff, check.shared_queries == "allow")
        measured = self._measuring.overlapping(check, other.name)
        if shared is not None:
            measured = measured.restricted_to(frozenset(shared))
        return measured, other, changes

    def beside(self, check: Threshold, qrels: str) -> Compared | None:
        """A threshold's measure now and in the stored baseline; None where there is none.

        Raises:
            NotComparableError: what was stored cannot be compared.
        """
        if not self.folder.is_stored(check.of):
            return None
        other = self._other(check.of, Against("baseline", BASELINE))
        changes, shared = self._changes(check.of, other, qrels, check.measure.depth, False)
        old, new, left_out = self._pair(check, other, qrels, check.slice, shared)
        return Compared(old, new, other.label, changes=changes, left_out=left_out)

    def _compare_all(self) -> None:
        for check in self._gates:
            self._compared[check.of, check.title] = self._try(check)
        found = {key: ones for key, ones in self._compared.items() if isinstance(ones, list)}
        again = iter(corrected([one for ones in found.values() for one in ones]))
        self._compared.update({key: list(islice(again, len(ones))) for key, ones in found.items()})

    def _try(self, check: DropCheck) -> list[Compared] | RelevanceError | NotComparableError:
        try:
            return [self._compare(check, name) for name in self._measuring.sets(check.qrels)]
        except (RelevanceError, NotComparableError) as error:
            return error

    def _compare(self, check: DropCheck, qrels: str) -> Compared:
        other = self._other(check.of, check.against)
        changes, shared = self._changes(check.of, other, qrels, check.measure.depth, check.shared_queries == "allow")
        old, new, left_out = self._pair(check, other, qrels, check.slice, shared)
        found = Compared(
            old,
            new,
            other.label,
            changes=changes,
            left_out=left_out,
            made_from=made_from(other.baseline, self.origin(check.of), qrels) if other.baseline else {},
            pairs={name: self._pair(check, other, qrels, name, shared)[:2] for name in self.slices_of(check)},
        )
        return with_decisions(check, found)

    def _pair(
        self, check: DropCheck | Threshold, other: Other, qrels: str, within: str | None, shared: tuple[str, ...] | None
    ) -> tuple[Measured, Measured, int]:
        total = check.total if within == check.slice else None
        new = self._measuring.measured(Asked(check.measure, check.of, within, total), qrels)
        old = self._measuring.measured(Asked(check.measure, other.name, within, total), qrels)
        both = frozenset(old.values.query_ids) & frozenset(new.values.query_ids)
        if shared is not None:
            both &= frozenset(shared)
        left_out = len(new.values) - len(both)
        return old.restricted_to(both), new.restricted_to(both), left_out

    def slices_of(self, check: DropCheck) -> list[str]:
        """The slices of which a check asks something by themselves."""
        if check.each_slice is None:
            return []
        scheme = check.each_slice.scheme
        return [name for name in self._data.members if scheme is None or name.partition("=")[0] == scheme]

    def _changes(
        self, of: str, other: Other, qrels: str | None, needs: int | None, allow: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """What differs, as text, and the queries to compare where not all are."""
        if other.missing:
            text = f"the queries {', '.join(other.missing[:5])}{', …' if len(other.missing) > 5 else ''} are not in it"
            if not allow:
                raise NotComparableError([Change("queries", text, blocks=True)])
            return (text,), tuple(one for one in self.query_hashes if one not in frozenset(other.missing))
        if other.baseline is None:
            return (), None
        found = changes_between(
            other.baseline, self.origin(of), self.query_hashes, qrels=qrels, needs=needs, shared_queries=allow
        )
        if any(change.blocks for change in found):
            raise NotComparableError(found)
        reworded = any(change.kind == "queries" for change in found)
        shared = shared_query_ids(other.baseline, self.query_hashes) if reworded else None
        return tuple(change.text for change in found), shared

    def _other(self, of: str, against: Against) -> Other:
        key = (of, against)
        if key not in self._others:
            self._others[key] = self._found(of, against)
        return self._others[key]

    def _found(self, of: str, against: Against) -> Other:
        if against.kind == "retriever":
            return Other(against.name, against.name)
        if against.kind == "baseline":
            return self._stored(of, self.folder.get(of, self.renew(of)), "baseline")
        path = self._suite.path.parent / against.name
        if not is_there(path):
            raise self._no_file(of, against, path)
        if is_baseline(path):
            return self._stored(of, read_baseline(path), str(against))
        run = read_run(path, duplicates=self._suite.duplicates, name=str(against))
        wanted = {query.query_id for query in self._data.queries}
        run = self._retrieval.folded(run.restricted_to(wanted).cut(self._retrieval.depth_of(of)))
        asked = self._retrieval.run_of(of).query_ids
        return self._added(of, run, str(against), missing=tuple(one for one in asked if one not in run))

    def _stored(self, of: str, baseline: Baseline, label: str) -> Other:
        run = self._retrieval.folded(baseline.run.cut(self._retrieval.depth_of(of)))
        return self._added(of, run, label, baseline)

    def _added(
        self, of: str, run: Run, label: str, baseline: Baseline | None = None, missing: tuple[str, ...] = ()
    ) -> Other:
        name = f"{label} of {of}"
        while name in self._suite.retrievers:
            name += "'"
        self._measuring.add_run(name, run, of)
        return Other(name, label, baseline, missing)

    def _no_file(self, of: str, against: Against, path: Path) -> SuiteError:
        place = next(check.place for check in self._suite.checks if getattr(check, "against", None) == against)
        siblings = sorted(one.name for one in path.parent.iterdir()) if is_there(path.parent, folder=True) else []
        near = nearest(path.name, siblings)
        fix = f"did you mean {near!r}?" if near else "paths begin at the suite's folder"
        return SuiteError(f"{of} is compared with {against.name!r}, and there is no such file", place=place, fix=fix)
