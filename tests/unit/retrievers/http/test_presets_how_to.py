"""The page on adding a search API shows what works as it stands; the table of types knows all of them."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from asking import ask
from fault_server import Asked, FaultServer, Reply

from pytest_relevance.retrievers import BUILTIN
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "how-to" / "add-a-search-api.md").read_text(encoding="utf-8")
CLOUD = "https://${AZURE_SERVICE}.search.windows.net"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def options(number: int, url: str) -> dict[str, Any]:
    """The retriever of a YAML block, with the service at this address."""
    text = blocks("yaml")[number].replace(CLOUD, url).replace("${AZURE_KEY}", "k1")
    written: dict[str, Any] = yaml.safe_load(text)["retrievers"]["live"]
    del written["type"]
    return written


def shown_service(asked: Asked) -> Reply:
    """Answers as the page says the service does."""
    assert asked.headers["api-key"] == "k1"
    assert asked.target == "/indexes/shoes/docs/search?api-version=2024-07-01"
    assert asked.json == {"search": "red shoes", "top": 10, "skip": 0, "count": True, "select": "sku,title"}
    return Reply(json.loads(next(block for block in blocks("text") if block.startswith("{"))))


def test_the_suite_it_shows_reads_the_answer_it_shows() -> None:
    with FaultServer(shown_service) as server:
        run = ask(options(0, server.url), {"q1": "red shoes"})
    assert run.ranking("q1") == ("B1", "B2")
    assert run.scores_of("q1") == pytest.approx((7.2, 3.1))
    assert run.fields["B1"] == {"title": "Red shoe"}


def test_the_type_it_shows_asks_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = blocks("python file=azure_preset.py")
    (tmp_path / "azure_preset.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    kind: type[HttpOptions] = import_module("azure_preset").AzureOptions

    with FaultServer(shown_service) as server:
        run = ask(options(1, server.url), {"q1": "red shoes"}, kind=kind)

    assert run.ranking("q1") == ("B1", "B2")
    assert len(source.strip().splitlines()) <= 45


def test_each_type_over_http_has_a_row_that_says_what_it_was_tested_against() -> None:
    table = (DOCS / "search-apis.md").read_text(encoding="utf-8").partition("## Engines")[2].partition("\n## ")[0]
    rows = [row for row in table.splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert named == {name for name in BUILTIN if isinstance(BUILTIN[name], HttpKind)}
    for row in rows:
        told = ("the real engine", "its published description", "not tested here", "a scripted server")
        assert any(words in row for words in told), row
