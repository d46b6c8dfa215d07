"""The BEIR layout: a folder with corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_relevance.errors import DataError, as_shown, suggestion
from pytest_relevance.records import Corpus, Qrels, Queries
from pytest_relevance.trec import read_corpus, read_qrels, read_queries

_ENDINGS = ("", ".gz")
_QRELS = (".tsv", ".tsv.gz", ".txt", ".txt.gz", ".jsonl", ".jsonl.gz")


@dataclass(frozen=True, eq=False)
class Beir:
    """A BEIR data set. Queries without judgments in a split are in `queries` all the same."""

    corpus: Corpus
    queries: Queries
    qrels: Mapping[str, Qrels]  # split, such as "test" → its judgments

    def split(self, name: str) -> Qrels:
        """The judgments of one split.

        Raises:
            DataError: there is no such split; the fix names those there are.
        """
        if name not in self.qrels:
            raise DataError(f"no split {name!r}", fix=suggestion(name, self.qrels, label="splits:"))
        return self.qrels[name]


def read_beir(folder: str | os.PathLike[str]) -> Beir:
    """Read a BEIR folder, its files plain or `.gz`.

    Raises:
        DataError: a file is missing, or one of them cannot be read.
    """
    root = Path(folder)
    corpus = read_corpus(_file(root, "corpus.jsonl"))
    queries = read_queries(_file(root, "queries.jsonl"))
    splits = _splits(root)
    return Beir(corpus, queries, {name: read_qrels(path, name=name) for name, path in splits.items()})


def _file(root: Path, name: str) -> Path:
    for ending in _ENDINGS:
        path = root / f"{name}{ending}"
        if path.exists():
            return path
    raise DataError(
        f"{as_shown(os.fspath(root))}: a BEIR folder holds {name}, and this one does not",
        fix="name the folder that holds corpus.jsonl, queries.jsonl and qrels/",
    )


def _splits(root: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted((root / "qrels").glob("*")):
        ending = next((ending for ending in _QRELS if path.name.endswith(ending)), None)
        if ending:
            found[path.name.removesuffix(ending)] = path
    if not found:
        raise DataError(
            f"{as_shown(os.fspath(root / 'qrels'))}: no judgments there",
            fix="put them into qrels/<split>.tsv, with the header query-id, corpus-id, score",
        )
    return found
