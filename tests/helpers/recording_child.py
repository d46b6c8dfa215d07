"""Records in forked processes that a test may kill: one line of JSON on standard input is one process.

It is a process of its own, without threads, so that forking is safe and imports are paid for once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from asking import retriever, search

from pytest_relevance.records import Query
from pytest_relevance.retrievers.http.clock import Clock
from pytest_relevance.runs import RecordingFolder


def record(task: dict[str, Any]) -> None:
    """Record, and append the id of each query to a file once its answer has been handed over."""
    recordings = RecordingFolder(Path(task["folder"]), task["mode"])
    queries = [Query(query_id, text) for query_id, text in task["queries"].items()]
    handed_over = os.open(task["out"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    clock = Clock(wall=lambda: 1_000_000.0)
    with retriever(search(task["url"], concurrency=4), recordings=recordings, clock=clock) as asking:
        for ranked in asking.retrieve(queries, depth=10):
            os.write(handed_over, f"{ranked.query_id}\n".encode())


def main() -> None:
    """Fork for each line, tell the child's pid, wait for it, tell how it ended."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            record(json.loads(line))
            os._exit(0)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
