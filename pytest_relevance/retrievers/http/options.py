"""The options of `type: http`, which every preset has too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Tag,
    model_validator,
)

from pytest_relevance.retrievers.dense.options import QueryModelOptions
from pytest_relevance.retrievers.http.multi import MultiSearch
from pytest_relevance.retrievers.http.paths import json_path, xml_list, xml_value
from pytest_relevance.retrievers.http.secrets import Secrets, written_credentials
from pytest_relevance.retrievers.http.templates import TemplateSyntaxError, compile_tree, compile_value
from pytest_relevance.suite.forms import misfit

Seconds: TypeAlias = Annotated[float, Field(gt=0, le=86_400)]
# `Any` where a text may hold a secret: a text marked as coming from the environment keeps its mark only there.
Template: TypeAlias = Any


class Part(BaseModel):
    """What all tables of options share. They print nothing of themselves: they may hold secrets."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    __str__ = __repr__


class WithSecrets(Part):
    """Options that may hold secrets: they know which, so that no message does."""

    _secrets: Secrets = PrivateAttr(default_factory=Secrets)
    _written: tuple[str, ...] = PrivateAttr(default=())

    @property
    def secrets(self) -> Secrets:
        return self._secrets

    @property
    def written_credentials(self) -> tuple[str, ...]:
        """Options with a literal that looks like a credential."""
        return self._written

    @model_validator(mode="wrap")
    @classmethod
    def _keep_secrets(cls, written: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        options = handler(written)
        if isinstance(written, Mapping):
            options._secrets = Secrets.of(written)
            options._written = tuple(dict.fromkeys(written_credentials(written)))
        return options


class Timeouts(Part):
    """Seconds, each for one try."""

    connect: Seconds = 5.0
    read: Seconds = 15.0  # without a byte
    total: Seconds = 30.0  # from the request to the end of the answer


class Tls(Part):
    """How the service is known, and how we are known to it. Files are beside the suite."""

    verify: bool = True
    ca: str | None = None  # a file of certificates to trust, instead of the system's
    certificate: str | None = None  # a client certificate
    key: str | None = None  # its key, where the certificate's file does not hold it
    password: Template = None  # of the key


class Auth(Part):
    """Basic authentication, or a token."""

    user: Template = None
    password: Template = None
    bearer: Template = None


class Pages(Part):
    """How to go on where one answer holds fewer documents than wanted."""

    by: Literal["offset", "page", "cursor", "search_after"]
    size: Annotated[int, Field(ge=1)] = 100  # documents asked for at once; `size` in templates
    first: Annotated[int, Field(ge=0)] = 1  # number of the first page, with `by: page`
    next: str | None = None  # path to what the next request sends as `cursor`
    start: Template = None  # `cursor` of the first request; none: `omit`
    until: Literal["short", "empty"] = "short"  # a page that is not full ends it, or only one that is empty

    @model_validator(mode="after")
    def _has_next(self) -> Self:
        if self.by in ("cursor", "search_after") and self.next is None:
            raise misfit(f"pages by {self.by} need the path to the next one", "add 'next: PATH'", key="by")
        return self


class Endpoint(Part):
    """A service that turns the query into a vector first; in the search it is `vector`."""

    url: Template
    model: Template = None
    input: Template = "{{ query.text }}"
    body: Template = None  # instead of {model, input: [input]}
    headers: dict[str, Template] = Field(default_factory=dict)
    vector: str = "data[0].embedding"


class LocalModel(Part, QueryModelOptions):
    """A model on this machine that does the same, with the options of `type: dense`."""


def _endpoint_or_model(written: object) -> str:
    has_address = "url" in written if isinstance(written, Mapping) else isinstance(written, Endpoint)
    return "<endpoint>" if has_address else "<model>"


Embedding: TypeAlias = Annotated[
    Annotated[Endpoint, Tag("<endpoint>")] | Annotated[LocalModel, Tag("<model>")], Discriminator(_endpoint_or_model)
]


class HttpOptions(WithSecrets):
    """What a suite may say beside `type: http`."""

    url: Template
    method: Literal["GET", "POST", "PUT", "DELETE"] | None = None  # none: POST with a body, else GET
    headers: dict[str, Template] = Field(default_factory=dict)
    params: dict[str, Template] = Field(default_factory=dict)
    body: Template = None
    auth: Auth | None = None
    embed: Embedding | None = None  # with a `url` an endpoint, without one a model here

    format: Literal["json", "xml"] = "json"
    namespaces: dict[str, str] = Field(default_factory=dict)  # prefixes in XML paths
    hits: str = "hits"  # path to the list of documents
    shape: Literal["objects", "rows", "columns"] = "objects"
    columns: str | tuple[str, ...] | None = None  # of `shape: rows`: the names, or the path to them
    id: str = "id"  # path in a document
    score: str | None = None
    score_order: Literal["descending", "ascending"] = "descending"  # ascending: distances, negated when read
    order: Literal["given", "score"] = "given"
    fields: tuple[str, ...] | dict[str, str] = ()  # names, or name: path
    fields_in: str | None = None  # where the names of `fields` are looked up in a document
    total: str | None = None
    total_at_least: str | None = None  # path that is true where the total is only a lower bound
    error: str | None = None  # path that is there in an answer that is an error
    partial: str | None = None  # path that is true of an answer with parts missing
    allow_partial: bool = False
    missing_hits: Literal["error", "empty"] = "error"  # what an answer without the list means

    pages: Pages | None = None
    multi: Annotated[int, Field(ge=1, le=1000)] = 1  # queries in one request

    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    rate: Annotated[float, Field(gt=0)] | None = None  # requests a second
    tries: Annotated[int, Field(ge=1, le=20)] = 3
    longest_wait: Seconds = 30.0  # between two tries, whatever the service asks for
    give_up_after: Seconds = 5.0  # of a service that answers nothing
    timeout: Seconds | Timeouts = Timeouts()
    most_megabytes: Annotated[float, Field(gt=0)] = 64.0  # of one answer
    http2: bool = False
    proxy: Template = "environment"  # or none, or an address
    tls: Tls = Tls()

    multi_search: ClassVar[MultiSearch | None] = None  # how a preset's service takes many queries at once

    def completed(self) -> HttpOptions:
        """These options with all that a preset knows of its service."""
        return self

    @property
    def timeouts(self) -> Timeouts:
        if isinstance(self.timeout, Timeouts):
            return self.timeout
        total = self.timeout
        return Timeouts(connect=min(5.0, total), read=total, total=total)

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        self._check_url()
        for key, value in (("body", self.body), ("headers", self.headers), ("params", self.params)):
            check_template(key, value)
        for key, path in self._paths():
            _check_path(key, path, self)
        if self.shape == "rows" and self.columns is None:
            raise misfit("shape: rows needs the names of the columns", "add 'columns: PATH' or a list", key="shape")
        if self.multi > 1 and self.multi_search is None:
            raise misfit("this type has no request for many queries at once", "remove multi", key="multi")
        return self

    def _check_url(self) -> None:
        url = self.url if isinstance(self.url, str) else ""
        check_template("url", url)
        try:
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or "{{" in url.partition("://")[2].partition("/")[0]:
            raise misfit("url is no address of a service", "write it as http://host:port/path", key="url")

    def _paths(self) -> Iterator[tuple[str, str]]:
        for key in ("hits", "id", "score", "fields_in", "total", "total_at_least", "error", "partial"):
            path = getattr(self, key)
            if path is not None:
                yield key, path
        yield from (("fields", path) for path in (self.fields.values() if isinstance(self.fields, dict) else ()))
        if self.pages and self.pages.next:
            yield "pages", self.pages.next


def check_template(key: str, value: object) -> None:
    """Say that a template cannot be read, at its place."""
    try:
        compile_tree(value) if not isinstance(value, str) else compile_value(value)
    except TemplateSyntaxError as error:
        raise misfit(f"the template in {key} cannot be read: {error.message}", "close every '{{'", key=key) from None


def _check_path(key: str, path: str, options: HttpOptions) -> None:
    try:
        if options.format == "json":
            json_path(path)
        else:
            (xml_list if key == "hits" else xml_value)(path, options.namespaces)
    except ValueError as error:
        language = "JMESPath" if options.format == "json" else "XPath"
        raise misfit(f"the path in {key} cannot be read: {error}", f"write a {language} expression", key=key) from None
