"""Findings remembered between sessions and processes, as long as no file they come from has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

from pytest_relevance.errors import RelevanceError
from pytest_relevance.preflight.findings import Finding
from pytest_relevance.suite import Suite
from pytest_relevance.suite.data import file_of

VERSION = 1  # raised when a rule changes what it finds
Findings = tuple[Finding, ...]


def remembered(folder: Path | None, suite: Suite, make: Callable[[], Findings]) -> Findings:
    """What `make` finds, or found before in the same files under the same levels; `folder` None remembers nothing.

    Processes that ask at once look once: the others wait for the first.
    """
    key = _key(suite) if folder is not None and suite.corpus is not None else None
    if folder is None or key is None:
        return make()
    file = folder / "preflight" / f"{key}.json"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_suffix(".lock")):
            found = _read(file)
            return _made(file, make) if found is None else found
    except OSError:  # a folder that cannot be written to: slower, and as right
        return make()


def _made(file: Path, make: Callable[[], Findings]) -> Findings:
    found = make()
    unfinished = file.with_suffix(".new")
    unfinished.write_text(json.dumps([one.to_json() for one in found]), encoding="utf-8")
    unfinished.replace(file)
    return found


def _read(file: Path) -> Findings | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return tuple(Finding.from_json(text) for text in json.loads(file.read_text(encoding="utf-8")))
    return None


def _key(suite: Suite) -> str | None:
    """A hash of everything the findings come from; None where a file is not there."""
    parts: list[object] = [VERSION, str(suite.path.resolve()), repr(suite.preflight), repr(suite.grades), suite.fold]
    try:
        files = [file_of(suite, key) for key in ("queries", "corpus", *(f"qrels.{name}" for name in suite.qrels))]
        for file in (suite.path, *filter(None, files)):
            told = file.stat()
            parts.append([str(file), told.st_size, told.st_mtime_ns])
    except (RelevanceError, OSError):
        return None
    return sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
