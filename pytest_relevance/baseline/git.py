"""Files as a git reference has them, read from git's objects; the work tree is not touched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pytest_relevance.errors import UsageError

_OPTION = "--relevance-baseline-ref"


class GitReference:
    """A reference of the repository that a folder is in."""

    def __init__(self, reference: str, folder: Path) -> None:
        """`folder` must be there: it is where git is asked.

        Raises:
            UsageError: git is not installed, the folder is in no repository, or it has no such reference.
        """
        self.name = reference
        self._folder = folder
        if reference.startswith("-") or not reference.strip():
            raise UsageError(f"{_OPTION}: {reference!r} is no reference", fix="give a branch, a tag or a commit")
        if _git(folder, "rev-parse", "--git-dir").returncode:
            raise UsageError(
                f"{_OPTION} {reference}: {folder} is in no git repository",
                fix="run it inside the repository that holds the baselines",
            )
        if _git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}").returncode:
            raise UsageError(
                f"{_OPTION}: this repository has no reference {reference!r}",
                fix="fetch it first, for example 'git fetch origin main'; in CI, fetch the whole history",
            )

    def read(self, path: Path) -> bytes | None:
        """The file as the reference has it; None where it has none there.

        Raises:
            UsageError: git cannot read it.
        """
        if not self.has(path):
            return None
        done = _git(self._folder, "cat-file", "blob", self._named(path))
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip()
            raise UsageError(f"git cannot read {self._named(path)}: {reason}", fix="check the repository: git fsck")
        return done.stdout

    def has(self, path: Path) -> bool:
        """Whether the reference has the file."""
        return not _git(self._folder, "cat-file", "-e", self._named(path)).returncode

    def _named(self, path: Path) -> str:
        return f"{self.name}:./{Path(os.path.relpath(path, self._folder)).as_posix()}"

    def __str__(self) -> str:
        return self.name


def commit_of(folder: Path) -> str:
    """The commit of the work tree around a folder; "" where there is none, or no git."""
    try:
        done = _git(folder, "rev-parse", "HEAD")
    except UsageError:
        return ""
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # No prompt, no lock, no pager: this only reads.
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, env=environment, check=False, timeout=120
        )
    except FileNotFoundError:
        raise UsageError(f"{_OPTION} needs git, and there is none on the path", fix="install git") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"git did not answer: {error}", fix="try 'git status' in the same folder") from None
