"""Preflighting: the pre-flight of one suite in the flow, of its data before retrieval and of each run after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pytest_relevance.errors import CombinedError, RelevanceError, RetrieverError
from pytest_relevance.evaluate.retrieval import Retrieval
from pytest_relevance.preflight.findings import Finding
from pytest_relevance.preflight.gather import material_of, stored_runs
from pytest_relevance.preflight.look import CORPUS_RULES, look_at_data, look_at_run
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.remembered import remembered
from pytest_relevance.records import Run
from pytest_relevance.retrievers.runfile import ABSENT
from pytest_relevance.suite import Suite, SuiteData
from pytest_relevance.verdict.numbers import listed, plural


class Preflighting:
    """Looks once at the data and once at each run, raises what is an error, and keeps what is a warning."""

    def __init__(self, suite: Suite, data: SuiteData, retrieval: Retrieval, cache: Path | None) -> None:
        self._suite = suite
        self._data = data
        self._retrieval = retrieval
        self._cache = cache
        self._looked_at_data = False
        self._warnings: list[Finding] = []
        self._looked: dict[str, RelevanceError | None] = {}  # retriever → what is wrong with its run

    def look_at_data(self) -> None:
        """Look at queries, judgments and documents, at the first call.

        Raises:
            SuiteError: one finding is an error. CombinedError: several are.
        """
        if self._looked_at_data:
            return
        self._looked_at_data = True
        found = remembered(self._cache, self._suite, self._data_findings)
        self._warnings += [finding for finding in found if finding.level == "warning"]
        error = _error(found)
        if error is not None:
            raise error

    def look_at_run(self, retriever: str) -> None:
        """Look at a retriever's run, which is retrieved if it was not.

        Raises:
            RetrieverError: the run cannot be had, or a stored run covers too few queries; the same at every call.
            SuiteError: a finding of its documents is an error.
        """
        if retriever not in self._looked:
            run = self._retrieval.run_of(retriever)
            found = self._run_findings(retriever, run)
            self._warnings += [finding for finding in found if finding.level == "warning"]
            self._looked[retriever] = self._too_few(retriever, run) or _error(found)
        error = self._looked[retriever]
        if error is not None:
            raise error

    def untold(self) -> tuple[Finding, ...]:
        """The warnings that came since this was last asked."""
        untold, self._warnings = tuple(self._warnings), []
        return untold

    @cached_property
    def _material(self) -> Material:
        return material_of(self._suite, self._data, with_corpus=False)

    def _data_findings(self) -> tuple[Finding, ...]:
        rules = self._suite.preflight
        with_corpus = self._suite.corpus is not None and rules.is_on(*CORPUS_RULES)
        return look_at_data(replace(self._material, corpus=self._data.corpus if with_corpus else None), rules)

    def _run_findings(self, retriever: str, run: Run) -> tuple[Finding, ...]:
        """Of the judged queries only: what else is asked in a session is not for the data to know."""
        judged = {query_id for qrels in self._data.qrels.values() for query_id in qrels.query_ids}
        of_judged = run.restricted_to(judged)
        if not len(of_judged.codes):
            return ()
        stored = self._suite.retrievers[retriever].type == "run"
        return look_at_run(self._material, retriever, of_judged, self._suite.preflight, stored=stored)

    def _too_few(self, retriever: str, run: Run) -> RetrieverError | None:
        """The error of a stored run that does not have the share of the suite's queries that it must."""
        told = run.provenance.get(ABSENT, ())
        absent = [one for one in told if one in self._data.queries] if isinstance(told, Sequence) else []
        asked = [query_id for query_id in run.query_ids if query_id in self._data.queries]
        least, there = self._suite.preflight.min_query_coverage, len(asked) - len(absent)
        if not absent or there >= least * len(asked):
            return None
        file = stored_runs(self._suite).get(retriever)
        return RetrieverError(
            f"{retriever} covers {there} of {plural(len(asked), 'query', 'queries')} ({there / len(asked):.0%}), and "
            f"this suite asks for {least:.0%}: {listed(absent)} {'is' if len(absent) == 1 else 'are'} not in "
            f"{file.name if file else 'it'}",
            place=self._suite.retrievers[retriever].place,
            fix="record the run again with all queries; if those without results are left out rightly, write "
            f"'preflight: {{min_query_coverage: {int(100 * there / len(asked)) / 100:g}}}'",
        )


def _error(findings: Sequence[Finding]) -> RelevanceError | None:
    errors = [finding.error for finding in findings if finding.level == "error"]
    if len(errors) < 2:
        return errors[0] if errors else None
    return CombinedError(errors)
