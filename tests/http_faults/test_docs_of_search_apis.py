"""What docs/search-apis.md shows works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pytest_relevance.retrievers import BUILTIN
from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "search-apis.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", blocks("yaml"))
def test_the_retrievers_it_shows_can_be_made(block: str) -> None:
    text = block if block.startswith("retrievers:") else f"retrievers:\n{block}"
    for written in yaml.safe_load(text.replace("${SEARCH_URL:-", "").replace("8080}", "8080"))["retrievers"].values():
        kind = BUILTIN[written.pop("type")]
        assert isinstance(kind, HttpKind)
        kind.options.model_validate(written).completed()


def test_every_option_is_told() -> None:
    untold = [name for name in HttpOptions.model_fields if f"`{name}" not in PAGE and f"{name}:" not in PAGE]
    assert untold == []
