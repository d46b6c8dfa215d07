"""Without --relevance the plugin costs nothing: it imports nothing heavy, reads nothing and writes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "numpy",
    "yaml",
    "pydantic",
    "httpx",
    "bm25s",
    "click",
    "rich",
    "pytrec_eval",
    "scipy",
    "filelock",
    "platformdirs",
}


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A folder with one Python test and a suite file that would not even parse."""
    pytester.makepyfile(test_sums="def test_one_and_one(): assert 1 + 1 == 2")
    pytester.path.joinpath("broken.relevance.yaml").write_text("suite: [never read", encoding="utf-8")
    return pytester.path


def run_pytest(*arguments: str, python: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own with our plugin and no other, so that what is imported is ours or pytest's."""
    command = [sys.executable, *python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "pytest_relevance.plugin"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, env=environment)


def imported(importtime: str) -> set[str]:
    """Top-level names of the modules that `-X importtime` listed on standard error."""
    lines = [line for line in importtime.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().split(".")[0] for line in lines}


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_nothing_heavy_is_imported(project: Path) -> None:
    done = run_pytest("--collect-only", python=("-X", "importtime"))

    names = imported(done.stderr)
    assert "pytest_relevance" in names
    assert names & HEAVY == set()


def test_nothing_is_written_and_no_folder_is_made(project: Path) -> None:
    before = files_below(project)

    done = run_pytest()

    assert done.returncode == 0, done.stdout + done.stderr
    assert files_below(project) == before
    assert not Path(os.environ["XDG_CACHE_HOME"]).exists()


def test_suite_files_are_not_collected(project: Path) -> None:
    done = run_pytest("--collect-only", "-q")

    assert "test_sums.py::test_one_and_one" in done.stdout
    assert "relevance" not in done.stdout


def test_foreign_yaml_is_left_alone_with_the_option_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_sums="def test_one_and_one(): assert 1 + 1 == 2")
    pytester.path.joinpath("deploy.yaml").write_text("retrievers: [unbalanced", encoding="utf-8")
    pytester.path.joinpath("relevance.yaml").write_text("retrievers: [unbalanced", encoding="utf-8")

    pytester.runpytest("--relevance").assert_outcomes(passed=1)
