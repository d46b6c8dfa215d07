"""sentence-transformers as we want it: imported on use, quiet, and with its errors in our words."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, TypeVar

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.dense.options import ModelOptions
from pytest_relevance.retrievers.dense.reference import ModelReference
from pytest_relevance.retrievers.protocol import RetrieverEntry

Answer = TypeVar("Answer")

_LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub", "model2vec")
_RANDOM_PARTS = ("randomly-initialised", "appending SparseAutoEncoder")
_NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate")
_EXTRA = re.compile(r"sentence-transformers\[(onnx|openvino)\]")  # what the library asks for, for a backend
_NO_HUB = ("couldn't connect", "connection", "offline", "cached", "timed out", "name resolution", "not a valid model")


def need(*packages: str) -> None:
    """Say now, and cheaply, that a package is not there.

    Raises:
        ModuleNotFoundError: one is not installed; `build` turns it into an error with the extra to install.
    """
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def library(name: str = "sentence_transformers") -> Any:
    """The library, without its warnings. The first import takes seconds: only opening a retriever asks for it."""
    with quiet():
        return import_module(name)


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, progress bars or log lines of the libraries, which speak to those who train models."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.ERROR)
        try:
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


def load_model(kind: str, config: RetrieverEntry, options: ModelOptions, reference: ModelReference) -> Any:
    """A model of the library's class `kind` (`SentenceTransformer`, `CrossEncoder` …), on the device asked for.

    Raises:
        RetrieverError: the model cannot be had, cannot be loaded, or needs what the suite does not allow.
    """
    maker = getattr(library(), kind, None)
    if maker is None:
        raise RetrieverError(
            f"retriever {config.name!r} needs {kind}, which sentence-transformers {version_of()} does not have",
            place=config.place,
            fix="install sentence-transformers 6.2 or newer",
        )
    arguments: dict[str, Any] = {
        "device": options.device if isinstance(options.device, str) else None,
        "backend": options.backend,
        "revision": reference.revision,
        "trust_remote_code": options.trust_remote_code,
        "local_files_only": reference.is_folder,
    }
    if options.backend == "torch":
        arguments["model_kwargs"] = {"dtype": options.dtype}
    return loaded(config, reference, lambda: maker(reference.source, **arguments))


def loaded(config: RetrieverEntry, reference: ModelReference, make: Callable[[], Any]) -> Any:
    """What `make` loads, or an error of ours that says what stopped it."""
    try:
        with quiet(), _no_bars(), _heard() as said:
            model = make()
    except ModuleNotFoundError as error:
        raise _cannot_load(config, reference, error, f"install the package {error.name!r}") from error
    except Exception as error:  # the libraries raise whatever their own libraries raised
        raise _in_our_words(config, reference, error) from error
    if any(map(_made_up, said)):
        raise RetrieverError(
            f"retriever {config.name!r}: {reference.shown!r} is no model for type {config.type!r}: some of its weights "
            "are missing, and would be made up at random",
            place=config.place,
            fix="name a model that was trained for it, or change the type",
        )
    return model


def out_of_memory(error: BaseException) -> bool:
    """Whether the device or the machine had too little memory: each backend says it in words of its own."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in _NO_MEMORY)


def version_of(package: str = "sentence-transformers") -> str:
    """The installed version of a package, or 'none'."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


class _Listener(logging.Handler):
    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.INFO)
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(record.getMessage())


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What the libraries say while a model is loaded: only there do they tell that weights are missing."""
    said: list[str] = []
    listener = _Listener(said)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger.level, logger.propagate, logger.handlers) for logger in loggers]
    for logger in loggers:
        logger.propagate, logger.handlers = False, [listener]
        logger.setLevel(logging.INFO)
    try:
        yield said
    finally:
        for logger, (level, propagate, handlers) in zip(loggers, before, strict=True):
            logger.propagate, logger.handlers = propagate, handlers
            logger.setLevel(level)


def _made_up(said: str) -> bool:
    if "LOAD REPORT" in said:  # a pooler is a part that no encoder of ours uses, and few checkpoints have it
        return any("MISSING" in line and "|" in line and "pooler." not in line for line in said.splitlines())
    return any(words in said for words in _RANDOM_PARTS)


@contextmanager
def _no_bars() -> Iterator[None]:
    logs = import_module("transformers.utils.logging")
    shown = logs.is_progress_bar_enabled()
    logs.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logs.enable_progress_bar()


def _in_our_words(config: RetrieverEntry, reference: ModelReference, error: Exception) -> RetrieverError:
    said = str(error).lower()
    if "trust_remote_code" in said:
        fix = "read the model's code, and then write 'trust_remote_code: true'"
        return _cannot_load(config, reference, error, fix, why="it runs Python of its own, which is off unless allowed")
    extra = _EXTRA.search(str(error))
    if extra:
        fix = f"install it, for example: pip install '{extra[0]}'; or leave out 'backend'"
        return _cannot_load(config, reference, error, fix, why=f"the backend {extra[1]!r} is not installed")
    if type(error).__name__ == "RevisionNotFoundError" or "not a valid git identifier" in said:
        return _cannot_load(
            config,
            reference,
            error,
            "name a commit, tag or branch that the model has",
            why=f"it has no revision {reference.revision!r}",
        )
    if type(error).__name__ in ("RepositoryNotFoundError", "GatedRepoError"):
        return _cannot_load(
            config,
            reference,
            error,
            "check the name, and your login if the model is not public",
            why="the hub does not give it out",
        )
    if not reference.is_folder and any(words in said for words in _NO_HUB):
        at = f" at revision {reference.revision!r}" if reference.revision else ""
        return _cannot_load(
            config,
            reference,
            error,
            "check the name and the network; or fetch it once where there is one; or name a folder or 'package:NAME'",
            why=f"it is not in the local cache{at}, and the hub cannot be reached",
        )
    return _cannot_load(config, reference, error, "check that the folder or the id is a whole model of this kind")


def _cannot_load(
    config: RetrieverEntry, reference: ModelReference, error: Exception, fix: str, *, why: str = ""
) -> RetrieverError:
    first = str(error).strip().partition("\n")[0][:200]
    return RetrieverError(
        f"retriever {config.name!r} cannot load the model {reference.shown!r}: "
        f"{why or f'{type(error).__name__}: {first}'}",
        place=config.place,
        fix=fix,
    )
