"""Which model is meant: a folder, a model inside an installed package, or a hub's, and what tells it from others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.dense.options import ModelOptions
from pytest_relevance.retrievers.protocol import RetrieverEntry

PACKAGE = "package:"
_MARKS = ("modules.json", "config_sentence_transformers.json", "config.json")  # what a model's folder has, best first
_BACKEND_FOLDERS = {"onnx": "onnx", "openvino": "openvino"}  # hold the weights for one backend only
_BLOCK = 1 << 20


@dataclass(frozen=True)
class ModelReference:
    """One model, found but not loaded."""

    shown: str  # as the suite has it
    source: str  # what the library is given: a folder or a hub's id
    revision: str | None  # of a hub's model: the commit, or what the suite says while none is known
    identity: str  # tells its weights and configuration from all others

    @property
    def is_folder(self) -> bool:
        return self.identity.startswith("files:")


def find_model(config: RetrieverEntry, options: ModelOptions, folder: Path) -> ModelReference:
    """The model that a suite names: `package:NAME`, `package:NAME/sub/folder`, a folder seen from `folder`, a hub's id.

    A package is looked into and not imported. A hub's model that is in the local cache is taken at the commit it has
    there, so that nothing changes until `revision` does.

    Raises:
        RetrieverError: there is no such package or folder, or there is no model in it.
    """
    found = _folder_of(config, options, folder)
    if found is None:
        return _of_hub(options)
    return ModelReference(options.model, str(found), None, _told_by_files(found, options))


def written_identity(config: RetrieverEntry, options: ModelOptions, folder: Path) -> str:
    """What tells a model from all others where it need not be at hand: no library is asked, and no cache.

    A folder's or a package's model is told by its files, which must be there; a hub's by its name and revision as they
    are written.

    Raises:
        RetrieverError: there is no such package or folder, or there is no model in it.
    """
    found = _folder_of(config, options, folder)
    if found is None:
        return f"hub:{_name_at_hub(options)}@{options.revision or 'main'}"
    return _told_by_files(found, options)


def _folder_of(config: RetrieverEntry, options: ModelOptions, folder: Path) -> Path | None:
    """The folder that holds the model; None: it is a hub's."""
    if options.model.startswith(PACKAGE):
        found = _in_package(config, options.model)
    elif (folder / options.model).is_dir():
        found = folder / options.model
    elif options.model.startswith((".", "/")) or Path(options.model).is_absolute():
        raise _nothing_there(config, options.model)
    else:
        return None
    if options.revision is not None:
        raise RetrieverError(
            f"retriever {config.name!r} names the revision {options.revision!r} of a model that is a folder",
            place=config.place,
            fix="remove 'revision', which is for models of a hub; a folder is told by what is in it",
        )
    if not any((found / mark).is_file() for mark in _MARKS):
        raise RetrieverError(
            f"retriever {config.name!r}: there is no model in {options.model!r}",
            place=config.place,
            fix=f"name the folder that holds {_MARKS[0]} or {_MARKS[-1]}",
        )
    return found.resolve()


def _told_by_files(found: Path, options: ModelOptions) -> str:
    return f"files:{hash_of_files(found, options.backend)}"


def cached_commit(repository: str, revision: str | None) -> str | None:
    """The commit at which the hub's local cache holds a model, or None where it does not."""
    find = import_module("huggingface_hub").try_to_load_from_cache
    for mark in _MARKS:
        path = find(repository, mark, revision=revision)
        if isinstance(path, str):
            return Path(path).parent.name
    return None


def hash_of_files(folder: Path, backend: str) -> str:
    """A hash of the names and contents of a model's files, without hidden ones and what other backends load."""
    files = tuple((file.relative_to(folder).as_posix(), file.stat()) for file in _files(folder, backend))
    return _hash_of(folder, tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in files))


@lru_cache(maxsize=64)
def _hash_of(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    digest = blake2b(digest_size=16)
    for name, size, _ in files:
        digest.update(f"{name}\n{size}\n".encode("utf-8", "surrogatepass"))
        with (folder / name).open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _files(folder: Path, backend: str) -> Iterator[Path]:
    others = {name for kind, name in _BACKEND_FOLDERS.items() if kind != backend}
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if file.is_file() and not hidden and parts[0] not in others:
            yield file


def _in_package(config: RetrieverEntry, model: str) -> Path:
    name, _, inside = model.removeprefix(PACKAGE).partition("/")
    spec = find_spec(name.replace("-", "_")) if name.replace("-", "_").isidentifier() else None
    roots = [] if spec is None else [Path(root) for root in spec.submodule_search_locations or ()]
    if not roots:
        raise RetrieverError(
            f"retriever {config.name!r} takes its model from the package {name!r}, which is not installed",
            place=config.place,
            fix=f"install it, or write 'model: {PACKAGE}NAME' with the name it is imported by",
        )
    if inside:
        return next((root / inside for root in roots if (root / inside).is_dir()), roots[0] / inside)
    found = [folder for root in roots for folder in _model_folders(root)]
    if len(found) != 1:
        count = "no model" if not found else f"{len(found)} models"
        names = ", ".join(sorted(folder.relative_to(roots[0]).as_posix() for folder in found)[:5])
        raise RetrieverError(
            f"retriever {config.name!r}: {count} in the package {name!r}{f': {names}' if names else ''}",
            place=config.place,
            fix=f"name its folder: '{PACKAGE}{name}/FOLDER'",
        )
    return found[0]


def _model_folders(root: Path) -> list[Path]:
    """Folders with the best mark there is; those inside another model's folder are its parts."""
    for mark in _MARKS:
        found = sorted({file.parent for file in root.rglob(mark)})
        outer = [folder for folder in found if not any(other in folder.parents for other in found)]
        if outer:
            return outer
    return []


def _of_hub(options: ModelOptions) -> ModelReference:
    name = _name_at_hub(options)
    revision = cached_commit(name, options.revision) or options.revision
    return ModelReference(options.model, name, revision, f"hub:{name}@{revision or 'main'}")


def _name_at_hub(options: ModelOptions) -> str:
    return options.model if "/" in options.model else f"sentence-transformers/{options.model}"


def _nothing_there(config: RetrieverEntry, model: str) -> RetrieverError:
    return RetrieverError(
        f"retriever {config.name!r}: there is no model folder {model!r}",
        place=config.place,
        fix=f"write the path from the suite's folder, a hub's id, or '{PACKAGE}NAME' for a model in a package",
    )
