"""A process that stores baselines is killed at random: what stands there is the old one or the new one, whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_relevance.baseline import read_baseline

ROOT = Path(__file__).resolve().parents[2]
KILLS = 50
QUERIES = 150
# Writes two baselines in turn, for ever, and tells when it has begun.
WRITER = """
import sys
from pathlib import Path
from pytest_relevance.baseline import Baseline, BaselineFolder, Origin, StoredQuery
from pytest_relevance.records import Run

def baseline(number):
    run = Run.from_rankings({f"q{q}": [f"{number}-{q}-{place}" for place in range(30)] for q in range(QUERIES)})
    queries = {query_id: StoredQuery(f"query {number}", str(number)) for query_id in run.query_ids}
    return Baseline(Origin("suite", "live", 30, time=str(number)), queries, run, {})

both = [baseline(1), baseline(2)]
folder = BaselineFolder(Path(sys.argv[1]), "suite")
folder.write(both[0])
print("ready", flush=True)
while True:
    for one in (both[1], both[0]):
        folder.write(one)
""".replace("QUERIES", str(QUERIES))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal on this system")
def test_a_kill_leaves_the_old_or_the_new_baseline_whole(tmp_path: Path) -> None:
    stored = tmp_path / "suite" / "live.jsonl"
    moments = random.Random(20_100)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    seen = set()

    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, env=environment, text=True
        )
        assert writer.stdout is not None
        with writer.stdout:
            assert writer.stdout.readline() == "ready\n"
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(timeout=moments.uniform(0, 0.06))
            writer.kill()
            writer.wait()
        found = read_baseline(stored)
        number = found.origin.time
        assert len(found.run.codes) == QUERIES * 30
        assert {doc_id.split("-")[0] for doc_id in found.run.doc_ids} == {number}
        assert {query.hash for query in found.queries.values()} == {number}
        seen.add(number)

    assert seen == {"1", "2"}
    leftovers = [path for path in stored.parent.iterdir() if path != stored]
    assert len(leftovers) <= 1  # what the last one was writing; the next writer removes it
