"""What the documentation shows is true: its files written, its commands run, its output compared, its Python executed.

A fenced block says what it is in its first line. `file=NAME` writes it into the page's folder, beside a copy of the
example suites. A `console` block runs each `$` line and expects what follows it, a line of `...` standing for any
lines. A `python` block runs as a script, and what it prints must be its comments `# → …`, or the `output` block that
follows it. A `yaml` block must be YAML.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("how-to/*.md"))]
PAGES += [ROOT / "docs" / name for name in ("library.md", "retrievers.md")]
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:asyncio"]
COMMANDS = {
    "pytest": PYTEST,
    "pytest-relevance": [sys.executable, "-c", "from pytest_relevance.cli import main; main()"],
    "python": [sys.executable],
    "cat": ["cat"],
}
NOT_RUN = ("pip ", "git ", "scripts/", "cd ")  # they need a network, or are what runs this test


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    options: dict[str, str]
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\S+) *([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        options = dict(part.split("=", 1) for part in match[2].split())
        yield Block(match[1], options, match[3], text.count("\n", 0, match.start()) + 1)


def plain(line: str) -> str:
    """A line without what differs from run to run: seconds, the width of rules, trailing blanks."""
    line = re.sub(r"in \d+\.\d+s( \([\d:]+\))?", "in 0.00s", line)
    return re.sub(r"([=_-])\1{3,}", r"\1\1\1", line).rstrip()


def pattern(expected: list[str]) -> re.Pattern[str]:
    """Matches output that has these lines one after the other, with any lines where `...` stands."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(plain(line)) + r"\n" for line in expected]
    return re.compile("".join(parts))


def environment() -> dict[str, str]:
    here = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])),
        "COLUMNS": "100",
    }
    return os.environ | here


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(), text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.stdout


def check_console(block: Block, folder: Path, where: str) -> None:
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *expected = step.rstrip("\n").split("\n")
        if command.startswith(NOT_RUN):
            continue
        name, *arguments = shlex.split(command)
        output = "".join(plain(line) + "\n" for line in run([*COMMANDS[name], *arguments], folder).splitlines())
        assert pattern(expected).fullmatch(output), f"{where}: $ {command}\nprinted\n{output}"


def check_python(block: Block, output: str | None, folder: Path, where: str) -> None:
    expected = re.findall(r"# → (.*)$", block.text, re.MULTILINE) if output is None else output.splitlines()
    script = folder / "block.py"
    script.write_text(block.text, encoding="utf-8")
    printed = run([sys.executable, script.name], folder).splitlines()
    assert printed == expected, f"{where}: printed\n" + "\n".join(printed)


def check(block: Block, output: str | None, folder: Path, where: str) -> None:
    if "file" in block.options:
        target = folder / block.options["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    elif block.kind == "console":
        check_console(block, folder, where)
    elif block.kind == "python":
        check_python(block, output, folder, where)
    elif block.kind == "yaml":
        yaml.safe_load(block.text)
    else:
        assert block.kind in ("output", "text"), f"{where}: do not know what to do with a block of {block.kind!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_shows_is_what_happens(page: Path, pytester: pytest.Pytester) -> None:
    shutil.copytree(ROOT / "example_suites", pytester.path / "example_suites")
    shown = list(blocks(page))
    for block, following in zip(shown, [*shown[1:], None], strict=False):
        output = following.text if following and following.kind == "output" else None
        check(block, output, pytester.path, f"{page.relative_to(ROOT)}:{block.line}")


def test_every_link_to_a_file_of_the_repository_leads_somewhere() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not target.startswith(("http://", "https://", "mailto:")) and not (page.parent / target).exists()
    ]
    assert broken == []
