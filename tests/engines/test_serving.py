"""The servers of these tests: shared, and gone when nobody uses them any more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from engines.recipes import call
from engines.serving import Recipe, serving


def recipe(health: str = "/") -> Recipe:
    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(port)]

    return Recipe("files", command, health)


def test_who_comes_second_uses_the_same_server_and_the_last_one_ends_it(tmp_path: Path) -> None:
    with serving(recipe(), tmp_path) as first:
        with serving(recipe(), tmp_path) as second:
            assert second.url == first.url
        call("GET", first.url)
    with pytest.raises(httpx.TransportError):
        call("GET", first.url)


def test_one_that_does_not_start_says_what_it_said_and_leaves_nothing(tmp_path: Path) -> None:
    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-c", "raise SystemExit('no room for an index')"]

    with pytest.raises(RuntimeError, match="no room for an index"), serving(Recipe("bad", command, "/"), tmp_path):
        pass
    assert not (tmp_path / "bad" / "users").exists()


USER = """
import sys
from pathlib import Path
from engines.serving import serving
from engines.test_serving import recipe

with serving(recipe(), Path(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def keep_asking(url: str, *, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        call("GET", url)


def test_it_ends_also_when_its_user_is_killed(tmp_path: Path) -> None:
    tests = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((tests, str(Path(tests).parent)))}
    user = subprocess.Popen(
        [sys.executable, "-c", USER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert user.stdin is not None
    assert user.stdout is not None
    with user.stdin, user.stdout:
        url = user.stdout.readline().decode().strip()
        call("GET", url)
        user.kill()
        user.wait()
    with pytest.raises(httpx.TransportError):
        keep_asking(url, seconds=30)
