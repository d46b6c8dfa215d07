"""A loaded model that turns texts into vectors: prompts, token limit, normalisation, and batches that fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from pytest_relevance.errors import RetrieverError
from pytest_relevance.records.columns import Truths
from pytest_relevance.retrievers.dense.library import out_of_memory, quiet
from pytest_relevance.retrievers.dense.options import USUAL_TOKENS, EncoderOptions, ModelOptions
from pytest_relevance.retrievers.protocol import RetrieverEntry

Role = Literal["query", "document"]
Vectors = npt.NDArray[np.float32]
Answer = TypeVar("Answer")

_PROMPT_NAMES = {"query": ("query",), "document": ("document", "passage", "corpus")}  # in the order the library looks
_LONG = 32  # characters for each token allowed, beyond which a text is shortened before the tokenizer sees it
_LONGEST = 1024  # characters for each token allowed that are looked at; only words of such lengths reach it
_AT_ONCE = 512  # texts whose tokens are counted together


class TextEncoder(Protocol):
    """What the store of vectors asks of a model; stand-ins in tests are such encoders too."""

    def encode(self, texts: Sequence[str], role: Role) -> list[npt.NDArray[Any]]:
        """One array a text."""
        ...

    def cut(self, texts: Sequence[str], role: Role) -> Truths:
        """Whether each text is longer than the model reads; shape (texts,)."""
        ...

    def prompt(self, role: Role) -> str:
        """What stands before each text."""
        ...


class RunnableEncoder(TextEncoder, Protocol):
    """An encoder with a model inside, as provenance tells of it."""

    model: Any
    batch_size: int
    max_tokens: int | None

    @property
    def options(self) -> ModelOptions:
        """What the suite says."""
        ...

    @property
    def counts_tokens(self) -> bool:
        """Whether it is known how many tokens a text has."""
        ...


@dataclass
class Spent:
    """What encoding cost so far."""

    seconds: float = 0.0
    texts: dict[Role, int] = field(default_factory=lambda: {"query": 0, "document": 0})


@dataclass
class ModelRunner:
    """A loaded model with a suite's options: its token limit is set, and its batches fit in memory."""

    model: Any
    config: RetrieverEntry
    options: ModelOptions
    batch_size: int = field(init=False)
    max_tokens: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.batch_size = self.options.batch_size
        self.max_tokens = token_limit(self.model, self.config, self.options.max_tokens)

    @property
    def counts_tokens(self) -> bool:
        """Whether it is known how many tokens a text has: models of before transformers cannot be asked."""
        return callable(getattr(self.model, "tokenizer", None))

    @property
    def devices(self) -> list[str] | None:
        """The devices that encode at once, each in a process of its own; None: the one the model is on."""
        return list(self.options.device) if isinstance(self.options.device, tuple) else None

    def fitting(self, run: Callable[[int], Answer]) -> Answer:
        """What `run` gives for the largest batch size that fits in memory: it is halved, for good, until it does.

        Raises:
            RetrieverError: even one text at a time does not fit.
        """
        while True:
            try:
                with quiet():
                    return run(self.batch_size)
            except (RuntimeError, MemoryError) as error:
                if not out_of_memory(error):
                    raise
                if self.batch_size == 1:
                    raise RetrieverError(
                        f"retriever {self.config.name!r}: one text at a time is too much for the memory of its device",
                        place=self.config.place,
                        fix="lower 'max_tokens', take a smaller model, or another 'device'",
                    ) from error
                self.batch_size //= 2


@dataclass
class Encoder(ModelRunner):
    """A model of sentence-transformers that turns texts into numbers."""

    options: EncoderOptions
    call: dict[str, Any] = field(default_factory=dict)  # more arguments of its encode functions
    unpack: Callable[[Any], list[npt.NDArray[Any]]] = list  # from what they give to one array a text
    limits: Mapping[Role, int | None] = field(default_factory=dict)  # tokens of one role, where it has fewer

    def prompt(self, role: Role) -> str:
        """The suite's prompt, or the model's own for this role, or none.

        The library gives every model an empty prompt for documents, which hides one that is named for passages:
        the first that says something is meant.
        """
        own = self.options.query_prompt if role == "query" else self.options.document_prompt
        if own is not None:
            return own
        prompts: dict[str, str] = getattr(self.model, "prompts", None) or {}
        return next((prompts[name] for name in _PROMPT_NAMES[role] if prompts.get(name)), "")

    def encode(self, texts: Sequence[str], role: Role) -> list[npt.NDArray[Any]]:
        """The numbers of each text.

        Raises:
            RetrieverError: even one text at a time does not fit in memory.
        """
        run = self.model.encode_query if role == "query" else self.model.encode_document
        shortened = [self._shortened(text, role) for text in texts]
        more: dict[str, Any] = {"prompt": self.prompt(role), "show_progress_bar": False} | self.call
        if self.devices:
            more["device"] = self.devices
        return self.fitting(lambda size: self.unpack(run(shortened, batch_size=size, **more)))

    def limit(self, role: Role) -> int | None:
        """The tokens of a text that are read; None: all, or nobody knows."""
        limits = [limit for limit in (self.max_tokens, self.limits.get(role)) if limit is not None]
        return min(limits) if limits and self.counts_tokens else None

    def cut(self, texts: Sequence[str], role: Role) -> Truths:
        """Whether each text, with its prompt and the special tokens, has more tokens than the model reads."""
        cut = np.zeros(len(texts), dtype=np.bool_)
        limit = self.limit(role)
        if limit is None:
            return cut
        prompt = self.prompt(role)
        most = [_most_tokens(prompt) + _most_tokens(text) for text in texts]
        maybe = [place for place, count in enumerate(most) if count > limit]
        for first in range(0, len(maybe), _AT_ONCE):
            places = maybe[first : first + _AT_ONCE]
            counts = self._counts([prompt + self._shortened(texts[place], role) for place in places])
            cut[places] = [count > limit for count in counts]
        return cut

    def _shortened(self, text: str, role: Role) -> str:
        """A very long text without what no limit lets through, so that megabytes never reach the tokenizer.

        Its tokens up to the limit are those of the whole text, but where a thousand characters make less than one.
        """
        limit = self.limit(role)
        if limit is None:
            return text
        length = _LONG * limit
        text = text[: _LONGEST * limit]
        while length < len(text):
            part = text[:length]
            # A word that was cut would have other tokens: end at a blank, if there is one.
            part = part[: part.rfind(" ")] if " " in part.strip() else part
            if self._counts([self.prompt(role) + part])[0] > limit + 1:
                return part
            length *= 4
        return text

    def _counts(self, texts: list[str]) -> list[int]:
        with quiet():
            tokens = self.model.tokenizer(texts, truncation=False, padding=False, verbose=False)
        return [len(one) for one in tokens["input_ids"]]


def token_limit(model: Any, config: RetrieverEntry, asked: int | None) -> int | None:
    """The tokens of a text that a model reads, set in the model: what is asked, or 512, or its own limit if lower.

    None for a model that reads everything.

    Raises:
        RetrieverError: more is asked than the model has positions for, or it has no limit.
    """
    own = getattr(model, "max_seq_length", None)
    own = own if isinstance(own, int) else None  # a static model says infinity
    positions = _positions(model)
    if asked is not None and positions is not None and asked > positions:
        raise RetrieverError(
            f"retriever {config.name!r}: max_tokens {asked} is more than the {positions} its model can read",
            place=config.place,
            fix=f"write {positions} or less, or take a model for longer texts",
        )
    if own is None and positions is None:
        if asked is not None:
            raise RetrieverError(
                f"retriever {config.name!r}: max_tokens is set, and its model reads texts of any length whole",
                place=config.place,
                fix="remove 'max_tokens'",
            )
        return None
    limit = asked or min(number for number in (USUAL_TOKENS, own, positions) if number)
    model.max_seq_length = limit
    return limit


def _positions(model: Any) -> int | None:
    settings = getattr(getattr(model, "transformers_model", None), "config", None)
    positions = getattr(settings, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions < 1:
        return None
    # RoBERTa and its kin number positions from the padding's id on, and lose as many.
    kin = "roberta" in str(getattr(settings, "model_type", ""))
    shift = (getattr(settings, "pad_token_id", None) or 0) + 1 if kin else 0
    return positions - shift


def _most_tokens(text: str) -> int:
    """More tokens than any tokenizer makes of a text: one a character and a few around it.

    Normalising makes up to 18 characters of one that is not ASCII.
    """
    return 8 + len(text) * (1 if text.isascii() else 18)


def finite_rows(vectors: Sequence[npt.NDArray[Any]]) -> Truths:
    """Whether each text's numbers are all finite; shape (texts,)."""
    return np.array([bool(np.isfinite(vector).all()) for vector in vectors], dtype=np.bool_)


def parameters_of(model: Any) -> int | None:
    """How many numbers the model learned, or None where its backend does not tell."""
    count = sum(parameter.numel() for parameter in model.parameters())
    return int(count) or None
