"""The cache folders that a session of pytest in this place would use, found without pytest."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser, Error
from contextlib import suppress
from pathlib import Path

import platformdirs

_IN_PYTEST_CACHE = Path("d", "relevance")  # where `config.cache.mkdir("relevance")` is
_INI = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}


def cache_folders(here: Path) -> tuple[Path, ...]:
    """Those that are there, each once: as pytest's configuration says, $PYTEST_RELEVANCE_CACHE, pytest's, the user's.

    Of `here` and the folders above it, the first with a configuration of pytest or a cache of it counts.
    """
    candidates = [platformdirs.user_cache_path("pytest-relevance")]
    for root in (here, *here.parents):
        settings = _settings(root)
        pytests = root / os.path.expandvars(settings.get("cache_dir") or ".pytest_cache") / _IN_PYTEST_CACHE
        if settings or pytests.is_dir():
            configured = settings.get("relevance_cache")
            candidates = [*([root / configured] if configured else []), pytests, *candidates]
            break
    chosen = os.environ.get("PYTEST_RELEVANCE_CACHE")
    if chosen:
        candidates = [here / chosen, *candidates]
    return tuple(dict.fromkeys(folder.resolve() for folder in candidates if folder.is_dir()))


def _settings(root: Path) -> Mapping[str, str]:
    """The options of pytest that a folder's configuration sets; empty where it has none."""
    with suppress(OSError, ValueError, AttributeError):  # not there, or not to be read: pytest itself complains then
        tool = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("tool", {}).get("pytest", {})
        if tool:
            return {**tool, **tool.get("ini_options", {})}
    for name, section in _INI.items():
        parser = ConfigParser(interpolation=None)
        with suppress(OSError, ValueError, Error):
            parser.read_string((root / name).read_text(encoding="utf-8"))
            if parser.has_section(section):
                return dict(parser[section])
    return {}
