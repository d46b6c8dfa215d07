"""What the documentation shows is true: its files written, its commands run, its output compared, its Python executed.

A fenced block says what it is in its first line. `file=NAME` writes it into the page's folder, beside a copy of the
example suites. A `console` block runs each `$` line and expects what follows it, a line of `...` standing for any
lines. A `python` block runs as a script, and what it prints must be its comments `# → …`, or the `output` block that
follows it. A `yaml` block must be YAML. `scripts/renew` puts what is printed now into console blocks that disagree.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from pages import PAGES, ROOT, Block, agrees, blocks, printed, run, steps, write_file


def check_console(block: Block, folder: Path, where: str) -> None:
    for step in steps(block):
        if step.is_run:
            lines = printed(step.command, folder)
            assert agrees(step.shown, lines), f"{where}: $ {step.command}\nprinted\n" + "\n".join(lines)


def check_python(block: Block, output: str | None, folder: Path, where: str) -> None:
    expected = re.findall(r"# → (.*)$", block.text, re.MULTILINE) if output is None else output.splitlines()
    script = folder / "block.py"
    script.write_text(block.text, encoding="utf-8")
    lines = run([sys.executable, script.name], folder)
    assert lines == expected, f"{where}: printed\n" + "\n".join(lines)


def check(block: Block, output: str | None, folder: Path, where: str) -> None:
    if "file" in block.options:
        write_file(block, folder)
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
    shown = blocks(page)
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
