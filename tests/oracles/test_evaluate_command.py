"""`pytest-relevance evaluate` prints what trec_eval prints, on every real run it was run on, to every digit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_relevance.cli import main
from pytest_relevance.measures import parse_measure

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
ORACLES = [  # the others hold no output of trec_eval on a file as it is; tests/oracles/test_measures.py reads them
    path
    for path in sorted((DATA / "oracles" / "runs").glob("*.json"))
    if path.with_name(path.name.replace(".json", ".per-query.tsv.gz")).exists()
]
SECTIONS = {"complete (-c)": "--complete", "intersection (no -c)": "--intersection"}
needs_shared = pytest.mark.skipif(not ORACLES, reason="needs the folder 'shared' beside the repository")


def files_of(oracle: Path) -> tuple[Path, Path]:
    """The judgments and the run that an oracle is about."""
    qrels = DATA / str(json.loads(oracle.read_text(encoding="utf-8"))["qrels"])
    collection, name = oracle.name.removesuffix(".json").split(".", 1)
    patterns = (f"run.{name}.txt.gz", f"run.docs.{name}.txt.gz")
    (run,) = [path for pattern in patterns for path in (DATA / collection).glob(pattern)]
    return qrels, run


def evaluated(*arguments: object) -> dict[str, dict[str, float]]:
    result = CliRunner().invoke(main, ["evaluate", *map(str, arguments), "--json", "--per-query", "--no-cache"])
    assert result.exit_code == 0, result.output
    return {name: found["values"] for name, found in json.loads(result.stdout)["measures"].items()}


@needs_shared
@pytest.mark.parametrize("oracle", ORACLES, ids=lambda path: path.name.removesuffix(".json"))
def test_every_value_of_every_query_is_printed_as_trec_eval_prints_it(oracle: Path) -> None:
    table = oracle.with_name(oracle.name.replace(".json", ".per-query.tsv.gz"))
    rows = [line.split("\t") for line in gzip.decompress(table.read_bytes()).decode().splitlines()]
    names = list(dict.fromkeys(row[0] for row in rows))

    values = evaluated(*files_of(oracle), *(f"-m{name}" for name in names))

    wrong = [
        (name, query_id, printed, value)
        for name, query_id, printed in rows
        if query_id != "all"
        for value in [values[parse_measure(name).name][query_id]]
        if f"{value:.4f}" != f"{float(printed):.4f}"
    ]
    assert not wrong


@needs_shared
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("oracle", ORACLES, ids=lambda path: path.name.removesuffix(".json"))
def test_every_mean_is_printed_as_trec_eval_prints_it(oracle: Path, section: str) -> None:
    expected = json.loads(oracle.read_text(encoding="utf-8"))[section]
    asked = [name for name in expected if name != "num_q"]
    arguments = [*map(str, files_of(oracle)), *(f"-m{name}" for name in asked), SECTIONS[section]]

    result = CliRunner().invoke(main, ["evaluate", *arguments, "--no-cache"])

    printed = {line.split()[0]: float(line.split()[2]) for line in result.stdout.splitlines()}
    for name in asked:
        exactly = 1e-9  # both are printed with four decimals, counts with none
        assert printed[parse_measure(name).name] == pytest.approx(expected[name], abs=exactly), name
