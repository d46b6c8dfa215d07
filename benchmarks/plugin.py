"""What the plugin costs pytest: unused, per item, in two workers, and for a table of queries that all fail.

One command: `python benchmarks/plugin.py`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

WORKERS = ("-p", "xdist.plugin", "-n", "2")  # named, as no plugin is loaded by itself here


@dataclass(frozen=True)
class Case:
    """One pytest process to measure, and what it must come to: a time of anything else is worth nothing."""

    options: Sequence[str]
    folder: Path
    plugin: bool = True
    exit_code: int = 0
    tells: Sequence[str] = ()  # what the output must hold

    @property
    def command(self) -> list[str]:
        """pytest alone, or with our plugin; every other plugin stays out (see `measure`)."""
        loaded = ("-p", "pytest_relevance.plugin") if self.plugin else ()
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *loaded, *self.options]


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
    stated = (f"{{query: query number {number}, of: mine, expect: [{{first: d{number}}}]}}" for number in range(items))
    _write_suite(folder, items, stated)


def write_table(folder: Path, items: int, doc_id: str) -> None:
    """A folder with one suite that asks `doc_id` of the first two documents of each of `items` queries, as one item."""
    _write_suite(folder, items, [f"{{queries: queries.jsonl, of: mine, expect: [{{top: 2, contains: {doc_id}}}]}}"])


def _write_suite(folder: Path, items: int, assertions: Iterable[str]) -> None:
    folder.mkdir()
    queries = "".join(f'{{"_id": "q{number}", "text": "query number {number}"}}\n' for number in range(items))
    stated = "".join(f"  - {assertion}\n" for assertion in assertions)
    (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
    (folder / "many.relevance.yaml").write_text(SUITE + stated, encoding="utf-8")
    (folder / "many_search.py").write_text(RETRIEVER, encoding="utf-8")


def measure(case: Case) -> Measured:
    """Run a case to its end.

    Raises:
        SystemExit: it ended otherwise than it should.
    """
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package comes compiled, and so is pytest here
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(case.command, cwd=case.folder, env=environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)  # with what the workers took, which it waited for
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        told = output.read().decode(errors="replace")
    if process.returncode != case.exit_code or any(text not in told for text in case.tells):
        expected = f"{case.exit_code} and {list(case.tells)}"
        sys.exit(f"{' '.join(case.command)}: exit code {process.returncode}, not {expected}:\n{told[-3000:]}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(cases: Mapping[str, Case], rounds: int) -> dict[str, list[Measured]]:
    """Every case once a round, so that a slow minute of the machine falls on all; one round before is not counted."""
    measured: dict[str, list[Measured]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            one = measure(case)
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


def tables(scratch: Path, items: int, rounds: int) -> Iterator[list[str]]:
    """Each comparison, as it is measured."""
    few, many, suite = scratch / "few", scratch / "many", scratch / "suite"
    holding, failing = scratch / "holding", scratch / "failing"
    write_tests(few, 100)
    write_tests(many, items)
    write_suite(suite, items)
    write_table(holding, items, "other")
    write_table(failing, items, "absent")
    unused = {
        "without the plugin": Case((), few, plugin=False),
        "with the plugin, unused": Case((), few),
    }
    yield table("100 tests", interleaved(unused, 4 * rounds))
    ways = {"collected and run": (), "collected only": ("--collect-only",), "collected and run, -n 2": WORKERS}
    for title, options in ways.items():
        cases = {
            f"{items:,} parametrised tests": Case(options, many, plugin=False),
            f"{items:,} YAML assertions": Case(("--relevance", *options), suite),
        }
        yield table(title, interleaved(cases, rounds))
    told = (f"holds for 0 of {items} queries on mine", "worst first:", "q0  'query number 0' on mine")
    rows = {
        "all hold": Case(("--relevance",), holding),
        "none holds": Case(("--relevance",), failing, exit_code=1, tells=told),
    }
    yield table(f"a table of {items:,} queries", interleaved(rows, rounds))


def main() -> None:
    """Generate, measure, print as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds of each table (default 5)")
    parser.add_argument(
        "--items", type=int, default=10_000, help="assertions, and tests to compare with (default 10000)"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for lines in tables(Path(scratch), chosen.items, chosen.rounds):
            print(*lines, "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
