"""A process that stores baselines is killed at random: what stands there is the old one or the new one, whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from pytest_relevance.baseline import Baseline, BaselineFolder

ROOT = Path(__file__).resolve().parents[2]
KILLS = 50  # of each way of writing
QUERIES = 150
TEXT, COLUMNS = "1000", "0"  # megabytes up to which a baseline is text
# Makes two baselines and, for each line it is given, a child that writes them in turn, for ever; tells the child's
# number once it has begun, and its end. Children are copies of one process, so that fifty cost no fifty starts.
WRITERS = """
import os, sys
from pathlib import Path
import pyarrow.parquet
from pytest_relevance.baseline import Baseline, BaselineFolder, Origin, StoredQuery
from pytest_relevance.records import Run

def baseline(number):
    run = Run.from_rankings({f"q{q}": [f"{number}-{q}-{place}" for place in range(30)] for q in range(QUERIES)})
    queries = {query_id: StoredQuery(f"query {number}", str(number)) for query_id in run.query_ids}
    return run, queries

both = [baseline(1), baseline(2)]
folder = BaselineFolder(Path(sys.argv[1]), "suite")
forms = [float(form) for form in sys.argv[2:]]

def write(count):
    run, queries = both[count % 2]
    stored = Baseline(Origin("suite", "live", 30, time=f"{count:09}"), queries, run, {})
    folder.write(stored, text_megabytes=forms[count % len(forms)])

def write_for_ever(count):
    write(count)
    print(os.getpid(), flush=True)
    while True:
        count += 1
        write(count)

for line in sys.stdin:
    child = os.fork()
    if not child:
        write_for_ever(int(line))
    os.waitpid(child, 0)
    print("ended", flush=True)
""".replace("QUERIES", str(QUERIES))


@contextmanager
def writers(folder: Path, forms: list[str]) -> Iterator[subprocess.Popen[str]]:
    """The process that makes writers, ended at last."""
    # A copy of a process has only the thread that made it: no library may have started others before.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", WRITERS, str(folder), *forms]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        yield process


def read_back(folder: Path) -> Baseline:
    """What a session would compare with; a mix of two could not be read, or would show in its ids."""
    found = BaselineFolder(folder, "suite").find("live")
    assert found is not None
    number = str(int(found.origin.time) % 2 + 1)
    assert len(found.run.codes) == QUERIES * 30
    assert {doc_id.split("-")[0] for doc_id in found.run.doc_ids} == {number}
    assert {query.hash for query in found.queries.values()} == {number}
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no such signal and no copies of processes on this system")
@pytest.mark.parametrize("forms", [[TEXT], [COLUMNS], [TEXT, COLUMNS]], ids=["text", "parquet", "one after the other"])
def test_a_kill_leaves_the_old_or_the_new_baseline_whole(tmp_path: Path, forms: list[str]) -> None:
    moments = random.Random(20_100)
    seen, last = set(), 0

    with writers(tmp_path, forms) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(KILLS):
            process.stdin.write(f"{last + 1}\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            Event().wait(moments.uniform(0, 0.04))
            os.kill(child, signal.SIGKILL)
            assert process.stdout.readline() == "ended\n"
            written = int(read_back(tmp_path).origin.time)
            assert written > last  # at least the one before it told that it had begun
            seen.add(written % 2)
            last = written
        process.stdin.close()

    assert seen == {0, 1}
    # What the last one was writing, or the form it was about to remove; the next writer removes both.
    assert len(list((tmp_path / "suite").iterdir())) <= 2
