"""What a retriever is, what it answers, and what a kind of retriever is given to make one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar, overload, runtime_checkable

from pydantic import BaseModel

from pytest_relevance.errors import Place
from pytest_relevance.records import Corpus, Duplicates, Ids, Query, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.run import Order

if TYPE_CHECKING:
    from pytest_relevance.retrievers.recorded import Recordings

Options = TypeVar("Options", bound=BaseModel)


# In the provenance of a run: lines that are told at the end of a session, whatever comes of its checks.
WARNINGS = "warnings"


class Hit(NamedTuple):
    """One document of an answer."""

    doc_id: str
    score: float | None = None  # None: the service ranks without telling a number (only with `order="given"`)
    fields: Mapping[str, object] = {}  # kept for assertions and reports; what JSON can hold


@dataclass(frozen=True)
class HitColumns(Sequence[Hit]):
    """Hits as columns, for retrievers with long answers; shapes: codes and scores (hits,)."""

    doc_ids: Ids  # the retriever's whole vocabulary
    codes: Integers
    scores: Floats

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> HitColumns: ...
    def __getitem__(self, index: int | slice) -> Hit | HitColumns:
        if isinstance(index, slice):
            return HitColumns(self.doc_ids, self.codes[index], self.scores[index])
        return Hit(self.doc_ids[int(self.codes[index])], float(self.scores[index]))

    def __iter__(self) -> Iterator[Hit]:
        return map(Hit, self.doc_ids.take(self.codes), self.scores.tolist())


@dataclass(frozen=True)
class Ranked:
    """The answer to one query: documents (none of them is an answer too), or the error that stopped it."""

    query_id: str
    hits: Sequence[Hit] = ()
    error: str | None = None  # why the query did not run; the hits are then ignored
    order: Order = "score"  # "score": ordered by score when the run is made; "given": the hits stand best first
    seconds: float | None = None  # from asking to the answer; None: not told, as where many are answered at once


class Retriever(Protocol):
    """Something that ranks documents for queries. It is opened as a context manager around all its work."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None: ...

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterable[Ranked]:
        """An answer for each query, in any order, each as soon as it is ready; at most `depth` documents are used.

        A query that fails is answered with its `error`, and the others go on.

        Raises:
            RetrieverError: nothing can be retrieved at all.
        """
        ...


@runtime_checkable
class WholeRuns(Protocol):
    """A retriever that has all its rankings as one Run already, such as a run file or a fusion."""

    def whole_run(self, queries: Sequence[Query], *, depth: int) -> Run:
        """The run for these queries, in their order, cut at `depth`; each query is in it or in its failures."""
        ...


@runtime_checkable
class WithNotes(Protocol):
    """A retriever that tells what a reader of its run should know, once it has retrieved."""

    def notes(self) -> Sequence[str]:
        """Lines that begin with the retriever's name."""
        ...


class PlannedRequests(NamedTuple):
    """How many requests would go where."""

    service: str  # scheme, host and port
    requests: int  # where each answer holds all that is wanted
    most: int  # where every query needs all its pages


@runtime_checkable
class Planning(Protocol):
    """A retriever over a network that can tell what it would ask, without asking."""

    def plan(self, queries: Sequence[Query], *, depth: int) -> Sequence[PlannedRequests]:
        """The requests that `retrieve` would make."""
        ...


class RetrieverEntry(Protocol):
    """What a kind needs to know of its entry under `retrievers:`; `pytest_relevance.suite.RetrieverConfig` is one."""

    def validate(self, model: type[Options], /) -> Options:
        """The entry's options as the kind's own model.

        Raises:
            SuiteError: unknown keys or wrong values, each at its place.
        """
        ...

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def place(self) -> Place | None: ...


class RetrieverKind(Protocol):
    """Makes a retriever from its entry in a suite. A plain function is a kind.

    It may carry more functions:
    `depends_on(config) -> tuple[str, ...]`: the retrievers whose runs it needs, by name;
    `part_depth(config, depth) -> int`: documents it needs of each of them to give `depth`, where it is not as many;
    `fingerprint(config, context) -> str`: a hash of all that decides its rankings (corpus, options, versions).
    """

    def __call__(self, config: Any, context: RetrieverContext) -> Retriever: ...


RunOf = Callable[[str, Sequence[Query], int], Run]  # name of a retriever, queries, depth → its run


class Progress(Protocol):
    """Whom a retriever's work is told to while it goes on; a terminal shows it."""

    def __call__(self, retriever: str, done: int, total: int, what: str = "queries") -> None:
        """Say that `done` of `total` are done."""
        ...


@dataclass
class RetrieverContext:
    """What the suite around a retriever offers it. One context serves all retrievers of a suite."""

    folder: Path  # the suite's folder: relative paths start here
    load_corpus: Callable[[], Corpus] | None = None  # called once, and only for a retriever that needs documents
    cache: Path | None = None  # a folder for indexes; None: nothing is kept
    run_of: RunOf | None = None  # the run of another retriever of the suite, each retrieved once
    duplicates: Duplicates = "error"
    progress: Progress | None = None  # told while a retriever prepares its documents
    recordings: Recordings | None = None  # where answers over the network are kept, or read from instead of asking
    _corpus: Corpus | None = field(default=None, init=False, repr=False)
    _hashes: dict[tuple[str, ...], str] = field(default_factory=dict, init=False, repr=False)

    @property
    def corpus(self) -> Corpus | None:
        """The suite's documents, read when first asked for; None where the suite has no corpus."""
        if self._corpus is None and self.load_corpus is not None:
            self._corpus = self.load_corpus()
        return self._corpus

    def corpus_hash(self, fields: Sequence[str] = ()) -> str:
        """A hash of the ids and of the text that these fields (default: every text field) give; "" without a corpus."""
        chosen = tuple(fields)
        if chosen not in self._hashes:
            self._hashes[chosen] = "" if self.corpus is None else _hash_of_texts(self.corpus, chosen)
        return self._hashes[chosen]


class Opened:
    """The context manager of a retriever that has nothing to close."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Nothing to close."""


def _hash_of_texts(corpus: Corpus, fields: tuple[str, ...]) -> str:
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for doc_id, text in zip(corpus, corpus.texts(fields), strict=True):
        for part in (doc_id, text):
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little"))  # so that no two corpora read alike end to end
            digest.update(encoded)
    return digest.hexdigest()
