"""The data a suite names: queries and judgments at once, documents when somebody asks, slices worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_relevance.errors import Place, SuiteError, nearest, suggestion
from pytest_relevance.measures import Fold
from pytest_relevance.records import Corpus, Qrels, Queries, Query
from pytest_relevance.suite.model import InlineQrels, Suite
from pytest_relevance.suite.slices import members_of
from pytest_relevance.suite.source import is_there
from pytest_relevance.trec import read_corpus, read_qrels, read_queries

_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".parquet", ".tsv", ".csv")


@dataclass(frozen=True, eq=False)
class SuiteData:
    """What a suite's files hold."""

    suite: Suite
    queries: Queries
    qrels: Mapping[str, Qrels]  # by the judgment set's name
    members: Mapping[str, tuple[str, ...]]  # scheme=slice → query_ids, in the order of the queries

    @cached_property
    def fold(self) -> Fold | None:
        """The rule or the file that folds passages to their parents; None where the suite folds nothing.

        Raises:
            MeasureError: it is no rule and no file of parents; placed in the suite.
        """
        return fold_of(self.suite)

    @cached_property
    def corpus(self) -> Corpus | None:
        """The documents, read when first asked for; None where the suite names none.

        Raises:
            DataError: the file has wrong lines.
        """
        path = self.suite.corpus
        return None if path is None else read_corpus(_file(path, "corpus", self.suite.places["corpus"]))


def load_data(suite: Suite) -> SuiteData:
    """Read queries and judgments. A folder stands for the files a BEIR folder has: queries.jsonl, qrels/test.tsv.

    Raises:
        SuiteError: a file is not there, or a slice that a check uses holds no query; placed in the suite.
        DataError: a file has wrong lines; placed in that file.
    """
    if suite.corpus is not None:
        _file(suite.corpus, "corpus", suite.places["corpus"])
    fold_of(suite)
    queries = _queries(suite)
    members = members_of(suite.slices, queries, suite.places)
    _refuse_empty_slices(suite, members)
    return SuiteData(suite, queries, {name: _qrels(suite, name) for name in suite.qrels}, members)


def fold_of(suite: Suite) -> Fold | None:
    """A suite's `fold`; a file is looked for from the suite's folder on."""
    if suite.fold is None:
        return None
    file = suite.path.parent / suite.fold
    return Fold.parse(str(file) if is_there(file) else suite.fold, place=suite.places["fold"])


def resolve_query(queries: Queries, text: str, *, place: Place | None = None) -> Query | None:
    """The query of that id, or else of that text; None where there is none.

    Raises:
        SuiteError: several queries have this text.
    """
    if text in queries:
        return queries[text]
    same = queries.by_text.get(text, ())
    if len(same) > 1:
        ids = ", ".join(query.query_id for query in same[:10])
        raise SuiteError(
            f"{len(same)} queries have the text {text!r}", place=place, fix=f"name one by its query_id: {ids}"
        )
    return same[0] if same else None


def file_of(suite: Suite, key: str) -> Path | None:
    """The file that stands behind `corpus`, `queries` or `qrels.NAME`; None where none does.

    Raises:
        SuiteError: it is not there; placed in the suite.
    """
    kind, _, name = key.partition(".")
    source = {"corpus": suite.corpus, "queries": suite.queries}.get(kind, suite.qrels.get(name))
    place = suite.places.get(key) or suite.places.get(kind)
    return _file(source, kind, place) if isinstance(source, Path) and place else None


def slice_members(suite: Suite, queries: Queries) -> Mapping[str, tuple[str, ...]]:
    """`scheme=slice` → its query_ids; raises as `slices.members_of` does."""
    return members_of(suite.slices, queries, suite.places)


def _queries(suite: Suite) -> Queries:
    if isinstance(suite.queries, Path):
        return read_queries(_file(suite.queries, "queries", suite.places["queries"]))
    return Queries(suite.queries)


def _qrels(suite: Suite, name: str) -> Qrels:
    source = suite.qrels[name]
    if isinstance(source, InlineQrels):
        return Qrels.from_dict(source.grades, name=name)
    place = suite.places.get(f"qrels.{name}") or suite.places["qrels"]
    return read_qrels(_file(source, "qrels", place), duplicates=suite.duplicates, name=name)


def _file(path: Path, stem: str, place: Place) -> Path:
    """The file at `path`, or the one meant in a folder."""
    if is_there(path, folder=True):
        return _in_folder(path, stem, place)
    if is_there(path):
        return path
    # Shown as the suite has it: a part may come from the environment.
    written = place.source[place.column - 1 : place.column - 1 + place.width].strip("'\"")
    siblings = sorted(one.name for one in path.parent.iterdir()) if is_there(path.parent, folder=True) else []
    near = nearest(path.name, siblings)
    fix = f"did you mean {near!r}?" if near else "paths begin at the suite's folder"
    raise SuiteError(f"file {written!r} does not exist", place=place, fix=fix)


def _in_folder(folder: Path, stem: str, place: Place) -> Path:
    if stem == "qrels":
        inner = folder / "qrels" if (folder / "qrels").is_dir() else folder
        found = [one for one in (inner / "test.tsv", inner / "qrels.txt") if one.is_file()]
        found = found or [one for one in sorted(inner.glob("*.tsv")) if one.is_file()]
        if len(found) == 1 or (found and found[0].name == "test.tsv"):
            return found[0]
        names = f"name one of {', '.join(one.name for one in found)}" if found else "name the file"
        problem = "this folder holds several files of judgments" if found else "this folder holds no judgments"
        raise SuiteError(problem, place=place, fix=names)
    for ending in _ENDINGS:
        if (folder / f"{stem}{ending}").is_file():
            return folder / f"{stem}{ending}"
    raise SuiteError(f"this folder holds no {stem}.jsonl", place=place, fix="name the file")


def _refuse_empty_slices(suite: Suite, members: Mapping[str, tuple[str, ...]]) -> None:
    for check in suite.checks:
        if check.slice is not None and not members.get(check.slice):
            known = [name for name, query_ids in members.items() if query_ids]
            raise SuiteError(
                f"slice {check.slice} holds no query",
                place=check.place,
                fix=suggestion(check.slice, known, label="slices with queries"),
            )
        total = getattr(check, "total", None)
        for name in suite.weights[total] if total is not None else ():
            if not members.get(f"{total}={name}"):
                raise SuiteError(
                    f"slice {total}={name} has a weight and holds no query, so no total can be made",
                    place=suite.places[f"weights.{total}"],
                    fix="add queries to it, or remove its weight",
                )
