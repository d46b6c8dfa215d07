"""The kinds of retrievers by name, and the making of a retriever from its entry in a suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib import import_module

from pytest_relevance.errors import RetrieverError, SuiteError, suggestion
from pytest_relevance.retrievers.protocol import Retriever, RetrieverContext, RetrieverEntry, RetrieverKind


class LazyKinds(Mapping[str, RetrieverKind]):
    """Kinds by name; a kind's module is imported when the kind is first looked up."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)  # name → "module:attribute"

    def __getitem__(self, name: str) -> RetrieverKind:
        module, _, attribute = self._sources[name].partition(":")
        kind: RetrieverKind = getattr(import_module(module), attribute)
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self._sources  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


BUILTIN: Mapping[str, RetrieverKind] = LazyKinds(
    {
        "bm25": "pytest_relevance.retrievers.bm25:bm25",
        "run": "pytest_relevance.retrievers.runfile:run_file",
        "function": "pytest_relevance.retrievers.function:function",
        "fuse": "pytest_relevance.retrievers.fuse:fuse",
        "sql": "pytest_relevance.retrievers.sql:sql",
        "http": "pytest_relevance.retrievers.http.kind:http",
        "elasticsearch": "pytest_relevance.retrievers.http.elasticsearch:elasticsearch",
        "typesense": "pytest_relevance.retrievers.http.typesense:typesense",
        "opensearch": "pytest_relevance.retrievers.http.presets.opensearch:opensearch",
        "solr": "pytest_relevance.retrievers.http.presets.solr:solr",
        "vespa": "pytest_relevance.retrievers.http.presets.vespa:vespa",
        "meilisearch": "pytest_relevance.retrievers.http.presets.meilisearch:meilisearch",
        "algolia": "pytest_relevance.retrievers.http.presets.algolia:algolia",
        "qdrant": "pytest_relevance.retrievers.http.presets.qdrant:qdrant",
        "weaviate": "pytest_relevance.retrievers.http.presets.weaviate:weaviate",
        "mediawiki": "pytest_relevance.retrievers.http.presets.mediawiki:mediawiki",
        "brave": "pytest_relevance.retrievers.http.presets.brave:brave",
        "anserini": "pytest_relevance.retrievers.http.presets.anserini:anserini",
        "datasette": "pytest_relevance.retrievers.http.presets.datasette:datasette",
        "dense": "pytest_relevance.retrievers.dense.retriever:dense",
        "sparse": "pytest_relevance.retrievers.sparse:sparse",
        "late": "pytest_relevance.retrievers.late:late",
        "static": "pytest_relevance.retrievers.static:static",
        "rerank": "pytest_relevance.retrievers.rerank:rerank",
    }
)


# Which extra of ours brings a package that a kind of retriever may find missing.
EXTRAS = {
    "sentence_transformers": "dense",
    "faiss": "dense",
    "scipy": "dense",
    "model2vec": "static",
    "sqlalchemy": "sql",
}


def build(config: RetrieverEntry, context: RetrieverContext, kinds: Mapping[str, RetrieverKind] = BUILTIN) -> Retriever:
    """Make the retriever that an entry describes. It is not opened yet, and nothing is retrieved.

    Raises:
        SuiteError: the type is unknown, or the options do not fit it, at their place.
        RetrieverError: something it needs is missing: a library, a file, a corpus.
    """
    kind = _kind(config, kinds)
    try:
        return kind(config, context)
    except ModuleNotFoundError as error:
        raise _missing_library(config, error) from error


def depends_on(config: RetrieverEntry, kinds: Mapping[str, RetrieverKind] = BUILTIN) -> tuple[str, ...]:
    """The names of the retrievers whose runs this one needs."""
    asked = getattr(_kind(config, kinds), "depends_on", None)
    return tuple(asked(config)) if asked else ()


def depths(
    configs: Mapping[str, RetrieverEntry], wanted: Mapping[str, int], kinds: Mapping[str, RetrieverKind] = BUILTIN
) -> dict[str, int]:
    """How many documents each retriever must give: what is wanted of it, and what those that are made from it need."""
    deepest = dict(wanted)
    for name in reversed(in_order(configs, configs, kinds)):
        needs = getattr(_kind(configs[name], kinds), "part_depth", None)
        of_parts = needs(configs[name], deepest[name]) if needs else deepest[name]
        for part in depends_on(configs[name], kinds):
            deepest[part] = max(deepest[part], of_parts)
    return deepest


def fingerprint(
    configs: Mapping[str, RetrieverEntry],
    name: str,
    context: RetrieverContext,
    kinds: Mapping[str, RetrieverKind] = BUILTIN,
) -> str | None:
    """A hash of all that decides a retriever's rankings, its parts' included; None where a kind does not tell."""
    told = []
    for part in in_order(configs, [name], kinds):
        asked = getattr(_kind(configs[part], kinds), "fingerprint", None)
        if asked is None:
            return None
        told.append(str(asked(configs[part], context)))
    return sha256("\n".join(told).encode()).hexdigest()[:32]


def in_order(
    configs: Mapping[str, RetrieverEntry], names: Iterable[str], kinds: Mapping[str, RetrieverKind] = BUILTIN
) -> tuple[str, ...]:
    """These retrievers and all they depend on, each after the ones it depends on.

    Raises:
        SuiteError: a retriever depends on one that is not there, or, over others, on itself.
    """
    done: dict[str, None] = {}
    for name in names:
        _visit(name, (), configs, kinds, done)
    return tuple(done)


def _visit(
    name: str,
    path: tuple[str, ...],
    configs: Mapping[str, RetrieverEntry],
    kinds: Mapping[str, RetrieverKind],
    done: dict[str, None],
) -> None:
    if name in done:
        return
    if name in path:
        circle = (*path[path.index(name) :], name)
        raise SuiteError(
            f"retriever {name!r} depends on itself: {' → '.join(circle)}",
            place=configs[name].place,
            fix=f"take {name!r} out of what {circle[-2]!r} is made of",
        )
    if name not in configs:
        place = configs[path[-1]].place if path else None
        raise SuiteError(f"unknown retriever {name!r}", place=place, fix=suggestion(name, configs, label="retrievers"))
    for part in depends_on(configs[name], kinds):
        _visit(part, (*path, name), configs, kinds, done)
    done[name] = None


def _kind(config: RetrieverEntry, kinds: Mapping[str, RetrieverKind]) -> RetrieverKind:
    if config.type not in tuple(kinds):  # asked by its names: looking a kind up may import it
        raise SuiteError(
            f"unknown type {config.type!r} of retriever {config.name!r}",
            place=config.place,
            fix=suggestion(config.type, kinds, label="known types"),
        )
    try:
        return kinds[config.type]
    except ModuleNotFoundError as error:
        raise _missing_library(config, error) from error


def _missing_library(config: RetrieverEntry, error: ModuleNotFoundError) -> RetrieverError:
    library = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(library)
    if extra and config.type in EXTRAS.values():
        extra = config.type  # a kind's own extra brings all that it needs, and not this library alone
    return RetrieverError(
        f"retriever {config.name!r} needs the package {library!r}, which is not installed",
        place=config.place,
        fix=f"pip install 'pytest-relevance[{extra}]'"
        if extra
        else f"install {library} into the environment that runs this",
    )
