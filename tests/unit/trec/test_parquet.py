"""What reading Parquet costs to import: pyarrow, and never pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_relevance.baseline import Baseline, BaselineFolder, Origin, StoredQuery
from pytest_relevance.records import Qrels, Run
from pytest_relevance.trec import write_qrels, write_run

ROOT = Path(__file__).resolve().parents[3]

READERS = """
import sys
from pathlib import Path
from pytest_relevance.baseline import read_baseline
from pytest_relevance.trec import parquet_corpus, read_corpus, read_qrels, read_queries, read_run

folder = Path(sys.argv[1])

def few_documents(path):
    parquet_corpus.IN_MEMORY = 0
    assert read_corpus(path)["d2"] == {"title": "two"}

for read, name in (
    (read_run, "run"), (read_qrels, "qrels"), (read_queries, "queries"), (read_corpus, "corpus"),
    (few_documents, "corpus"), (read_baseline, "suite/live"),
):
    read(folder / f"{name}.parquet")
    print(read.__name__, "pandas" in sys.modules)
"""


def test_no_reader_of_parquet_imports_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    run = Run.from_rankings({"q1": ["d1", "d2"], "q2": []})
    write_run(run, tmp_path / "run.parquet")
    write_qrels(Qrels.from_dict({"q1": {"d1": 1.5}}), tmp_path / "qrels.parquet")
    parquet.write_table(pyarrow.table({"_id": ["q1"], "text": ["shoes"]}), tmp_path / "queries.parquet")
    documents = pyarrow.table({"_id": ["d1", "d2"], "title": ["one", "two"]})
    parquet.write_table(documents, tmp_path / "corpus.parquet")
    queries = {"q1": StoredQuery("shoes", "h1"), "q2": StoredQuery("boots", "h2")}
    baseline = Baseline(Origin("suite", "live", 10), queries, run, {})
    BaselineFolder(tmp_path, "suite").write(baseline, text_megabytes=0.0)

    command = [sys.executable, "-c", READERS, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    names = ("read_run", "read_qrels", "read_queries", "read_corpus", "few_documents", "read_baseline")
    assert done.stdout.splitlines() == [f"{name} False" for name in names]
