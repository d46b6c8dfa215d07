"""Read and write queries, documents, judgments and rankings; bad lines are named by file, line and column."""

from pytest_relevance.trec.join import JoinedRun, join_run_file
from pytest_relevance.trec.read import read_corpus, read_qrels, read_queries, read_run
from pytest_relevance.trec.write import write_qrels, write_run

__all__ = [
    "JoinedRun",
    "join_run_file",
    "read_corpus",
    "read_qrels",
    "read_queries",
    "read_run",
    "write_qrels",
    "write_run",
]
