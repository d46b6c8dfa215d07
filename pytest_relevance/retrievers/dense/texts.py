"""What all kinds with an encoder share: the store they fill, and what they tell of their run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Corpus, Ids, Query, Run
from pytest_relevance.records.ids import Integers
from pytest_relevance.retrievers.dense.encoder import Role, RunnableEncoder, Spent, parameters_of
from pytest_relevance.retrievers.dense.filling import EMPTY, UNUSABLE, Filling, Progress
from pytest_relevance.retrievers.dense.library import version_of
from pytest_relevance.retrievers.dense.reference import ModelReference
from pytest_relevance.retrievers.dense.shelves import STORES
from pytest_relevance.retrievers.dense.store import VectorStore, open_store
from pytest_relevance.retrievers.needed_corpus import hash_of
from pytest_relevance.retrievers.protocol import WARNINGS, RetrieverContext, RetrieverEntry

_SHOWN = 3  # documents named in an error
_LIBRARIES = ("sentence-transformers", "transformers", "torch", "faiss-cpu")


@dataclass
class EncodedTexts:
    """The documents of a corpus in the store, and the queries as they come. Closed with the retriever."""

    config: RetrieverEntry
    context: RetrieverContext
    corpus: Corpus
    reference: ModelReference
    encoder: RunnableEncoder
    description: Mapping[str, object]  # all that decides the numbers of a row
    dtype: str
    width: int | None = None
    spent: Spent = field(default_factory=Spent)
    doc_ids: Ids = field(init=False)
    rows: Integers = field(init=False)  # (documents,)
    store: VectorStore = field(init=False)
    notes: list[str] = field(default_factory=list)
    more: dict[str, object] = field(default_factory=dict)  # what the kind adds to the provenance
    _open: ExitStack = field(default_factory=ExitStack)

    def open_store(self) -> None:
        """Open the store, and encode nothing yet."""
        self.store = self._opened()
        self._open.callback(self.store.close)

    def open(self, fields: Sequence[str]) -> None:
        """Open the store and encode what it does not have of these fields (none named: every text field).

        Raises:
            RetrieverError: the model gives numbers that are not finite, or other vectors than those stored.
        """
        self.open_store()
        self.doc_ids = self.corpus.doc_ids
        total = len(self.corpus)
        self.rows = self.fill(self.corpus.texts(fields), "document", total)
        unusable = np.flatnonzero(self.rows == UNUSABLE)
        if len(unusable):
            names = ", ".join(repr(self.doc_ids[int(place)]) for place in unusable[:_SHOWN])
            raise RetrieverError(
                f"retriever {self.config.name!r}: the model gives numbers that are not finite for "
                f"{len(unusable)} of {total} documents: {names}{', …' if len(unusable) > _SHOWN else ''}",
                place=self.config.place,
                fix="take 'dtype: float32' and 'store: float32'; if it stays, the model is damaged",
            )

    def close(self) -> None:
        """Let go of the store."""
        self._open.close()

    def queries(self, queries: Sequence[Query]) -> Integers:
        """The row of each query, or EMPTY, or UNUSABLE; shape (queries,)."""
        return self.fill([query.text for query in queries], "query")

    def signed(self, run: Run, queries: Sequence[Query], of_queries: Integers, search_seconds: float) -> Run:
        """The run with what failed, how it was made, and what its reader should know."""
        provenance = self.provenance(search_seconds)
        return replace(
            run,
            failures=self.failures(queries, of_queries),
            notes=(*run.notes, *self.told(provenance)),
            provenance=provenance,
        )

    def failures(self, queries: Sequence[Query], rows: Integers) -> dict[str, str]:
        """Why some queries did not run."""
        why = "the model gives numbers that are not finite for it"
        return {queries[int(place)].query_id: why for place in np.flatnonzero(rows == UNUSABLE)}

    def made_by(self, search_seconds: float) -> dict[str, object]:
        """Model, libraries, device and times, as plain values."""
        encoded = sum(self.spent.texts.values())
        return {
            **self.description,
            **self.more,
            "query_prompt": self.encoder.prompt("query"),
            "document_prompt": self.encoder.prompt("document"),
            "parameters": parameters_of(self.encoder.model),
            "device": str(getattr(self.encoder.model, "device", "")),
            "batch_size": self.encoder.batch_size,
            "versions": {name: version_of(name) for name in _LIBRARIES},
            "encode_seconds": round(self.spent.seconds, 3),
            "vectors_per_second": round(encoded / self.spent.seconds, 1) if encoded else None,
            "search_seconds": round(search_seconds, 3),
            WARNINGS: [*self.notes, *self.warnings()],
        }

    def provenance(self, search_seconds: float) -> dict[str, object]:
        """How the run was made, as plain values."""
        asked = self.rows[self.rows >= 0]
        return self.made_by(search_seconds) | {
            "documents": len(self.rows),
            "documents_empty": int((self.rows == EMPTY).sum()),
            "documents_cut_share": float(self.store.cut(asked).mean()) if len(asked) else 0.0,
            "encoded_documents": self.spent.texts["document"],
            "encoded_queries": self.spent.texts["query"],
        }

    def told(self, provenance: Mapping[str, Any]) -> tuple[str, ...]:
        """The same as a reader of the terminal wants it."""
        name = self.config.name
        encoded, kept = self.spent.texts["document"], len(np.unique(self.rows[self.rows >= 0]))
        notes = [*self.notes, self.model_told(f"{encoded} of {kept} texts encoded", stored=encoded < kept)]
        cut, empty = provenance["documents_cut_share"], provenance["documents_empty"]
        if cut:
            notes.append(f"{name}: {cut:.1%} of the documents are longer than {self.encoder.max_tokens} tokens and cut")
        if empty:
            notes.append(f"{name}: {empty} documents have no text and are never found")
        return (*notes, *self.warnings())

    def told_of_queries(self, rows: Integers) -> tuple[str, ...]:
        """The same where only queries were encoded; `rows` as `queries` gives them."""
        name, encoded, used = self.config.name, self.spent.texts["query"], np.unique(rows[rows >= 0])
        notes = [*self.notes, self.model_told(f"{encoded} of {len(used)} queries encoded", stored=encoded < len(used))]
        cut = int(self.store.cut(used).sum())
        if cut:
            notes.append(f"{name}: {cut} queries are longer than {self.encoder.max_tokens} tokens and cut")
        return (*notes, *self.warnings())

    def model_told(self, done: str, *, stored: bool) -> str:
        """One line on the model and what it had to do."""
        count, encoded = parameters_of(self.encoder.model), sum(self.spent.texts.values())
        told = f"{count / 1e6:.1f} M" if count and count >= 1e5 else str(count)
        size = f", {told} parameters" if count else ""
        revision = f"@{self.reference.revision[:12]}" if self.reference.revision else ""
        rate = f" at {encoded / self.spent.seconds:.1f} a second" if encoded else ""
        rest = ", the others were stored" if stored else ""
        return f"{self.config.name}: {self.reference.shown}{revision}{size}; {done}{rate}{rest}"

    def warnings(self) -> list[str]:
        """What else about the way the model was run should be known."""
        name, notes = self.config.name, []
        if not self.encoder.counts_tokens:
            notes.append(f"{name}: its tokenizer does not tell which texts are longer than it reads")
        if self.encoder.batch_size < self.encoder.options.batch_size:
            notes.append(f"{name}: memory was short; batches of {self.encoder.batch_size} fitted")
        if self.encoder.options.trust_remote_code:
            notes.append(f"{name}: trust_remote_code is on, so Python that came with the model was run")
        return notes

    def fill(self, texts: Iterable[str], role: Role, total: int | None = None) -> Integers:
        """The row of each text, or EMPTY, or UNUSABLE; what the store does not have is encoded.

        `total` texts are told of as they are done, where somebody wants to know.
        """
        filling = Filling(self.store, self.encoder, self.encoder.options.batch_size, self.spent)
        try:
            return filling.rows(texts, role, None if total is None else self._saying(total))
        except OSError as error:
            raise RetrieverError(
                f"retriever {self.config.name!r} cannot write to {self.store.folder}: {error.strerror or error}",
                place=self.config.place,
                fix="make room there, or name another folder for the cache",
            ) from error

    def _saying(self, total: int) -> Progress | None:
        report = self.context.progress
        return None if report is None else (lambda done: report(self.config.name, done, total, "texts"))

    def _opened(self) -> VectorStore:
        # Which name a model goes by is for people; its identity tells it apart.
        name = hash_of({key: value for key, value in self.description.items() if key != "model"})
        try:
            if self.context.cache is not None:
                return self._checked(self.context.cache / STORES / name)
        except OSError as error:
            self.notes.append(f"{self.config.name}: nothing is kept, as the cache cannot be used: {error.strerror}")
        return self._checked(Path(self._open.enter_context(tempfile.TemporaryDirectory())) / name)

    def _checked(self, folder: Path) -> VectorStore:
        try:
            return open_store(folder, self.description, self.dtype, width=self.width)
        except RetrieverError as error:
            raise RetrieverError(
                f"retriever {self.config.name!r}: {error.problem}", place=self.config.place, fix=error.fix
            ) from error


class HoldsTexts:
    """A retriever that has its texts from when it is opened until it is closed."""

    _texts: EncodedTexts | None = None

    @property
    def texts(self) -> EncodedTexts:
        """The store and the model, while the retriever is open."""
        if self._texts is None:
            raise RuntimeError("a retriever is opened, as a context manager, before it retrieves")
        return self._texts

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._texts is not None:
            self._texts.close()
            self._texts = None


class Stopwatch:
    """Seconds inside `with`, added up."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._began
