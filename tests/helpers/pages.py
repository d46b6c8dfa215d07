"""Pages of the documentation as fenced blocks, the commands in them run, and output compared with what a page shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("how-to/*.md")),
    ROOT / "docs" / "library.md",
    ROOT / "docs" / "python-tests.md",
    ROOT / "docs" / "compare.md",
)
COMMANDS = {
    "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
    "pytest-relevance": [sys.executable, "-c", "from pytest_relevance.cli import main; main()"],
    "python": [sys.executable],
    "cat": ["cat"],
}
NOT_RUN = ("pip ", "git ", "scripts/", "cd ")  # they need a network, or are what runs this
ENVIRONMENT = {"COLUMNS": "100", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p pytest_relevance.plugin"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    options: dict[str, str]
    text: str
    line: int


@dataclass(frozen=True)
class Step:
    """A command of a `console` block and the lines that are shown under it."""

    command: str
    shown: list[str]

    @property
    def is_run(self) -> bool:
        return not self.command.startswith(NOT_RUN)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in re.finditer(r"^```(\S+) *([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        options = dict(part.split("=", 1) for part in match[2].split())
        found.append(Block(match[1], options, match[3], text.count("\n", 0, match.start()) + 1))
    return found


def steps(block: Block) -> Iterator[Step]:
    """The commands of a `console` block; each stands on a line that begins with `$`."""
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *shown = step.rstrip("\n").split("\n")
        yield Step(command, shown)


def printed(command: str, folder: Path) -> list[str]:
    """What a shown command prints when it is run in a folder, on both streams."""
    name, *arguments = shlex.split(command)
    return run([*COMMANDS[name], *arguments], folder)


def run(command: list[str], folder: Path) -> list[str]:
    """The lines a process prints."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | ENVIRONMENT | {"PYTHONPATH": path},
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout.splitlines()


def write_file(block: Block, folder: Path) -> None:
    """Write a `file=NAME` block."""
    target = folder / block.options["file"]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(block.text, encoding="utf-8")


def agrees(shown: list[str], lines: list[str]) -> bool:
    """Whether lines are what a page shows, a shown `...` standing for any lines."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(_plain(line)) + r"\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(_plain(line) + "\n" for line in lines)) is not None


def _plain(line: str) -> str:
    """A line without what differs from run to run: seconds, the width of rules, trailing blanks."""
    line = re.sub(r"in \d+\.\d+s( \([\d:]+\))?", "in 0.00s", line)
    return re.sub(r"([=_-])\1{3,}", r"\1\1\1", line).rstrip()
