"""Every example suite: those to copy pass, and each failing one prints what stands beside it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "example_suites"
FAILING = sorted(path.parent.name for path in EXAMPLES.glob("failing/*/*.relevance.yaml"))


def expectation(kind: str) -> tuple[dict[str, int], list[str]]:
    """What the first line of expected.txt counts, and the lines from the third on, to be printed as they stand."""
    text = (EXAMPLES / "failing" / kind / "expected.txt").read_text(encoding="utf-8")
    head, _, *lines = text.rstrip().splitlines()
    outcomes = {noun: int(count) for count, noun in re.findall(r"(\d+) (passed|failed|error)", head)}
    if "error" in outcomes:
        outcomes["errors"] = outcomes.pop("error")
    # Only `*` is special here and stands for any text; fnmatch would take brackets and question marks as patterns too.
    return outcomes, [line.replace("[", "[[]").replace("?", "[?]") for line in lines]


def copied(pytester: pytest.Pytester, name: str) -> Path:
    """A copy of an example folder in the test's own folder, so that nothing is written beside the original."""
    return Path(shutil.copytree(EXAMPLES / name, pytester.path / name))


@pytest.mark.parametrize("name", ["shop", "docs_search", "regression"])
def test_an_example_to_copy_passes_and_shows_its_table(name: str, pytester: pytest.Pytester) -> None:
    copied(pytester, name)

    result = pytester.runpytest("--relevance", name)

    assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    assert result.parseoutcomes().keys() <= {"passed", "warnings"}
    result.stdout.fnmatch_lines([f"*{name}*nDCG@10*"])


@pytest.mark.parametrize("kind", FAILING)
def test_a_failing_example_prints_what_stands_beside_it(
    kind: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes, lines = expectation(kind)
    copied(pytester, "failing")
    monkeypatch.setenv("COLUMNS", "100")

    result = pytester.runpytest("--relevance", f"failing/{kind}")

    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(lines, consecutive=True)
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stderr.no_fnmatch_line("*Traceback*")


def test_there_is_a_failing_example_of_every_kind() -> None:
    assert len(FAILING) >= 20
    assert all((EXAMPLES / "failing" / kind / "expected.txt").is_file() for kind in FAILING)
