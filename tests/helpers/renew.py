"""Put what is printed now into expected.txt files and console blocks that no longer agree. Read the diff afterwards."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from pages import PAGES, ROOT, Step, agrees, blocks, printed, steps, write_file

FAILING = ROOT / "example_suites" / "failing"


def renew_examples(folder: Path) -> None:
    """Renew the expectations of failing examples; `folder` holds a copy of `failing/`."""
    for suite in sorted((folder / "failing").glob("*/*.relevance.yaml")):
        kind = suite.parent.name
        expected = FAILING / kind / "expected.txt"
        lines = printed(f"pytest -q --relevance failing/{kind}", folder)
        text = expectation(lines, folder)
        before = expected.read_text(encoding="utf-8") if expected.exists() else ""
        if not same(before.splitlines(), text.splitlines()):
            expected.write_text(text, encoding="utf-8")
            print(f"renewed {expected.relative_to(ROOT)}")


def expectation(lines: list[str], folder: Path) -> str:
    """The outcomes, a blank line, and the block from the first heading on to the short summary."""
    outcomes = [part for part in re.sub(r" in [\d.]+s.*", "", lines[-1]).split(", ") if "warning" not in part]
    heads = [number for number, line in enumerate(lines) if re.match(r"=+ (FAILURES|ERRORS) =+$", line)]
    begin = heads[0] + 1 if heads else next(number for number, line in enumerate(lines) if "- relevance -" in line)
    end = next((number for number, line in enumerate(lines) if "= short test summary" in line), len(lines) - 1)
    shown = [re.sub(r"^([_-])\1* (.*) \1+$", r"* \2 *", line).replace(f"{folder}/", "*") for line in lines[begin:end]]
    return ", ".join(outcomes) + "\n\n" + "\n".join(line.rstrip() for line in shown).rstrip() + "\n"


def same(before: list[str], now: list[str]) -> bool:
    """Whether each line is the same, or is what a `*` in the older one stands for."""
    return len(before) == len(now) and all(
        old == new or fnmatchcase(new, old.replace("[", "[[]").replace("?", "[?]"))
        for old, new in zip(before, now, strict=True)
    )


def renew_page(page: Path, folder: Path) -> None:
    """Renew the console blocks of one page; `folder` holds a copy of the example suites."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(page):
        if "file" in block.options:
            write_file(block, folder)
        elif block.kind == "console":
            shown = [line for step in steps(block) for line in (f"$ {step.command}", *renewed(step, folder))]
            text = text.replace(f"```console\n{block.text}```", "```console\n" + "\n".join(shown) + "\n```")
    if text != page.read_text(encoding="utf-8"):
        page.write_text(text, encoding="utf-8")
        print(f"renewed {page.relative_to(ROOT)}")


def renewed(step: Step, folder: Path) -> list[str]:
    """The lines to show: as they are while they agree, else what is printed, less the header and the summary."""
    lines = printed(step.command, folder) if step.is_run else []
    if not step.is_run or agrees(step.shown, lines):
        return step.shown
    head = next((number for number, line in enumerate(lines) if line.startswith("collect")), None)
    tail = next((number for number, line in enumerate(lines) if "= short test summary" in line), None)
    kept = [line.rstrip() for line in lines[head or 0 : tail]]
    return [*(["..."] if head else []), *kept, *(["..."] if tail else [])]


def main() -> None:
    """Renew all that disagrees."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CACHE_HOME"] = f"{scratch}/cache"
        examples = Path(scratch, "examples")
        shutil.copytree(FAILING, examples / "failing")
        renew_examples(examples)
        for page in PAGES:
            folder = Path(scratch, page.stem)
            shutil.copytree(ROOT / "example_suites", folder / "example_suites")
            renew_page(page, folder)


if __name__ == "__main__":
    main()
