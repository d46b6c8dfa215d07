"""What the plugin costs pytest: unused, and per item. One command: `python benchmarks/plugin.py`."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

TESTS = """\
import pytest


@pytest.mark.parametrize("number", range({items}))
def test_number(number):
    assert number >= 0
"""

RETRIEVER = """\
def search(query, depth):
    return [("d" + query.text.rpartition(" ")[2], 1.0), ("other", 0.5)]
"""

SUITE = """\
suite: many
queries: queries.jsonl
retrievers:
  mine: {type: function, function: "many_search:search"}
assertions:
"""


@dataclass(frozen=True)
class Measured:
    """One process, from start to exit."""

    seconds: float  # wall time
    processor: float  # seconds of processor time, which a busy machine disturbs less
    megabytes: float  # peak resident memory


def write_tests(folder: Path, items: int) -> None:
    """A folder with `items` parametrised Python tests."""
    folder.mkdir()
    (folder / "test_many.py").write_text(TESTS.format(items=items), encoding="utf-8")


def write_suite(folder: Path, items: int) -> None:
    """A folder with one suite of `items` assertions, each on a query of its own, all of one `function` retriever."""
    folder.mkdir()
    queries = "".join(f'{{"_id": "q{number}", "text": "query number {number}"}}\n' for number in range(items))
    assertions = "".join(
        f"  - {{query: query number {number}, of: mine, expect: [{{first: d{number}}}]}}\n" for number in range(items)
    )
    (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
    (folder / "many.relevance.yaml").write_text(SUITE + assertions, encoding="utf-8")
    (folder / "many_search.py").write_text(RETRIEVER, encoding="utf-8")


def pytest_command(*arguments: str, plugin: bool) -> list[str]:
    """pytest alone, or with our plugin; every other plugin stays out (see `measure`)."""
    loaded = ["-p", "pytest_relevance.plugin"] if plugin else []
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *loaded, *arguments]


def measure(command: Sequence[str], folder: Path) -> Measured:
    """Run a command to its end.

    Raises:
        SystemExit: it failed; a time of a failed run is worth nothing.
    """
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{output.read().decode(errors='replace')[-3000:]}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(cases: Mapping[str, tuple[Sequence[str], Path]], rounds: int) -> dict[str, list[Measured]]:
    """Every case once a round, so that a slow minute of the machine falls on all; one round before is not counted."""
    measured: dict[str, list[Measured]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, (command, folder) in cases.items():
            one = measure(command, folder)
            if number:
                measured[name].append(one)
    return measured


def table(title: str, measured: Mapping[str, Sequence[Measured]]) -> list[str]:
    """Medians, and ratios to the first case as medians of the rounds' own ratios."""
    base = next(iter(measured.values()))
    lines = [f"| {title} | wall s | ratio | processor s | ratio | peak MB |", "|---|---|---|---|---|---|"]
    for name, ones in measured.items():
        wall, wall_ratio = _medians([one.seconds for one in ones], [one.seconds for one in base])
        busy, busy_ratio = _medians([one.processor for one in ones], [one.processor for one in base])
        memory = statistics.median(one.megabytes for one in ones)
        lines.append(f"| {name} | {wall:.3f} | {wall_ratio:.2f} | {busy:.3f} | {busy_ratio:.2f} | {memory:.0f} |")
    return lines


def _medians(values: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    ratios = [value / other for value, other in zip(values, base, strict=True)]
    return statistics.median(values), statistics.median(ratios)


def main() -> None:
    """Generate, measure, print as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds of each table (default 5)")
    parser.add_argument(
        "--items", type=int, default=10_000, help="assertions, and tests to compare with (default 10000)"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        few, many, suite = Path(scratch, "few"), Path(scratch, "many"), Path(scratch, "suite")
        write_tests(few, 100)
        write_tests(many, chosen.items)
        write_suite(suite, chosen.items)
        unused = {
            "without the plugin": (pytest_command(plugin=False), few),
            "with the plugin, unused": (pytest_command(plugin=True), few),
        }
        print(*table("100 tests", interleaved(unused, 4 * chosen.rounds)), "", sep="\n", flush=True)
        for title, option in (("collected and run", []), ("collected only", ["--collect-only"])):
            cases = {
                f"{chosen.items:,} parametrised tests": (pytest_command(*option, plugin=False), many),
                f"{chosen.items:,} YAML assertions": (pytest_command("--relevance", *option, plugin=True), suite),
            }
            print(*table(title, interleaved(cases, chosen.rounds)), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
