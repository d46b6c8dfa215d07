"""RelevanceSession: the hooks that are there once `--relevance` is given. Each hands over and ends."""

from __future__ import annotations

import atexit
import gc
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.errors import RelevanceError, suggestion
from pytest_relevance.evaluate import SuiteFlow, Task
from pytest_relevance.plugin import SUITE_ENDINGS
from pytest_relevance.plugin.nodes import RelevanceItem, SuiteFile, summed_up
from pytest_relevance.plugin.pages import write_pages
from pytest_relevance.plugin.replaying import Asked, asked_of, merge, plan_lines, unused_lines
from pytest_relevance.plugin.stash import ASKED_OUTPUT, FINDING_PROPERTY, MARKER_PROPERTY, REFUSED_OUTPUT, SESSION
from pytest_relevance.plugin.state import state_of
from pytest_relevance.preflight import Finding
from pytest_relevance.report import diversity_lines, lines, markdown_page, table, verdicts_as_json
from pytest_relevance.verdict import Verdict

_MANY = 1000  # items


class RelevanceSession:
    """State of one session: the suites' flows, the shelf their runs stand on, the verdicts seen."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.state = state_of(config)
        self.options = self.state.options
        self._seen: dict[str, str] = {}  # node id → the last verdict seen of it, as it travelled
        self._made: dict[str, Verdict] = {}  # what was decided in this process, by how it travels
        self._findings: dict[str, None] = {}  # warnings of the pre-flight, each once
        self._asked: Asked = {}  # of recordings, in this process and in workers that have ended
        self._partial = False  # whether only a part of the tests was selected
        self._unused: list[str] = []
        self._unwritten: list[str] = []  # outputs that could not be written, and why
        self._refused_there = ""  # why what the options ask for is not there, as workers found
        self._plan: list[str] = []  # what a dry run would ask
        self._told: dict[tuple[int, str], str] = {}  # retriever, or set-up error → the retriever it was told whole of
        config.stash[SESSION] = self

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of the session, suite by suite in the order of each; read once all are there."""
        verdicts = [self._made.get(text) or Verdict.from_json(text) for text in self._seen.values()]
        files = {verdict.suite: node.partition("::")[0] for verdict, node in zip(verdicts, self._seen, strict=True)}
        return tuple(sorted(verdicts, key=lambda one: (files[one.suite], one.position)))

    # What the nodes ask of it.

    def flow_of(self, file: SuiteFile) -> SuiteFlow:
        """Read a suite and make its flow."""
        return self.state.flow_of(file.session, file.path)

    def is_wanted(self, flow: SuiteFlow, task: Task) -> bool:
        """Whether a task has to do with the queries this session asks for."""
        try:
            return flow.concerns(task)
        except RelevanceError:
            return True  # the item will say so, as an error of its set-up

    def decided(self, item: RelevanceItem) -> Verdict:
        """The verdict of an item, with the command that runs it alone."""
        verdict = item.flow.decide(item.task)
        verdict.node, verdict.position = item.nodeid, item.flow.position_of(item.task)
        return verdict

    def travelling(self, verdict: Verdict) -> str:
        """The verdict as a report carries it, from a worker too."""
        text = verdict.to_json()
        self._made[text] = verdict
        return text

    def told(self, item: RelevanceItem, error: RelevanceError) -> str:
        """The text of a set-up error: whole the first time, one line where it, or one of its retriever, was told."""
        retriever, whole = item.task.retriever, str(error)
        keys = (id(item.flow), whole), (id(item.flow), retriever)
        first = next((self._told[key] for key in keys if key in self._told), None)
        if first is not None:
            return f"{retriever}: {error.problem} (more is told at the first error of {first})"
        self._told |= dict.fromkeys(keys, retriever)
        return whole

    def lines(self, item: RelevanceItem, verdict: Verdict) -> list[str]:
        """The failure block of an item."""
        columns = item.config.get_terminal_writer().fullwidth
        return lines(verdict, columns=columns, verbose=self.options.verbose)

    # Hooks.

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
        if file_path.name.endswith(SUITE_ENDINGS):
            return SuiteFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        refused = "" if session.testsfailed else self._refusal(session)
        if refused:
            output = getattr(session.config, "workeroutput", None)
            if output is None:
                raise pytest.UsageError(refused)
            output[REFUSED_OUTPUT] = refused  # raised in a worker it would be a crash
            session.items.clear()
        items = [item for item in session.items if isinstance(item, RelevanceItem)]
        for item in items:
            item.flow.expect(item.task)
        gc.freeze()  # what was collected lives as long as the session: nothing in it is garbage
        if len(items) > _MANY:  # to take them apart before a process ends takes a good part of a second, for nothing
            atexit.register(gc.freeze)

    def pytest_deselected(self) -> None:
        self._partial = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if not self.options.dry_run or session.testsfailed:
            return None
        try:
            self._plan = plan_lines(self.state.flows)
        except RelevanceError as error:
            raise pytest.UsageError(str(error)) from None
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what an xdist worker asked of the recordings."""
        output = getattr(node, "workeroutput", {})
        asked, partial = output.get(ASKED_OUTPUT, ({}, True))
        self._refused_there = output.get(REFUSED_OUTPUT, "") or self._refused_there
        merge(self._asked, asked)
        self._partial |= partial

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            return  # tells again what set-up and call have told
        for name, value in report.user_properties:
            if name == MARKER_PROPERTY:
                self._seen[report.nodeid] = str(value)
                if report.when == "setup" and report.failed:
                    summed_up(report.longrepr, str(report.longrepr).partition("\n")[0])
            elif name == FINDING_PROPERTY:
                self._findings[str(value)] = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        merge(self._asked, asked_of(self.state.flows))
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[ASKED_OUTPUT] = self._asked, self._partial
        elif self._refused_there:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        elif self._replayed_whole(session):
            self._unused = unused_lines(self._asked)
            if self._unused and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if hasattr(session.config, "workerinput"):
            return
        if self.options.json:
            self._unwritten += write_pages(verdicts_as_json(self.verdicts), [self.options.json])
        if self.options.markdown:
            self._unwritten += write_pages(markdown_page(self.verdicts), self.options.markdown)
        if self._unwritten and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # whoever reads the file would read an old one

    def pytest_unconfigure(self) -> None:
        gc.unfreeze()  # this may have been one session of several in its process

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._refused_there:
            terminalreporter.line(f"ERROR: {self._refused_there}", red=True)
        if self._plan:
            terminalreporter.section("relevance: what would be asked", sep="-")
            for line in self._plan:
                terminalreporter.line(line)
        for line in self._unwritten:
            terminalreporter.line(f"ERROR: {line}", red=True)
        for line in self._unused:
            terminalreporter.line(f"{line} (--relevance-record renews them)", red=True)
        if self._seen:
            terminalreporter.section("relevance", sep="-")
            told = (*table(self.verdicts), *diversity_lines(self.verdicts), *self._warnings(), *self._notices())
            for line in (*told, *self._asked_rankings()):
                terminalreporter.line(line)

    def _refusal(self, session: pytest.Session) -> str:
        """Why the session asks for what no suite has; "" where it does not."""
        settings = self.options.settings
        known = dict.fromkeys(name for flow in self.state.flows for name in flow.suite.retrievers)
        strange = next((name for name in settings.retrievers if known and name not in known), None)
        if strange is not None:
            fix = suggestion(strange, known, label="retrievers")
            return f"--relevance-retriever {strange}: no suite here has such a retriever\n  fix: {fix}"
        items = [item for item in session.items if isinstance(item, RelevanceItem)]
        if known and settings.update_baselines and not any(item.needs_baseline for item in items):
            fix = "write one, for example {measure: nDCG@10, against: baseline, max_drop: 0.01}"
            return f"--relevance-update-baseline: nothing that is selected is against a baseline\n  fix: {fix}"
        if settings.queries and not items:
            return f"--relevance-query {', '.join(settings.queries)}: no suite here asks anything of such a query"
        return ""

    def _replayed_whole(self, session: pytest.Session) -> bool:
        """Whether recordings that nobody asked for mean something: all tests ran, and from recordings."""
        config, settings = session.config, self.options.settings
        chosen = settings.queries or settings.retrievers or any("::" in argument for argument in config.args)
        return not (
            settings.recording != "replay"
            or chosen
            or self._partial
            or config.option.collectonly
            or session.shouldstop
            or session.shouldfail
        )

    def _warnings(self) -> list[str]:
        warned = [f"{one.sentence} ({one.place})" for one in self.verdicts if one.outcome == "warn"]
        warned += [Finding.from_json(text).line for text in self._findings]
        return ["", *(f"warning: {line}" for line in warned)] if warned else []

    def _notices(self) -> list[str]:
        told = dict.fromkeys(one for verdict in self.verdicts for one in (*verdict.notices, *verdict.edits))
        return ["", *told] if told else []

    def _asked_rankings(self) -> list[str]:
        if not self.options.settings.queries:
            return []
        shown = [verdict for verdict in self.verdicts if verdict.kind == "report"]
        return [line for verdict in shown for line in ("", *lines(verdict, verbose=self.options.verbose))]
