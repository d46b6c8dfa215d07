"""RecordingFolder: answers of search APIs on disk, recorded once and replayed without a network."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock
from platformdirs import user_cache_path

from pytest_relevance.errors import DataError
from pytest_relevance.retrievers import Hit, RecordedAnswer
from pytest_relevance.runs.journal import ENDING as JOURNAL_ENDING
from pytest_relevance.runs.journal import Journal, drop_lost_locks, left_behind, read_lines
from pytest_relevance.runs.store import write_whole

Mode = Literal["record", "resume", "replay"]

_ENDING = ".jsonl"
_SAFE = re.compile(r"[^\w-]", re.ASCII)


class RecordingFolder:
    """The recordings of one suite: a file for each retriever, a line for each answer, in the order of the query ids.

    `record` asks everything anew, `resume` only what is not there yet, `replay` nothing. Any number of processes may
    record into one folder. While they do, answers stand in journals of their own; `settle` puts them into the file,
    and so does whoever opens the folder next where a process was killed before it could.
    """

    def __init__(self, folder: Path, mode: Mode) -> None:
        self.folder = folder
        self.mode = mode
        self._known: dict[str, dict[str, RecordedAnswer]] = {}  # retriever → key → answer
        self._of_query: dict[str, Counter[str]] = {}  # retriever → query_id → its answers
        self._used: dict[str, set[str]] = {}
        self._journals: dict[str, Journal] = {}

    @property
    def replaying(self) -> bool:
        return self.mode == "replay"

    def find(self, retriever: str, key: str) -> RecordedAnswer | None:
        """The answer to a request; None where there is none, or where all is to be asked anew."""
        self._used.setdefault(retriever, set()).add(key)
        if self.mode == "record":
            return None
        return self._answers(retriever).get(key)

    def other_requests(self, retriever: str, query_id: str) -> int:
        """How many answers there are to this query_id under whatever request."""
        answers = self._answers(retriever)
        if retriever not in self._of_query:
            self._of_query[retriever] = Counter(answer.query_id for answer in answers.values())
        return self._of_query[retriever][query_id]

    def keep(self, retriever: str, answer: RecordedAnswer) -> None:
        """Keep an answer; once this returns, no kill of this process loses it."""
        journal = self._journals.get(retriever)
        if journal is None:
            with self._locked(
                retriever
            ):  # so that nobody takes the lock of a journal that is about to be for a lost one
                journal = self._journals[retriever] = Journal(self.folder, file_name(retriever))
        journal.append(_line(answer))

    def settle(self, retriever: str) -> None:
        """Put what was kept, here or by a process that is gone, into the retriever's file."""
        if self.mode == "replay":
            return
        own = self._journals.pop(retriever, None)
        if own is not None or any(self.folder.glob(f"{file_name(retriever)}.*{JOURNAL_ENDING}*")):
            self._merge(retriever, own)

    def answers(self, retriever: str) -> tuple[RecordedAnswer, ...]:
        """Everything recorded of a retriever, by query_id."""
        return tuple(self._answers(retriever).values())

    def asked(self) -> dict[str, list[str]]:
        """Retriever → the keys that were asked for since this was made; JSON holds it."""
        return {retriever: sorted(keys) for retriever, keys in self._used.items()}

    def unused(self, *elsewhere: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
        """Retriever → query ids of recordings that nobody asked for, here or `elsewhere` (what `asked` gives there).

        Retrievers that were not asked at all are not listed: their tests were not selected.
        """
        asked = {retriever: set(keys) for retriever, keys in self._used.items()}
        for there in elsewhere:
            for retriever, keys in there.items():
                asked.setdefault(retriever, set()).update(keys)
        found = {
            retriever: tuple(answer.query_id for key, answer in self._answers(retriever).items() if key not in keys)
            for retriever, keys in asked.items()
        }
        return {retriever: query_ids for retriever, query_ids in found.items() if query_ids}

    def drop_unused(self, retriever: str) -> int:
        """Take the recordings out of a retriever's file that nobody asked for, and tell how many those were."""
        used = self._used.get(retriever, set())
        with self._locked(retriever):
            stored = self._stored(retriever)
            kept = {key: answer for key, answer in stored.items() if key in used}
            self._write(retriever, kept)
        self._forget(retriever)
        return len(stored) - len(kept)

    def _answers(self, retriever: str) -> dict[str, RecordedAnswer]:
        if retriever not in self._known:
            if self.mode != "replay" and self.folder.is_dir():
                self._merge(retriever, None)  # of processes that were killed
            self._known[retriever] = self._stored(retriever)
        return self._known[retriever]

    def _merge(self, retriever: str, own: Journal | None) -> None:
        name = file_name(retriever)
        with self._locked(retriever):
            for unfinished in self.folder.glob(f"{name}{_ENDING}.*"):  # of a writer killed while it held this lock
                unfinished.unlink(missing_ok=True)
            answers = self._stored(retriever)
            for path in left_behind(self.folder, name):
                _take(path, answers)
                self._write(retriever, answers)
                path.unlink(missing_ok=True)
            if own is not None:
                _take(own.path, answers)
                self._write(retriever, answers)
                own.remove()
            drop_lost_locks(self.folder, name)
        self._forget(retriever)

    def _forget(self, retriever: str) -> None:
        self._known.pop(retriever, None)
        self._of_query.pop(retriever, None)

    def _stored(self, retriever: str) -> dict[str, RecordedAnswer]:
        answers: dict[str, RecordedAnswer] = {}
        path = self._path(retriever)
        try:
            for stored in read_lines(path):
                answers[stored["request"]] = _answer(stored)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(f"{path} is not a file of recordings", fix="delete it, and record anew") from None
        return answers

    def _write(self, retriever: str, answers: dict[str, RecordedAnswer]) -> None:
        ordered = sorted(answers.values(), key=lambda answer: (answer.query_id, answer.key))
        content = "".join(f"{_line(answer)}\n" for answer in ordered).encode()
        write_whole(self._path(retriever), lambda file: file.write(content))

    def _path(self, retriever: str) -> Path:
        return self.folder / f"{file_name(retriever)}{_ENDING}"

    def _locked(self, retriever: str) -> FileLock:
        # The lock stands elsewhere: the folder is the user's, and what is in it goes into version control.
        self.folder.mkdir(parents=True, exist_ok=True)
        locks = user_cache_path("pytest-relevance") / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        name = sha256(str(self._path(retriever).resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return FileLock(locks / f"{name}.lock")


def file_name(retriever: str) -> str:
    """A retriever's name as a file's, different for different names."""
    plain = _SAFE.sub("_", retriever)
    return plain if plain == retriever else f"{plain}-{sha256(retriever.encode()).hexdigest()[:8]}"


def _take(journal: Path, answers: dict[str, RecordedAnswer]) -> None:
    """Put the answers of a journal among the others; one that came out the same keeps the time it was first seen at."""
    for stored in read_lines(journal):
        answer = _answer(stored)
        before = answers.get(answer.key)
        if before is None or replace(before, time=answer.time) != answer:
            answers[answer.key] = answer


def _line(answer: RecordedAnswer) -> str:
    hits = [list(hit) if hit.fields else list(hit[:2]) for hit in answer.hits]
    stored: dict[str, Any] = {"query_id": answer.query_id, "request": answer.key, "hits": hits}
    if answer.total is not None:
        stored["total"] = answer.total
    if answer.at_least:
        stored["at_least"] = True
    stored |= {name: value for name, value in (("engine", answer.engine), ("time", answer.time)) if value}
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace").decode()


def _answer(stored: dict[str, Any]) -> RecordedAnswer:
    return RecordedAnswer(
        stored["request"],
        stored["query_id"],
        tuple([Hit(*hit) for hit in stored["hits"]]),
        stored.get("total"),
        stored.get("at_least", False),
        stored.get("engine", ""),
        stored.get("time", ""),
    )
