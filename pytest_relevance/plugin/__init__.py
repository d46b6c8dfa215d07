"""The pytest plugin's door: options and one switch. Without `--relevance` nothing else of this package is imported."""

from __future__ import annotations

import pytest

SUITE_ENDINGS = (".relevance.yaml", ".relevance.yml")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer the hooks through which others add retrievers and measures."""
    from pytest_relevance.plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options; only `--relevance` makes the plugin do anything."""
    group = parser.getgroup("relevance", "search relevance")
    group.addoption("--relevance", action="store_true", help="collect and run *.relevance.yaml suites")
    group.addoption(
        "--relevance-retriever",
        action="append",
        default=[],
        metavar="NAME",
        help="run only this retriever's checks and assertions (may be repeated)",
    )
    group.addoption(
        "--relevance-query",
        action="append",
        default=[],
        metavar="ID",
        help="run only for this query, by id or text, and show its rankings (may be repeated)",
    )
    group.addoption(
        "--relevance-depth", type=int, metavar="N", help="retrieve N documents per query, whatever the suites say"
    )
    group.addoption("--relevance-json", metavar="PATH", help="write every verdict to this JSON file")
    parser.addini("relevance_cache", "folder for indexes kept between sessions; default: in pytest's cache", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Switch on, if asked."""
    if config.getoption("relevance"):
        from pytest_relevance.plugin.session import RelevanceSession

        config.pluginmanager.register(RelevanceSession(config), "relevance-session")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is missing when a suite is named but the switch is not."""
    suites = [argument for argument in config.args if argument.partition("::")[0].endswith(SUITE_ENDINGS)]
    if suites and not config.getoption("relevance"):
        return [f"relevance: add --relevance to run {suites[0]}"]
    return []
