"""Baselines in a folder, or in the same folder of a git reference: found, read, written whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from filelock import FileLock
from platformdirs import user_cache_path

from pytest_relevance.baseline.columns import COLUMNS, from_parquet, to_parquet
from pytest_relevance.baseline.git import GitReference
from pytest_relevance.baseline.names import file_name
from pytest_relevance.baseline.record import Baseline
from pytest_relevance.baseline.text import from_lines, to_lines
from pytest_relevance.errors import DataError, as_shown, nearest
from pytest_relevance.runs.store import write_whole

FOLDER = "relevance_baselines"
TEXT_MEGABYTES = 20.0  # a larger baseline becomes Parquet
_TEXT, _COLUMNS = ".jsonl", ".parquet"
_ROW_BYTES = 24  # of a row of text beside the doc_id: signs and a score of seventeen digits
_PARQUET_HEAD = b"PAR1"

Written = Literal["new", "renewed", "unchanged"]


class BaselineFolder:
    """The baselines of one suite."""

    def __init__(self, folder: Path, suite: str, *, reference: GitReference | None = None) -> None:
        self.folder = folder / file_name(suite)
        self._reference = reference

    def path(self, retriever: str) -> Path:
        """Where the text form of a retriever's baseline stands, or would."""
        return self.folder / f"{file_name(retriever)}{_TEXT}"

    def find(self, retriever: str) -> Baseline | None:
        """The stored baseline of a retriever, or None.

        Raises:
            DataError: the file is damaged, or a later version wrote it.
        """
        found = [
            baseline_of(data, self._shown(path))
            for path in (self.path(retriever), self.path(retriever).with_suffix(_COLUMNS))
            if (data := self._bytes(path)) is not None
        ]
        # Two of them are there if a process was killed between writing one form and removing the other.
        return max(found, key=lambda baseline: baseline.origin.time, default=None)

    def is_stored(self, retriever: str) -> bool:
        """Whether there is a baseline of a retriever; cheap where it is read from the folder itself."""
        paths = (self.path(retriever), self.path(retriever).with_suffix(_COLUMNS))
        return any(path.is_file() if self._reference is None else self._reference.has(path) for path in paths)

    def get(self, retriever: str, renew: str) -> Baseline:
        """The stored baseline of a retriever; `renew` is the command that would write it.

        Raises:
            DataError: there is none, or it is damaged.
        """
        baseline = self.find(retriever)
        if baseline is not None:
            return baseline
        near = nearest(self.path(retriever).stem, written_names(self.folder)) if self._reference is None else None
        guess = f"there is one named {near!r}; " if near else ""
        raise DataError(
            f"there is no baseline of {retriever}: {self._shown(self.path(retriever))} does not exist",
            fix=f"{guess}write it: {renew}",
        )

    def write(self, baseline: Baseline, *, text_megabytes: float = TEXT_MEGABYTES) -> Written:
        """Store a baseline in the place of the one before. A kill at any moment leaves the old or the new one whole.

        Nothing is written where only the time, the commit or the machine would differ.

        Raises:
            RelevanceError: it is so large that it becomes Parquet, and pyarrow is not installed.
        """
        text = self.path(baseline.origin.retriever)
        columns = text.with_suffix(_COLUMNS)
        with _locked(text):
            before = self._before(baseline.origin.retriever)
            if before is not None and _same(before, baseline):
                return "unchanged"
            for unfinished in (*text.parent.glob(f"{text.name}.*"), *text.parent.glob(f"{columns.name}.*")):
                unfinished.unlink(missing_ok=True)  # of a writer that was killed
            if _text_bytes(baseline) > text_megabytes * 1e6:
                data, path, other = to_parquet(baseline, as_shown(str(columns))), columns, text
            else:
                data, path, other = ("\n".join(to_lines(baseline)) + "\n").encode("utf-8"), text, columns
            write_whole(path, lambda file: file.write(data))
            path.chmod(0o644)  # a temporary file is nobody else's to read; this one goes into the repository
            other.unlink(missing_ok=True)
        return "new" if before is None else "renewed"

    def stored(self) -> tuple[str, ...]:
        """The retrievers that have a baseline in the folder, by their names."""
        paths = [path for path in self.folder.glob("*") if path.suffix in (_TEXT, _COLUMNS)]
        return tuple(dict.fromkeys(read_baseline(path).origin.retriever for path in sorted(paths)))

    def _before(self, retriever: str) -> Baseline | None:
        try:
            return self.find(retriever)
        except DataError:
            return None  # damaged: what is written now replaces it

    def _bytes(self, path: Path) -> bytes | None:
        if self._reference is not None:
            return self._reference.read(path)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = (error.strerror or "unreadable").lower()
            raise DataError(f"cannot read {as_shown(str(path))}: {reason}", fix="check its permissions") from None

    def _shown(self, path: Path) -> str:
        shown = as_shown(str(path))
        return shown if self._reference is None else f"{self._reference}:{shown}"


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file of either form.

    Raises:
        DataError: the file cannot be read, or is none.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise DataError(f"cannot read {as_shown(str(path))}: {reason}", fix="check the path") from None
    return baseline_of(data, as_shown(str(path)))


def is_baseline(path: Path) -> bool:
    """Whether a file is a stored baseline rather than a run in another format."""
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(_PARQUET_HEAD) and path.suffix == _COLUMNS:
        from pytest_relevance.trec.parquet import arrow

        _, parquet = arrow(as_shown(str(path)))
        return bool(parquet.read_schema(path).names == COLUMNS)
    return head.startswith(b'{"relevance_baseline":')


def baseline_of(data: bytes, shown: str) -> Baseline:
    """The baseline in these bytes.

    Raises:
        DataError: they are none, or a later version wrote them.
    """
    try:
        if data.startswith(_PARQUET_HEAD):
            return from_parquet(data, shown)
        # Only a line feed ends a line here; an id may hold what Python takes for a line break besides.
        return from_lines(data.decode("utf-8").rstrip("\n").split("\n"), shown=shown)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, DataError) as error:
        if isinstance(error, DataError) and error.fix and "parquet" in error.fix:
            raise
        raise DataError(
            f"{shown} is not a baseline that this version can read",
            fix="restore it from version control, or write it anew with --relevance-update-baseline",
        ) from None


def written_names(folder: Path) -> list[str]:
    """The names, without their endings, of the baselines in a suite's folder."""
    if not folder.is_dir():
        return []
    return sorted({path.stem for path in folder.iterdir() if path.suffix in (_TEXT, _COLUMNS)})


def _same(before: Baseline, now: Baseline) -> bool:
    def told(baseline: Baseline) -> list[str]:
        origin = replace(baseline.origin, time="", commit="", product="", host={})
        return list(to_lines(replace(baseline, origin=origin)))

    sizes = (len(before.run.codes), len(now.run.codes))
    return sizes[0] == sizes[1] and told(before) == told(now)


def _text_bytes(baseline: Baseline) -> int:
    run = baseline.run
    return int(run.doc_ids.lengths[run.codes].sum()) + _ROW_BYTES * len(run.codes) + 200 * len(baseline.queries)


def _locked(path: Path) -> FileLock:
    # The lock stands elsewhere: the folder is the user's, and what is in it goes into version control.
    locks = user_cache_path("pytest-relevance") / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    return FileLock(locks / f"{sha256(str(path.resolve()).encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.lock")
