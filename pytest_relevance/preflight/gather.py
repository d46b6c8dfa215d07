"""Gathering: the files of a suite, or bare ones, each read on its own; what cannot be read is a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pytest_relevance.errors import CombinedError, RelevanceError, as_shown
from pytest_relevance.measures import Fold, Measure
from pytest_relevance.preflight.findings import Finding, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import counted, shown
from pytest_relevance.records import Corpus, Duplicates, Ids, Qrels, Queries, Run
from pytest_relevance.suite import Grades, InlineQrels, Suite, SuiteData
from pytest_relevance.suite.data import file_of, fold_of
from pytest_relevance.suite.preflight import Preflight
from pytest_relevance.trec import read_corpus, read_qrels, read_queries, read_run
from pytest_relevance.trec.repeats import Repeat, Repeats

T = TypeVar("T")
UNREADABLE = "unreadable-file"


@dataclass(frozen=True)
class Files:
    """Bare files to look at; judgment sets and runs by name."""

    qrels: Mapping[str, Path] = field(default_factory=dict)
    queries: Path | None = None
    corpus: Path | None = None
    doc_ids: Path | None = None  # the corpus' ids, one a line, where the corpus is not at hand
    runs: Mapping[str, Path] = field(default_factory=dict)
    grades: Grades = field(default_factory=Grades)
    fold: str | None = None


class Gathering:
    """Reads what there is, and keeps a finding for each file that cannot be read or repeats an id."""

    def __init__(self, preflight: Preflight) -> None:
        self._preflight = preflight
        self.findings: list[Finding] = []

    def read(self, file: str, make: Callable[[], T]) -> T | None:
        """What `make` gives, or None and a finding."""
        try:
            return make()
        except RelevanceError as error:
            self.findings.append(Finding.of("error", UNREADABLE, _unread(file, error)))
            return None

    def queries(self, path: Path) -> Queries | None:
        """The queries of a file; of an id that stands twice, the first."""
        repeats: Repeats = []
        found = self.read(as_shown(str(path)), lambda: read_queries(path, repeats=repeats))
        self._tell(repeats, "query", path, found)
        return found

    def corpus(self, path: Path) -> Corpus | None:
        """The documents of a file; of an id that stands twice, the first."""
        repeats: Repeats = []
        found = self.read(as_shown(str(path)), lambda: read_corpus(path, repeats=repeats))
        self._tell(repeats, "document", path, found)
        return found

    def qrels(self, path: Path, name: str, duplicates: Duplicates) -> Qrels | None:
        """The judgments of a file; two grades for one pair are an error, as they are when the suite runs."""
        return self.read(as_shown(str(path)), lambda: read_qrels(path, name=name, duplicates=duplicates))

    def run(self, path: Path, name: str, duplicates: Duplicates) -> Run | None:
        """The rankings of a file."""
        return self.read(as_shown(str(path)), lambda: read_run(path, name=name, duplicates=duplicates))

    def _tell(self, repeats: Repeats, kind: str, path: Path, found: Queries | Corpus | None) -> None:
        level = self._preflight.severity("repeated-id")
        if repeats and level is not None:
            seen = _repeated(repeats, kind, len(repeats) + len(found or ()), as_shown(str(path)))
            self.findings.append(Finding.of(level, "repeated-id", seen))


def material_of(suite: Suite, data: SuiteData, *, with_corpus: bool = True) -> Material:
    """The material of a suite whose queries and judgments are read already; stored runs are not in it."""
    return Material(
        queries=data.queries,
        qrels=data.qrels,
        corpus=data.corpus if with_corpus else None,
        grades=suite.grades,
        exponential=_is_exponential(suite),
        needs_negatives=_needs_negatives(suite),
        fold=data.fold,
        depths=_depths(suite),
        names=names_of(suite),
    )


def gather_suite(suite: Suite) -> tuple[Material, tuple[Finding, ...]]:
    """Everything a suite names, stored runs too, and what reading found. No retriever is made, let alone asked."""
    gathering, name = Gathering(suite.preflight), as_shown(str(suite.path))
    queries = gathering.read(name, lambda: file_of(suite, "queries"))
    corpus = gathering.read(name, lambda: file_of(suite, "corpus"))
    runs = {key: gathering.run(path, key, suite.duplicates) for key, path in stored_runs(suite).items()}
    material = Material(
        queries=gathering.queries(queries) if queries else _inline_queries(suite),
        qrels=_present({key: _qrels_of(gathering, suite, key) for key in suite.qrels}),
        corpus=gathering.corpus(corpus) if corpus else None,
        runs=_present(runs),
        grades=suite.grades,
        exponential=_is_exponential(suite),
        needs_negatives=_needs_negatives(suite),
        fold=gathering.read(name, lambda: fold_of(suite)),
        depths=_depths(suite),
        names=names_of(suite),
    )
    return material, tuple(gathering.findings)


def gather_files(files: Files, preflight: Preflight | None = None) -> tuple[Material, tuple[Finding, ...]]:
    """Bare files, and what reading them found.

    Raises:
        MeasureError: `fold` is no rule.
    """
    gathering = Gathering(preflight or Preflight())
    listed = files.doc_ids
    material = Material(
        queries=gathering.queries(files.queries) if files.queries else None,
        qrels=_present({name: gathering.qrels(path, name, "error") for name, path in files.qrels.items()}),
        corpus=gathering.corpus(files.corpus) if files.corpus else None,
        listed=gathering.read(as_shown(str(listed)), lambda: read_doc_ids(listed)) if listed else None,
        runs=_present({name: gathering.run(path, name, "error") for name, path in files.runs.items()}),
        grades=files.grades,
        fold=Fold.parse(files.fold) if files.fold else None,
        names=_names(files),
    )
    return material, tuple(gathering.findings)


def read_doc_ids(path: Path) -> Ids:
    """The ids of a corpus, one a line, plain or `.gz`; blank lines are skipped.

    Raises:
        DataError: the file cannot be read or holds none.
    """
    from pytest_relevance.trec.source import Source
    from pytest_relevance.trec.text import Text

    source = Source.of(path)
    ids = [line for line in Text(source, source.read()).text.splitlines() if line.strip()]
    if not ids:
        raise source.empty("doc_ids")
    return Ids.of(ids)


def names_of(suite: Suite) -> dict[str, str]:
    """How messages call the files of a suite; what is written in it is called by its own name."""
    names = {f"run.{name}": name for name in suite.retrievers}
    names |= {f"run.{name}": as_shown(str(path)) for name, path in stored_runs(suite).items()}
    sources: dict[str, object] = {"queries": suite.queries, "corpus": suite.corpus}
    sources |= {f"qrels.{name}": source for name, source in suite.qrels.items()}
    own = as_shown(str(suite.path))
    return names | {key: as_shown(str(one)) if isinstance(one, Path) else own for key, one in sources.items()}


def stored_runs(suite: Suite) -> dict[str, Path]:
    """The files of the retrievers that are files."""
    files = {name: one.plain().get("file") for name, one in suite.retrievers.items() if one.type == "run"}
    return {name: suite.path.parent / file for name, file in files.items() if isinstance(file, str)}


def _qrels_of(gathering: Gathering, suite: Suite, name: str) -> Qrels | None:
    source = suite.qrels[name]
    if isinstance(source, InlineQrels):
        return Qrels.from_dict(source.grades, name=name)
    path = gathering.read(as_shown(str(suite.path)), lambda: file_of(suite, f"qrels.{name}"))
    return gathering.qrels(path, name, suite.duplicates) if path else None


def _inline_queries(suite: Suite) -> Queries | None:
    return None if isinstance(suite.queries, Path) else Queries(suite.queries)


def _names(files: Files) -> dict[str, str]:
    single = {"queries": files.queries, "corpus": files.corpus or files.doc_ids}
    named = {f"qrels.{name}": path for name, path in files.qrels.items()}
    named |= {f"run.{name}": path for name, path in files.runs.items()}
    return {key: as_shown(str(path)) for key, path in {**single, **named}.items() if path}


def _present(records: Mapping[str, T | None]) -> dict[str, T]:
    return {name: one for name, one in records.items() if one is not None}


def _depths(suite: Suite) -> dict[str, int]:
    return {name: max((need.least for need in suite.needs_of(name)), default=0) for name in suite.retrievers}


def _measures(suite: Suite) -> list[Measure]:
    subjects = [need.subject for name in suite.retrievers for need in suite.needs_of(name)]
    return [one for one in subjects if isinstance(one, Measure)]


def _is_exponential(suite: Suite) -> bool:
    return suite.grades.gain == "exp" or any(one.params.get("gain") == "exp" for one in _measures(suite))


def _needs_negatives(suite: Suite) -> bool:
    return any(one.family == "Bpref" or "judged_only" in one.params for one in _measures(suite))


def _unread(file: str, error: RelevanceError) -> Seen:
    problems = error.problems if isinstance(error, CombinedError) else (error,)
    total = error.total if isinstance(error, CombinedError) else 1
    first = problems[0]
    more = f" (and {counted(total - 1, 'more problem')} of this kind or others)" if total > 1 else ""
    examples = tuple(f"{one.place}: {one.problem}" if one.place else one.problem for one in problems[1:])
    return Seen(f"{first.problem}{more}", total, 0, examples, str(first.place or file), first.fix or "mend the file")


def _repeated(repeats: list[Repeat], kind: str, of: int, file: str) -> Seen:
    other = [one for one in repeats if not one.same]
    text = f"{len(other):,} of them with another text" if other else "all with the same text"
    ids = len({one.record_id for one in repeats})
    many = "queries repeat" if kind == "query" else f"{kind}s repeat"
    return Seen(
        f"{counted(len(repeats), f'{kind} repeats', many)} an id that stands earlier ({counted(ids, 'id')}; {text})",
        len(repeats),
        of,
        tuple(f"{shown(one.record_id)} at {one.place}, first at {one.first}" for one in (other or repeats)[:5]),
        file,
        f"give each {kind} an id of its own" if other else f"keep each {kind} once",
    )
