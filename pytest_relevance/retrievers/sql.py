"""`type: sql`: a query in SQL over any database that SQLAlchemy knows. What people type is bound, never in the SQL."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from pydantic import Field, model_validator

from pytest_relevance.errors import Place, RetrieverError
from pytest_relevance.records import Query
from pytest_relevance.records.run import Order
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import Template, WithSecrets, check_template
from pytest_relevance.retrievers.http.requests import str_of
from pytest_relevance.retrievers.http.templates import QueryView, compile_value
from pytest_relevance.retrievers.protocol import Hit, PlannedRequests, Ranked, RetrieverContext, RetrieverEntry
from pytest_relevance.retrievers.recorded import RecordedAnswer, why_not_replayed


class SqlOptions(WithSecrets):
    """What a suite may say beside `type: sql`."""

    url: Template  # as SQLAlchemy writes it: postgresql+psycopg://user:password@host/database
    sql: str  # with :text, :depth, :query_id, every attribute of the query, and what `params` names
    params: dict[str, Template] = Field(default_factory=dict)  # name: template, bound too
    id: str = "id"  # columns of what comes back
    score: str | None = None
    fields: tuple[str, ...] = ()
    order: Order = "given"  # the rows' own; score: by score, equal ones by doc_id

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        check_template("params", self.params)
        return self


class SqlRetriever:
    """Asks a database query by query. One that fails is answered with its error, and nothing is ever changed there."""

    def __init__(
        self, config: RetrieverEntry, context: RetrieverContext, options: SqlOptions, library: Any, url: Any
    ) -> None:
        self._name = config.name
        self._place = config.place
        self._options = options
        self._recordings = context.recordings
        self._params = {name: compile_value(str_of(value)) for name, value in options.params.items()}
        self._open = ExitStack()
        self._connection: Any = None
        self._library = library  # SQLAlchemy
        self._url = url
        self._statement = self._library.text(options.sql)
        self._names = tuple(self._statement.compile().params)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.close()  # what was not committed, which is all, is rolled back
        if self._recordings is not None:
            self._recordings.settle(self._name)

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Generator[Ranked, None, None]:
        """Each query's rows, or what was recorded of them.

        Raises:
            RetrieverError: there is no connection to the database.
        """
        for query in queries:
            yield self._ready(query, depth) or self._asked(query, depth)

    def plan(self, queries: Sequence[Query], *, depth: int) -> tuple[PlannedRequests, ...]:
        """A request for each query that no recording answers, where the database is behind a network."""
        if not self._url.host:
            return ()
        port = f":{self._url.port}" if self._url.port else ""
        count = sum(1 for query in queries if self._ready(query, depth) is None)
        return (PlannedRequests(f"{self._url.get_backend_name()}://{self._url.host}{port}", count, count),)

    def notes(self) -> tuple[str, ...]:
        """What a reader of the run should know."""
        return tuple(
            f"{self._name}: {option!r} holds a literal that looks like a key: write it as ${{NAME}} and set it in the "
            "environment"
            for option in self._options.written_credentials
        )

    def _ready(self, query: Query, depth: int) -> Ranked | None:
        """What is known without asking: a recorded answer, or that there can be none; None: ask."""
        try:
            bound = self._bound(query, depth)
        except NotAnswered as failure:
            return self._failed(query, failure)
        if self._recordings is None:
            return None
        recorded = self._recordings.find(self._name, self._key(bound, depth))
        if recorded is not None:
            return Ranked(query.query_id, recorded.hits, order=self._options.order)
        reason = why_not_replayed(self._recordings, self._name, query.query_id)
        return None if reason is None else Ranked(query.query_id, error=reason)

    def _asked(self, query: Query, depth: int) -> Ranked:
        bound = self._bound(query, depth)
        connection = self._connected()
        began = perf_counter()
        try:
            rows = self._rows(connection, bound, depth)
            hits = tuple(self._hit(row, rank) for rank, row in enumerate(rows, start=1))
        except NotAnswered as failure:
            return self._failed(query, failure)
        seconds = perf_counter() - began
        if self._recordings is not None:
            time = datetime.now(UTC).isoformat(timespec="seconds")
            kept = RecordedAnswer(self._key(bound, depth), query.query_id, hits, engine=_engine(connection), time=time)
            self._recordings.keep(self._name, kept)
        return Ranked(query.query_id, hits, order=self._options.order, seconds=seconds)

    def _failed(self, query: Query, failure: NotAnswered) -> Ranked:
        return Ranked(query.query_id, error=self._options.secrets.mask(failure.reason))

    def _bound(self, query: Query, depth: int) -> dict[str, Any]:
        """The value of each name in the SQL.

        Raises:
            NotAnswered: a name means nothing for this query.
        """
        names = {"query": QueryView(query), "depth": depth}
        own = {"text": query.text, "query_id": query.query_id, "depth": depth}
        known: dict[str, Any] = {**query.attributes, **own}
        values = {}
        for name in self._names:
            if name in self._params:
                values[name] = self._params[name](names)
            elif name in known:
                values[name] = known[name]
            else:
                raise NotAnswered(f"the SQL says :{name}, which this query does not have")
        return values

    def _rows(self, connection: Any, bound: Mapping[str, Any], depth: int) -> Sequence[Mapping[str, Any]]:
        try:
            found: Sequence[Mapping[str, Any]] = connection.execute(self._statement, bound).mappings().fetchmany(depth)
            return found
        except (self._library.exc.SQLAlchemyError, ValueError, TypeError, OverflowError) as error:
            connection.rollback()  # the others are raised by databases' libraries for values that they cannot send
            raise NotAnswered(_words(error)) from None

    def _connected(self) -> Any:
        if self._connection is None:
            engine = self._library.create_engine(self._url)
            self._open.callback(engine.dispose)
            try:
                self._connection = self._open.enter_context(engine.connect())
            except self._library.exc.SQLAlchemyError as error:
                told = self._options.secrets.mask(_words(error))
                fix = "check 'url', and that the database is up"
                raise RetrieverError(f"{self._name} cannot connect: {told}", place=self._place, fix=fix) from None
        return self._connection

    def _hit(self, row: Mapping[str, Any], rank: int) -> Hit:
        options = self._options
        for column in (options.id, *([options.score] if options.score else []), *options.fields):
            if column not in row:
                raise NotAnswered(f"what comes back has no column {column!r}, but {', '.join(map(repr, row))}")
        if row[options.id] is None:
            raise NotAnswered(f"the row at rank {rank} has no {options.id!r}")
        score = None if options.score is None else row[options.score]
        fields = {name: _plain(row[name]) for name in options.fields}
        return Hit(str(row[options.id]), None if score is None else _plain(score), fields)

    def _key(self, bound: Mapping[str, Any], depth: int) -> str:
        told = self._options.secrets.mask_credentials(_json([_deciding(self._options), dict(bound), depth]))
        return _hash(told)


class SqlKind:
    """Makes retrievers over a database."""

    def __call__(self, config: RetrieverEntry, context: RetrieverContext) -> SqlRetriever:
        """A retriever that connects when it is first to ask.

        Raises:
            SuiteError: an option is unknown or does not fit, at its place.
            RetrieverError: the SQL cannot be read, or the url is none.
            ModuleNotFoundError: SQLAlchemy or the database's own library is not installed.
        """
        options = config.validate(SqlOptions)
        library = import_module("sqlalchemy")
        try:
            url = library.make_url(str_of(options.url))
            dialect = url.get_dialect()
        except library.exc.ArgumentError:  # its words hold the url
            fix = "write it as SQLAlchemy does: postgresql+psycopg://user:password@host/database, sqlite:///shop.db"
            raise RetrieverError("url is no address of a database", place=config.place, fix=fix) from None
        if context.recordings is None or not context.recordings.replaying:
            dialect.import_dbapi()
            url = _in_folder(url, context.folder, config.place)
        return SqlRetriever(config, context, options, library, url)

    def fingerprint(self, config: RetrieverEntry, context: RetrieverContext) -> str:  # noqa: ARG002 - its protocol
        """Decided by the SQL and how its rows are read; what the database holds is not ours to know."""
        options = config.validate(SqlOptions)
        return _hash(options.secrets.mask_credentials(_json(_deciding(options))))


def _deciding(options: SqlOptions) -> dict[str, Any]:
    return options.model_dump(mode="json", exclude={"url"})


def _json(parts: object) -> str:
    return json.dumps(parts, sort_keys=True, default=str)


def _hash(told: str) -> str:
    return blake2b(told.encode("ascii"), digest_size=16).hexdigest()


def _in_folder(url: Any, folder: Path, place: Place | None) -> Any:
    """The url with the path of a database in a file, which begins at the suite's folder, and must be there."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return url
    path = folder / str(url.database)
    if not path.is_file():  # SQLite would make an empty one
        raise RetrieverError(f"there is no database {path.name!r}", place=place, fix="check the path in 'url'")
    return url.set(database=str(path))


def _engine(connection: Any) -> str:
    """The database's name and version."""
    dialect = connection.dialect
    return f"{dialect.name} {'.'.join(map(str, getattr(dialect, 'server_version_info', None) or ()))}".strip()


def _words(error: Any) -> str:
    """The database's own words; SQLAlchemy's hold the whole statement, its values and a link."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


def _plain(value: Any) -> Any:
    """A column's value as JSON holds it."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Decimal):
        return float(value)
    return json.loads(json.dumps(value, default=str)) if isinstance(value, list | dict) else str(value)


sql = SqlKind()
