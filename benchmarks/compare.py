"""Comparing two stored runs against evaluating one: whole processes, in turn, from files to printed text.

    python benchmarks/compare.py [--queries 20000] [--depth 1000] [--rounds 3]

Writes two runs that differ a little as stored baselines (Parquet at this size), one as TREC text, and judgments. Then,
each in a process of its own: `evaluate QRELS RUN` of the text, the same measures of one stored run, and
`compare OLD NEW --qrels QRELS`.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from pytest_relevance.baseline import Baseline, BaselineFolder, Origin, StoredQuery
from pytest_relevance.records import Ids, Qrels, Run
from pytest_relevance.trec import write_qrels, write_run

ROOT = Path(__file__).resolve().parents[1]
MEASURES = ("nDCG@10", "R@100", "RR@10", "Judged@10")
DOCUMENTS = 2_000_000
JUDGED = 20  # documents of each query
COMMAND = [sys.executable, "-c", "from pytest_relevance.cli import main; main()"]
EVALUATE_STORED = """
import sys
from pathlib import Path
from pytest_relevance.baseline import read_baseline
from pytest_relevance.measures import evaluate
from pytest_relevance.trec import read_qrels
evaluation = evaluate(read_baseline(Path(sys.argv[2])).run, read_qrels(sys.argv[1]), sys.argv[3:])
print({name: values.mean for name, values in evaluation.items()})
"""


def runs(queries: int, depth: int) -> tuple[Run, Run]:
    """Two runs of the same documents; in the second a tenth of the queries has its first twenty shuffled."""
    random = np.random.default_rng(1)
    doc_ids = Ids.of(f"D{number:07d}" for number in range(DOCUMENTS))
    query_ids = tuple(f"q{number}" for number in range(queries))
    starts = random.integers(0, DOCUMENTS, (queries, 1))
    codes = (starts + np.arange(depth) * 7919) % DOCUMENTS
    other = codes.copy()
    for row in random.choice(queries, queries // 10, replace=False):
        other[row, :20] = random.permutation(other[row, :20])
    scores = np.tile(np.arange(depth, 0, -1, dtype=np.float64), queries)
    offsets = np.arange(queries + 1, dtype=np.int64) * depth
    old, new = (Run(query_ids, offsets, doc_ids, matrix.reshape(-1), scores) for matrix in (codes, other))
    return old, new


def prepared(folder: Path, queries: int, depth: int) -> dict[str, Path]:
    """The files by their part in the comparison."""
    old, new = runs(queries, depth)
    paths = {"qrels": folder / "qrels.txt", "text": folder / "old.run"}
    stored = {query_id: StoredQuery(f"text of {query_id}", "h") for query_id in old.query_ids}
    for name, run in (("old", old), ("new", new)):
        kept = BaselineFolder(folder, "suite")
        kept.write(Baseline(Origin("suite", name, depth), stored, run, {}), text_megabytes=20.0)
        form = ".parquet" if kept.path(name).with_suffix(".parquet").exists() else ".jsonl"
        paths[name] = kept.path(name).with_suffix(form)
    columns = np.arange(0, depth, max(1, depth // JUDGED))[:JUDGED]
    rows = old.codes.reshape(queries, depth)[:, columns]
    judged = {
        query_id: {old.doc_ids[int(code)]: float(place % 3) for place, code in enumerate(row)}
        for query_id, row in zip(old.query_ids, rows, strict=True)
    }
    write_qrels(Qrels.from_dict(judged), paths["qrels"])
    write_run(old, paths["text"])
    return paths


def timed(command: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package comes compiled
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    asked = [argument for name in MEASURES for argument in ("-m", name)]
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(path) for name, path in prepared(Path(folder), options.queries, options.depth).items()}
        qrels = paths["qrels"]
        commands = {
            "evaluate one, TREC text": [*COMMAND, "evaluate", qrels, paths["text"], "--no-cache", *asked],
            "evaluate one, stored": [sys.executable, "-c", EVALUATE_STORED, qrels, paths["old"], *MEASURES],
            "compare two, stored": [*COMMAND, "compare", paths["old"], paths["new"], "--qrels", qrels, *asked],
        }
        best: dict[str, tuple[float, float]] = {}
        for _ in range(options.rounds):
            for name, command in commands.items():
                best[name] = min(best.get(name, (1e9, 1e9)), timed(command))
    print(f"{options.queries} queries x {options.depth} documents, best of {options.rounds}")
    for name, (wall, processor) in best.items():
        ratios = [two / one for two, one in zip(best["compare two, stored"], (wall, processor), strict=True)]
        told = f"compare is {ratios[0]:.2f} x its wall, {ratios[1]:.2f} x its processor time"
        print(f"{name:26} {wall:7.2f} s wall {processor:7.2f} s processor   {told}")


if __name__ == "__main__":
    main()
