"""Options: what the command line and the configuration say, read once and frozen."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pytest

from pytest_relevance.evaluate import Settings

CACHE_VARIABLE = "PYTEST_RELEVANCE_CACHE"


@dataclass(frozen=True)
class Options:
    """The plugin's options."""

    settings: Settings
    json: Path | None  # where to write the verdicts
    verbose: bool

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        """Read them.

        Raises:
            pytest.UsageError: a value makes no sense.
        """
        depth = config.getoption("relevance_depth")
        if depth is not None and depth < 1:
            raise pytest.UsageError(f"--relevance-depth is {depth}, but at least 1 document must be retrieved")
        path = config.getoption("relevance_json")
        settings = Settings(
            depth=depth,
            queries=tuple(config.getoption("relevance_query")),
            retrievers=tuple(config.getoption("relevance_retriever")),
            cache=_cache_folder(config),
        )
        return cls(settings, config.invocation_params.dir / path if path else None, config.get_verbosity() > 0)


def _cache_folder(config: pytest.Config) -> Path:
    configured = config.getini("relevance_cache") or os.environ.get(CACHE_VARIABLE)
    if configured:
        return config.rootpath / configured
    if config.pluginmanager.hasplugin("cacheprovider") and config.cache is not None:
        return config.cache.mkdir("relevance")
    return platformdirs.user_cache_path("pytest-relevance")
