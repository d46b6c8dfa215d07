"""What docs/search-apis.md shows works as it stands."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from asking import ask
from fault_server import Asked, FaultServer, Reply

from pytest_relevance.retrievers.http.options import HttpOptions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "search-apis.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_preset_it_shows_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = [block for block in blocks("python") if "class MeiliOptions" in block]
    (tmp_path / "meili_preset.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    options: type[HttpOptions] = import_module("meili_preset").MeiliOptions

    def script(asked: Asked) -> Reply:
        assert asked.headers["authorization"] == "Bearer k1"
        assert asked.path == "/indexes/shoes/search"
        assert asked.json == {"q": "red", "limit": 5, "offset": 0, "showRankingScore": True}
        return Reply({"hits": [{"id": 7, "_rankingScore": 0.9}], "estimatedTotalHits": 1})

    with FaultServer(script) as server:
        run = ask({"url": server.url, "index": "shoes", "api_key": "k1"}, {"q1": "red"}, depth=5, kind=options)

    assert run.ranking("q1") == ("7",)
    assert len(source.strip().splitlines()) <= 45


@pytest.mark.parametrize("block", blocks("yaml"))
def test_the_retrievers_it_shows_can_be_made(block: str) -> None:
    text = block if block.startswith("retrievers:") else f"retrievers:\n{block}"
    for written in yaml.safe_load(text.replace("${SEARCH_URL:-", "").replace("8080}", "8080"))["retrievers"].values():
        assert written.pop("type") == "http"
        HttpOptions.model_validate(written)


def test_every_option_is_told() -> None:
    untold = [name for name in HttpOptions.model_fields if f"`{name}" not in PAGE and f"{name}:" not in PAGE]
    assert untold == []
