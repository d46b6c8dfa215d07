"""The shelf: who asks first retrieves, the others read, in this process and in all that share its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from filelock import FileLock

from pytest_relevance.errors import DataError, RelevanceError, RetrieverError
from pytest_relevance.records import Query, Run
from pytest_relevance.runs.store import load_run, save_run, write_whole
from pytest_relevance.runs.stored_errors import error_from_json, error_to_json


@dataclass(frozen=True)
class Failed:
    """What `make` raised; `traceback` is None where it says nothing to a user, or was met in another process."""

    error: Exception
    traceback: TracebackType | None = None


Outcome = Run | Failed


class Shelf:
    """Runs by key, each made once. A run that could not be made is remembered too, and its error raised again.

    With a folder, all processes that share it make each run once: the first takes a lock, makes and writes it; the
    others wait for the lock and read. The system releases the lock of a process that dies, and the next one makes the
    run. The folder is meant for one session: what failed in it stays failed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._outcomes: dict[str, Outcome] = {}

    def run(self, key: str, make: Callable[[], Run]) -> Run:
        """The run under this key, made by `make` if nobody has made it.

        Raises:
            RelevanceError: `make` raised it, here or in another process. What else it raised here is raised again too,
                and is a RetrieverError in the others.
        """
        if key not in self._outcomes:
            self._outcomes[key] = _made(make) if self._folder is None else _shared(self._folder, key, make)
        outcome = self._outcomes[key]
        if isinstance(outcome, Failed):
            # Raising one error again and again would make its traceback longer each time.
            raise outcome.error.with_traceback(outcome.traceback)
        return outcome


def run_key(fingerprint: str, queries: Iterable[Query], depth: int, **more: str) -> str:
    """A hash of all that decides a run: the retriever's fingerprint, the queries to the letter, the depth.

    `more` is whatever else matters to the caller, such as the name the run is to have.
    """
    digest = sha256(json.dumps([fingerprint, depth, sorted(more.items())]).encode("ascii"))
    for query in queries:
        # A date among the attributes has no JSON, and its text tells it apart as well.
        parts = [query.query_id, query.text, dict(query.attributes)]
        digest.update(json.dumps(parts, sort_keys=True, default=repr).encode("ascii"))
        digest.update(b"\n")
    return digest.hexdigest()


def _shared(folder: Path, key: str, make: Callable[[], Run]) -> Outcome:
    name = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]  # any key is a good file name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{name}.lock"):
        outcome = _read(folder, name)
        if outcome is None:
            outcome = _made(make)
            _write(outcome, folder, name)
    return outcome


def _made(make: Callable[[], Run]) -> Outcome:
    try:
        return make()
    except RelevanceError as error:
        return Failed(error)
    except Exception as error:
        return Failed(error, error.__traceback__)


def _read(folder: Path, name: str) -> Outcome | None:
    """What another process left, or None where it is not there or cannot be read."""
    with suppress(FileNotFoundError, DataError):
        return load_run(folder / f"{name}.run")
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        return Failed(error_from_json(json.loads((folder / f"{name}.error").read_bytes())))
    return None


def _write(outcome: Outcome, folder: Path, name: str) -> None:
    if isinstance(outcome, Run):
        save_run(outcome, folder / f"{name}.run")
        return
    error = outcome.error
    if not isinstance(error, RelevanceError):
        fix = "its traceback stands in the report of the process that retrieved"
        error = RetrieverError(f"retrieval failed with {type(error).__name__}: {error}", fix=fix)
    stored = json.dumps(error_to_json(error)).encode("ascii")
    write_whole(folder / f"{name}.error", lambda file: file.write(stored))
