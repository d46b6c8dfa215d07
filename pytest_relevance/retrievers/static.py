"""`type: static`: word vectors looked up and averaged, no network run (model2vec), searched as dense vectors are."""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator

from pytest_relevance.retrievers.dense.base import TextKind
from pytest_relevance.retrievers.dense.library import library, loaded
from pytest_relevance.retrievers.dense.options import DenseOptions
from pytest_relevance.retrievers.dense.reference import ModelReference
from pytest_relevance.retrievers.dense.retriever import DenseRetriever

_NOT_FOR_STATIC = ("max_tokens", "revision", "trust_remote_code", "device", "dtype", "backend")


class StaticOptions(DenseOptions):
    """What a suite may say beside `type: static`: what `dense` takes, but for what only a network has."""

    @model_validator(mode="after")
    def _has_no_network(self) -> Self:
        self.refuse(_NOT_FOR_STATIC, "means nothing to a static model")
        return self


class StaticRetriever(DenseRetriever):
    """Ranks the corpus by vectors that are looked up instead of computed: hundreds of times faster, and less exact."""

    kind = "static"

    def load(self, reference: ModelReference) -> Any:
        """A model2vec model inside a model of sentence-transformers."""
        transformers, modules = library(), library("sentence_transformers.sentence_transformer.modules")

        def make() -> Any:
            embedding = modules.StaticEmbedding.from_model2vec(reference.source)
            return transformers.SentenceTransformer(modules=[embedding], device="cpu")

        return loaded(self.config, reference, make)


static = TextKind(StaticOptions, StaticRetriever, ("sentence_transformers", "faiss", "model2vec"))
