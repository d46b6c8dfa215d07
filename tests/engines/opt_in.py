"""Servers that are tested only when RELEVANCE_ENGINES names them: large to install, or of odd shape."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from engines.collection import Product
from engines.recipes import INDEX, call, load_elasticsearch
from engines.serving import Recipe, needs

ARCADEDB_PASSWORD = "a-password-for-tests"
ARCADEDB = """
import signal, sys
import arcadedb_embedded
server = arcadedb_embedded.create_server(
    root_path=sys.argv[1], root_password=sys.argv[3], config={"http_port": int(sys.argv[2]), "host": "127.0.0.1"}
)
server.start()
signal.sigwait({signal.SIGTERM, signal.SIGINT})
server.stop()
"""
MILVUS = """
import signal, sys
import milvus
server = milvus.MilvusServer(wait_for_started=False)
server.set_base_dir(sys.argv[1])
server.config.set("proxy_port", int(sys.argv[2]))
for one in (signal.SIGTERM, signal.SIGINT):
    signal.signal(one, lambda *_: server.stop())
server.start()
server.wait()
"""
MILVUS_API = "/v1/vector"
CHROMA = "/api/v2/tenants/default_tenant/databases/default_database/collections"


def chosen(name: str) -> None:
    """Skip, unless this engine is asked for."""
    if name not in os.environ.get("RELEVANCE_ENGINES", "").replace(" ", "").split(","):
        pytest.skip(f"opt-in: RELEVANCE_ENGINES={name}")


def commands(*names: str) -> None:
    """Skip, with the reason, where a command is not installed."""
    if missing := [name for name in names if shutil.which(name) is None]:
        pytest.skip(f"needs the commands {', '.join(missing)} on PATH")


def osmem(products: Iterable[Product]) -> Recipe:
    """An imitation of OpenSearch: its interface, not its ranking."""
    needs("osmem_server")
    binary = str(Path(str(import_module("osmem_server").__file__)).parent / "bin" / "osmem-server")

    def command(folder: Path, port: int) -> list[str]:
        return [binary, "-addr", f"127.0.0.1:{port}", "-no-stdin-watch"]

    return Recipe("osmem", command, "/", load=lambda url: load_elasticsearch(url, products))


def groonga(products: Iterable[Product]) -> Recipe:
    """Groonga, whose documents are arrays beside a list of columns."""
    commands("groonga")

    def command(folder: Path, port: int) -> list[str]:
        where = ["--bind-address", "127.0.0.1", "-p", str(port)]
        return ["groonga", "-n", "-s", "--protocol", "http", *where, str(folder / "shop.grn")]

    def load(url: str) -> None:
        def ask(name: str, /, **arguments: str) -> None:
            answer = call("GET", f"{url}/d/{name}?{urlencode({'command_version': '3', **arguments})}")
            assert answer["header"]["return_code"] == 0, answer

        ask("table_create", name="Products", flags="TABLE_HASH_KEY", key_type="ShortText")
        for column in ("title", "description"):
            ask("column_create", table="Products", name=column, flags="COLUMN_SCALAR", type="Text")
        terms = {"flags": "TABLE_PAT_KEY", "key_type": "ShortText", "normalizer": "NormalizerAuto"}
        ask("table_create", name="Terms", default_tokenizer="TokenBigram", **terms)
        index = {"flags": "COLUMN_INDEX|WITH_POSITION|WITH_SECTION", "type": "Products", "source": "title,description"}
        ask("column_create", table="Terms", name="words", **index)
        rows = [{"_key": one.doc_id, "title": one.title, "description": one.description} for one in products]
        call("POST", f"{url}/d/load?table=Products", json=rows)

    return Recipe("groonga", command, "/d/status", load=load)


def kiwix(products: Iterable[Product]) -> Recipe:
    """Xapian behind kiwix-serve, which answers searches in RSS."""
    commands("zimwriterfs", "kiwix-serve")

    def prepare(folder: Path, port: int) -> None:
        pages = folder / "html"
        pages.mkdir()
        for one in products:
            title, text = escape(one.title), escape(f"{one.title}. {one.description}")
            text = f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>"
            (pages / f"{one.doc_id}.html").write_text(text, encoding="utf-8")
        (pages / "index.html").write_text("<html><head><title>Shop</title></head></html>", encoding="utf-8")
        (pages / "icon.png").write_bytes(_icon())
        told = ["--language=eng", "--title=Shop", "--description=Shop", "--creator=us", "--publisher=us", "--name=shop"]
        start = ["--welcome=index.html", "--illustration=icon.png"]
        subprocess.run(
            ["zimwriterfs", *start, *told, str(pages), str(folder / "shop.zim")], check=True, capture_output=True
        )

    def command(folder: Path, port: int) -> list[str]:
        return ["kiwix-serve", "--address=127.0.0.1", f"--port={port}", str(folder / "shop.zim")]

    return Recipe("kiwix", command, "/search?content=shop&pattern=a&format=xml", prepare=prepare)


def arcadedb(products: Iterable[Product]) -> Recipe:
    """ArcadeDB, whose searches are SQL in a body, behind Basic authentication."""
    needs("arcadedb_embedded")

    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-c", ARCADEDB, str(folder / "data"), str(port), ARCADEDB_PASSWORD]

    def load(url: str) -> None:
        def run(command: str, **params: object) -> None:
            body = {"language": "sql", "command": command, "params": params}
            call("POST", f"{url}/api/v1/command/shop", json=body, auth=("root", ARCADEDB_PASSWORD))

        made = {"command": "create database shop"}
        call("POST", f"{url}/api/v1/server", json=made, auth=("root", ARCADEDB_PASSWORD))
        run("create document type Product")
        for name in ("id", "title"):
            run(f"create property Product.{name} string")
        run("create index on Product (title) FULL_TEXT")
        rows = [{"id": one.doc_id, "title": one.title} for one in products]
        run("insert into Product content :rows", rows=rows)

    return Recipe("arcadedb", command, "/api/v1/ready", healthy=lambda one: one.status_code == 204, load=load)


def chroma() -> Recipe:
    """Chroma, which is asked by a vector and answers in parallel lists of distances."""
    needs("chromadb")

    def command(folder: Path, port: int) -> list[str]:
        binary = str(Path(sys.executable).parent / "chroma")
        return [binary, "run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder / "data")]

    return Recipe("chroma", command, "/api/v2/heartbeat", environment=lambda _: {"ANONYMIZED_TELEMETRY": "False"})


def load_chroma(url: str, products: Iterable[Product], vectors: dict[str, list[float]]) -> str:
    """The products with their vectors; the id of their collection."""
    asked = {"name": INDEX, "configuration": {"hnsw": {"space": "cosine"}}, "get_or_create": True}
    number: str = call("POST", f"{url}{CHROMA}", json=asked)["id"]
    chosen = [one for one in products if one.doc_id in vectors]
    rows = {
        "ids": [one.doc_id for one in chosen],
        "documents": [one.title for one in chosen],
        "embeddings": [vectors[one.doc_id] for one in chosen],
    }
    call("POST", f"{url}{CHROMA}/{number}/upsert", json=rows)
    return number


def milvus() -> Recipe:
    """Milvus by its REST interface: asked by a vector, with errors inside a 200. It listens beyond loopback too."""
    needs("milvus", "pkg_resources")

    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-c", MILVUS, str(folder / "data"), str(port)]

    def healthy(response: httpx.Response) -> bool:
        return response.status_code == 200 and response.json()["code"] == 200

    return Recipe("milvus", command, f"{MILVUS_API}/collections", healthy=healthy)


def load_milvus(url: str, products: Iterable[Product], vectors: dict[str, list[float]]) -> str:
    """The products with their vectors; the name of their collection."""

    def ask(name: str, **sent: object) -> None:
        answer = call("POST", f"{url}{MILVUS_API}/{name}", json=sent)
        assert answer["code"] == 200, answer

    name = INDEX.replace("-", "_")
    ask("collections/create", collectionName=name, dimension=len(next(iter(vectors.values()))), metricType="COSINE")
    chosen = [one for one in products if one.doc_id in vectors]
    rows = [{"vector": vectors[one.doc_id], "product": one.doc_id, "title": one.title} for one in chosen]
    ask("insert", collectionName=name, data=rows)
    return name


def _icon() -> bytes:
    """A grey square of 48 × 48 in PNG, which the format of Kiwix asks for."""

    def chunks() -> Iterator[bytes]:
        header = struct.pack(">IIBBBBB", 48, 48, 8, 0, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\x00" + b"\x80" * 48 for _ in range(48)))
        for kind, data in ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b"")):
            yield struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks())
