"""What every test can ask for, and what keeps every test away from the home folder."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parent.parent
# pytest inside pytest forgets what it imported. What is imported out here already stays, and is not paid for each time;
# compiled parts of numpy that are loaded late cannot be loaded a second time at all.
USED_INSIDE = (
    "numpy.fft",
    "numpy.linalg",
    "numpy.random",
    "pytest_relevance.evaluate",
    "pytest_relevance.report",
    "pytest_relevance.retrievers.bm25",
    "pytest_relevance.retrievers.function",
    "pytest_relevance.retrievers.fuse",
    "pytest_relevance.retrievers.runfile",
)
# Only these plugins inside: what else is installed costs a second each time, and has its say in the output.
PLUGINS_INSIDE = "-p pytest_relevance.plugin -p xdist -p rerunfailures"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real collections, oracles and cases that may stand beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder 'shared' beside the repository: real collections, oracles and cases")
    return folder


@pytest.fixture(autouse=True)
def _caches_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Indexes and judged rows are cached under the user's cache directory; a test must neither find nor leave any there.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTEST_RELEVANCE_CACHE", str(tmp_path / "cache" / "pytest-relevance"))


@pytest.fixture(scope="session")
def _imported_outside() -> None:
    for module in USED_INSIDE:
        import_module(module)


@pytest.fixture
def pytester(_imported_outside: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """pytest inside pytest with this work tree's plugin; a test names what else it needs, such as `-p randomly`."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", PLUGINS_INSIDE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    return pytester
