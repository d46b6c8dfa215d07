"""A real server for all tests of a session, and for all workers of pytest-xdist together."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from filelock import FileLock

from engines.guard import users

STARTS_WITHIN = 60.0  # seconds, on a busy machine
GUARD = Path(__file__).with_name("guard.py")


@dataclass(frozen=True)
class Recipe:
    """How a server is started. Each gets a fresh folder and a free port on loopback."""

    name: str
    command: Callable[[Path, int], list[str]]  # the server itself, not a launcher that leaves it running
    health: str  # a path that answers 200 once the server is ready
    healthy: Callable[[httpx.Response], bool] = lambda response: response.status_code == 200
    prepare: Callable[[Path, int], None] = lambda _folder, _port: None  # before it is started
    load: Callable[[str], None] = lambda _: None  # documents, once it is ready
    environment: Callable[[Path], Mapping[str, str]] = lambda _: {}


@dataclass(frozen=True)
class Server:
    """One that runs."""

    url: str
    folder: Path = field(default_factory=Path)


def needs(*modules: str) -> None:
    """Skip, with the reason, where a package is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: pip install --group engines (and see scripts/engines)")


@contextmanager
def serving(recipe: Recipe, shelf: Path) -> Iterator[Server]:
    """The server of a recipe. Who asks first starts and loads it; it ends when nobody uses it any more.

    `shelf` is one folder for all workers of a session.
    """
    folder = shelf / recipe.name
    folder.mkdir(parents=True, exist_ok=True)
    using = folder / "users"
    state = folder / "server.json"
    keeper = None
    with FileLock(folder / "lock"):
        first = not users(using) or not state.exists()
        with using.open("w" if first else "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
        if first:
            state.unlink(missing_ok=True)
            try:
                url, keeper = _started(recipe, folder, using)
            except BaseException:
                using.unlink()  # its keeper stops it
                raise
            state.write_text(json.dumps(url), encoding="utf-8")
        url = json.loads(state.read_text(encoding="utf-8"))
    try:
        yield Server(url, folder)
    finally:
        with FileLock(folder / "lock"):
            others = users(using)
            others.remove(os.getpid())  # once: one process may use a server twice
            using.write_text("".join(f"{pid}\n" for pid in others), encoding="ascii")
        if keeper is not None and not others:
            keeper.wait(STARTS_WITHIN)
        _STILL_KEPT.append(keeper)  # by other workers: not a forgotten process


def _started(recipe: Recipe, folder: Path, using: Path) -> tuple[str, subprocess.Popen[bytes]]:
    port = free_port()
    fresh = folder / f"data-{port}"
    fresh.mkdir()
    recipe.prepare(fresh, port)
    url = f"http://127.0.0.1:{port}"
    log = fresh / "server.log"
    keeper = subprocess.Popen(
        [sys.executable, str(GUARD), str(using), str(log), *recipe.command(fresh, port)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, **recipe.environment(fresh)},
    )
    _wait(recipe, url, keeper, log)
    recipe.load(url)
    return url, keeper


def _wait(recipe: Recipe, url: str, keeper: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN
    with httpx.Client(trust_env=False, timeout=5) as client:
        while time.monotonic() < until:
            if keeper.poll() is not None:
                break
            try:
                if recipe.healthy(client.get(f"{url}{recipe.health}")):
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:] if log.exists() else ""
    raise RuntimeError(f"{recipe.name} did not start within {STARTS_WITHIN:g} s; it said:\n{said}")


def free_port() -> int:
    """A port of loopback that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_STILL_KEPT: list[subprocess.Popen[bytes] | None] = []
