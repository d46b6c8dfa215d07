"""The pytest plugin's door: options and one switch. Without `--relevance` nothing else of this package is imported."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin.flags import FLAGS, KEYS
from pytest_relevance.plugin.stash import CURRENT, MARKER, SHELF_FOLDER, SHELF_INPUT

if TYPE_CHECKING:
    from pytest_relevance.plugin.fixtures import Relevance

SUITE_ENDINGS = (".relevance.yaml", ".relevance.yml")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer the hooks through which others add retrievers and measures."""
    from pytest_relevance.plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options; only `--relevance` makes the plugin do anything."""
    group = parser.getgroup("relevance", "search relevance")
    for flag, attributes in FLAGS.items():
        group.addoption(flag, **attributes)
    for key, (text, default) in KEYS.items():
        parser.addini(key, text, default=default)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and switch on, if asked."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(suite=, retriever=, depth=, query=, queries=): what the relevance fixture searches by default",
    )
    if config.getoption("relevance"):
        from pytest_relevance.plugin.session import RelevanceSession

        config.pluginmanager.register(RelevanceSession(config), "relevance-session")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is missing when a suite is named but the switch is not."""
    return _without_switch(config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say it where there was no header."""
    if config.get_verbosity() < 0:
        for line in _without_switch(config):
            terminalreporter.line(line)


def _without_switch(config: pytest.Config) -> list[str]:
    suites = [argument for argument in config.args if argument.partition("::")[0].endswith(SUITE_ENDINGS)]
    if suites and not config.getoption("relevance"):
        return [f"relevance: add --relevance to run {suites[0]}"]
    return []


@pytest.fixture(scope="session")
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Search in suites and state things of what is found; a test that asks for it needs no `--relevance`."""
    from pytest_relevance.plugin.fixtures import Relevance
    from pytest_relevance.plugin.state import state_of

    return Relevance(request.session, state_of(request.config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember the test that runs, whose markers a session-wide fixture could not see otherwise."""
    item.config.stash[CURRENT] = item


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Let an error of ours in a Python test end at the test's own line: our own frames would only hide it."""
    try:
        return (yield)
    except Exception as error:
        if type(error).__module__ != "pytest_relevance.errors":
            raise
        from pytest_relevance.plugin.tracebacks import without_our_frames

        raise error.with_traceback(without_our_frames(error.__traceback__)) from None


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain a failed comparison of hits."""
    if not any(type(side).__module__.startswith("pytest_relevance.") for side in (left, right)):
        return None
    from pytest_relevance.report.comparison import comparison_lines

    return comparison_lines(op, left, right)


def pytest_relevance_retrievers() -> Mapping[str, Any]:
    """The built-in kinds, each imported when a suite uses it."""
    from pytest_relevance.retrievers import BUILTIN

    return BUILTIN


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where it shares runs with the others. The folder is made by the first that needs it."""
    import tempfile
    from pathlib import Path

    name = f"pytest-relevance-{node.workerinput['testrunuid']}"
    node.workerinput[SHELF_INPUT] = node.config.stash[SHELF_FOLDER] = str(Path(tempfile.gettempdir()) / name)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what the workers shared."""
    folder = config.stash.get(SHELF_FOLDER, None)
    if folder:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
