"""`type: run`: rankings that were written to a file before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records import Duplicates, Query, Run
from pytest_relevance.retrievers.aligned import aligned, answers
from pytest_relevance.retrievers.protocol import Opened, Ranked, RetrieverContext, RetrieverEntry

_SHOWN = 5  # absent queries named in a note
ABSENT = "absent"  # the key of provenance under which the queries stand that a file does not have


class RunFileOptions(BaseModel):
    """What a suite may say beside `type: run`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str  # beside the suite; plain or .gz, any format a run can be read from


class RunFileRetriever(Opened):
    """Gives back the rankings of a file, for the queries that are asked for."""

    def __init__(self, file: Path, name: str, duplicates: Duplicates) -> None:
        self._file = file
        self._name = name
        self._duplicates = duplicates

    def whole_run(self, queries: Sequence[Query], *, depth: int) -> Run:
        """The file's run for these queries. One that is not in the file returned nothing: it is empty, and noted.

        Raises:
            DataError: a line of the file is wrong, at its place.
        """
        from pytest_relevance.trec import read_run

        run = read_run(self._file, duplicates=self._duplicates, name=self._name)
        query_ids = [query.query_id for query in queries]
        absent = [query_id for query_id in query_ids if query_id not in run]
        if absent:
            shown = ", ".join(absent[:_SHOWN]) + (", …" if len(absent) > _SHOWN else "")
            note = f"{self._name}: {len(absent)} of {len(query_ids)} queries are not in {self._file.name}: {shown}"
            provenance = {**run.provenance, ABSENT: absent}
            run = replace(run, notes=(*run.notes, note), provenance=provenance)
        return aligned(run, query_ids).cut(depth)

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:
        """The same, query by query."""
        return answers(self.whole_run(queries, depth=depth))


class RunFileKind:
    """Makes retrievers of run files."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> RunFileRetriever:
        """A retriever of the file, which must be there.

        Raises:
            SuiteError: the options are not `file`.
            RetrieverError: there is no such file.
        """
        return RunFileRetriever(_file(config, context), config.name, context.duplicates)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:
        """Decided by what is in the file, not by where it lies."""
        with _file(config, context).open("rb") as file:
            digest = blake2b(digest_size=16)
            while block := file.read(1 << 20):
                digest.update(block)
        return f"run:{context.duplicates}:{digest.hexdigest()}"


def _file(config: RetrieverEntry, context: RetrieverContext) -> Path:
    options: RunFileOptions = config.validate(RunFileOptions)
    file = context.folder / options.file
    if not file.is_file():
        raise RetrieverError(
            f"retriever {config.name!r} reads {options.file!r}, and there is no such file",
            place=config.place,
            fix=f"write the path from the suite's folder ({context.folder}), or record the run there",
        )
    return file


run_file = RunFileKind()
