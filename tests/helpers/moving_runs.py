"""A suite of thirty queries whose run file a test rewrites between two sessions."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import scipy.special

COMPILED = (scipy.special,)  # pytest inside pytest forgets what it imported, and this cannot be imported a second time
QUERIES = 30
DEPTH = 6
GATE = "{measure: nDCG@5, of: live, against: baseline, max_drop: 0.01}"
Ranking = Sequence[str]
Change = Callable[[int, list[str]], list[str]]


def documents(query: int) -> list[str]:
    """Best first: grades 3, 2, 1, 0, 0, 0, and a seventh nobody judged."""
    return [f"d{query:02d}-{place}" for place in range(DEPTH + 1)]


def good(_: int, ranking: list[str]) -> list[str]:
    return ranking


def reversed_in(queries: Iterable[int]) -> Change:
    """The ranking upside down for these queries."""
    chosen = set(queries)
    return lambda query, ranking: ranking[::-1] if query in chosen else ranking


def write_run(path: Path, change: Change = good, *, order: Iterable[int] = range(QUERIES)) -> None:
    lines = [
        f"q{query:02d} Q0 {doc_id} {rank} {100 - rank} t\n"
        for query in order
        for rank, doc_id in enumerate(change(query, documents(query)[:DEPTH]), start=1)
    ]
    path.write_text("".join(lines), encoding="utf-8")


def write_qrels(path: Path, best: int = 3, *, order: Iterable[int] = range(QUERIES)) -> None:
    lines = [
        f"q{query:02d} 0 {doc_id} {max(0, best - place)}\n"
        for query in order
        for place, doc_id in enumerate(documents(query)[:DEPTH])
    ]
    path.write_text("".join(lines), encoding="utf-8")


def write_queries(path: Path, words: str = "find number", *, order: Iterable[int] = range(QUERIES)) -> None:
    lines = [json.dumps({"query_id": f"q{query:02d}", "text": f"{words} {query}"}) + "\n" for query in order]
    path.write_text("".join(lines), encoding="utf-8")


def write_suite(folder: Path, checks: str = f"  - {GATE}\n", *, head: str = "") -> None:
    """live.relevance.yaml with its data, in a folder that is there."""
    write_queries(folder / "queries.jsonl")
    write_qrels(folder / "qrels.txt")
    write_run(folder / "live.run")
    write_checks(folder, checks, head=head)


def write_checks(folder: Path, checks: str, *, head: str = "") -> None:
    text = (
        "suite: moving\nqueries: queries.jsonl\nqrels: qrels.txt\n"
        f"{head}retrievers:\n  live: {{type: run, file: live.run}}\nchecks:\n{checks}"
    )
    (folder / "live.relevance.yaml").write_text(text, encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    """git with an author, and none of the user's own settings."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def committed(folder: Path, message: str = "all") -> None:
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)
