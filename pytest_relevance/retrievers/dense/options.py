"""What a suite may say beside `type: dense`, and what all kinds that run a model of their own share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1)]
Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
IndexKind = Literal["flat", "ivf", "hnsw", "pq", "int8", "binary"]

USUAL_TOKENS = 512  # of a text, with its instruction and the special tokens

# How fast a model is run, and where, moves no ranking.
_UNTOLD = {"batch_size", "device", "trust_remote_code"}

# Which options shape which approximate index.
SHAPES = {"lists": "ivf", "probes": "ivf", "links": "hnsw", "breadth": "hnsw", "code_bytes": "pq"}

_OF_DOCUMENTS = ("fields", "document_prompt", "similarity", "index", *SHAPES, "rescore")


class ModelOptions(BaseModel):
    """Which model, and how it is run."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    model: Annotated[str, Field(min_length=1, examples=["all-MiniLM-L6-v2"])]  # a folder, package:NAME, or a hub's id
    revision: str | None = None  # of a hub's model: a commit, tag or branch
    trust_remote_code: bool = False  # True runs Python that comes with the model
    device: str | tuple[str, ...] | None = None  # cpu, cuda:0, mps …; several encode at once; None: the library chooses
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"  # of the weights while encoding
    backend: Literal["torch", "onnx", "openvino"] = "torch"
    batch_size: Count = 32
    max_tokens: Count | None = None  # 512, or the model's own limit where that is lower

    def deciding(self) -> dict[str, Any]:
        """The options that decide what comes out, as plain values."""
        return self.model_dump(mode="json", exclude=_UNTOLD)

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Say that an option that is set has no place here.

        Raises:
            ValueError: one of `names` is set.
        """
        for name in names:
            if name in self.model_fields_set:
                raise ValueError(f"{name!r} {why}; remove it")


class EncoderOptions(ModelOptions):
    """How texts become vectors."""

    fields: tuple[str, ...] = ()  # encoded, in this order; none named: every text field
    query_prompt: str | None = None  # stands before each query; None: as the model's configuration has it
    document_prompt: str | None = None  # stands before each document


class DenseOptions(EncoderOptions):
    """What a suite may say beside `type: dense`."""

    normalize: bool | None = None  # vectors of length 1; None: with cosine, and else as the model does
    similarity: Similarity | None = None  # None: what the model's configuration says
    truncate_dim: Count | None = None  # the first so many numbers of each vector only (Matryoshka models)
    store: Literal["float32", "float16"] = "float32"  # float16: half the space, scores within about 1e-3
    index: IndexKind = "flat"  # flat is exact; the others find less, and how much less is said
    lists: Count | None = None  # of ivf: cells; None: 4 · sqrt(documents), fewer for few documents
    probes: Count = 32  # of ivf: cells looked into
    links: Annotated[int, Field(ge=2)] = 32  # of hnsw: neighbours of each vector
    breadth: Count = 128  # of hnsw: how widely it searches; at least what is asked for
    code_bytes: Count = 48  # of pq: bytes a vector; must divide its dimension
    rescore: Count = 4  # of all but flat: times the depth so many candidates get their exact score

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.similarity == "manhattan" and self.index != "flat":
            raise ValueError(f"index {self.index!r} has no manhattan distance; take index 'flat'")
        for name, kind in SHAPES.items():
            if name in self.model_fields_set and self.index != kind:
                raise ValueError(f"{name!r} belongs to index {kind!r}, not to {self.index!r}")
        if "rescore" in self.model_fields_set and self.index == "flat":
            raise ValueError("'rescore' is for approximate indexes, and 'flat' is exact")
        return self


class QueryModelOptions(DenseOptions):
    """A dense model that gives the vectors of queries only: documents, and the search among them, are elsewhere."""

    @model_validator(mode="after")
    def _is_for_queries(self) -> Self:
        self.refuse(_OF_DOCUMENTS, "is of documents and of the search among them, and here only queries are encoded")
        return self
