"""A user's callable by name, found beside the suite, and what went wrong in it in one line."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module, invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest_relevance
from pytest_relevance.errors import Place, RelevanceError, RetrieverError, SuiteError, suggestion
from pytest_relevance.retrievers.protocol import RetrieverEntry

_MOST_TOLD = 300  # characters of a message
_OURS = str(Path(pytest_relevance.__file__).parent)


def import_callable(named: str, config: RetrieverEntry, folder: Path) -> Callable[..., Any]:
    """The callable `package.module:name`, which must take a query (or queries) and a depth.

    Raises:
        SuiteError: the name is not of that form, or there is no such module or callable, with the nearest.
        RetrieverError: importing the module raises an error.
    """
    asker = Asker(f"retriever {config.name!r}", config.place)
    found = _named(named, asker, folder)
    _refuse_unfit(found, named, config)
    function: Callable[..., Any] = found
    return function


def find_callable(named: str, asker: str, place: Place | None, folder: Path) -> Callable[..., Any]:
    """The callable `package.module:name` that something other than a retriever asks for, as messages call it.

    Raises:
        SuiteError, RetrieverError: as `import_callable`.
    """
    found = _named(named, Asker(asker, place), folder)
    if not callable(found):
        raise SuiteError(f"{named!r} is of type {type(found).__name__}", place=place, fix="name a function")
    function: Callable[..., Any] = found
    return function


class Asker(NamedTuple):
    """Who asks for a callable, as messages call it, and where it is written."""

    called: str
    place: Place | None


def _named(named: str, asker: Asker, folder: Path) -> Any:
    module_name, colon, attribute = named.partition(":")
    if not (module_name and colon and attribute):
        raise SuiteError(
            f"function {named!r} of {asker.called} is not of the form package.module:callable",
            place=asker.place,
            fix="for example 'search:rank' for the function rank in search.py",
        )
    with importing_from(folder):
        found: Any = _module(module_name, asker, folder)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise SuiteError(
                f"{module_name!r} has no function {attribute!r}, which {asker.called} asks for",
                place=asker.place,
                fix=suggestion(part, _public(found), label="it has")
                if _public(found)
                else f"write it in {module_name}",
            )
        found = getattr(found, part)
    return found


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Let modules in the suite's folder and in the working folder be imported, for a while."""
    added = [str(folder.resolve()), str(Path.cwd())]
    sys.path[:0] = added
    invalidate_caches()  # a module may have been written a moment ago
    try:
        yield
    finally:
        for path in added:
            with suppress(ValueError):  # the module took it out itself
                sys.path.remove(path)


def told(error: BaseException) -> str:
    """An error in one line: its type, its message, and the last line of the user's own code it came through."""
    message = error.problem if isinstance(error, RelevanceError) else str(error)
    message = " ".join(message.split())
    shown = message if len(message) <= _MOST_TOLD else f"{message[:_MOST_TOLD]}…"
    text = f"{type(error).__name__}: {shown}" if shown else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    if not frames:
        return text
    last = ([frame for frame in frames if "site-packages" not in frame.filename] or frames)[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno}: {last.line})"


def _module(name: str, asker: Asker, folder: Path) -> ModuleType:
    _refuse_namesake(name, asker)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            fix = f"install {error.name} into the environment that runs this"
            raise RetrieverError(
                f"module {name!r} of {asker.called} imports {error.name!r}, which is not there",
                place=asker.place,
                fix=fix,
            ) from error
        beside = sorted({path.stem for path in folder.glob("*.py")} | {path.stem for path in Path.cwd().glob("*.py")})
        raise SuiteError(
            f"there is no module {name!r}, which {asker.called} asks for",
            place=asker.place,
            fix=suggestion(name, beside, label="beside the suite") if beside else f"write it in {folder}",
        ) from error
    except (Exception, SystemExit) as error:
        raise RetrieverError(
            f"importing {name!r} for {asker.called} failed: {told(error)}",
            place=asker.place,
            fix=f"make 'import {name}' work on its own",
        ) from error


def _refuse_namesake(name: str, asker: Asker) -> None:
    """Two suites may each have a `search.py`; Python would silently give the second the first one's."""
    top = name.partition(".")[0]
    loaded = getattr(sys.modules.get(top), "__file__", None)
    spec = PathFinder.find_spec(top) if loaded else None
    if loaded and spec and spec.origin and Path(loaded).resolve() != Path(spec.origin).resolve():
        raise SuiteError(
            f"{asker.called} asks for {spec.origin}, and another {top!r} is loaded already: {loaded}",
            place=asker.place,
            fix="give the two modules different names",
        )


def _refuse_unfit(found: object, named: str, config: RetrieverEntry) -> None:
    problem = fix = None
    if not callable(found):
        problem, fix = f"{named!r} is of type {type(found).__name__}", "name a function"
    elif inspect.iscoroutinefunction(found):
        problem, fix = f"{named!r} is an async function", "write it without async"
    elif not _takes_two(found):
        problem, fix = f"{named!r} takes {inspect.signature(found)}", "let it take (query, depth)"
    if problem:
        raise SuiteError(
            f"{problem}, and retriever {config.name!r} calls it with a query and a depth", place=config.place, fix=fix
        )


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, 1)
    except TypeError:
        return False
    except ValueError:  # no signature is known, as for some functions written in C
        return True
    return True


def _public(module: object) -> list[str]:
    known = getattr(module, "__dict__", {})
    return [name for name, value in known.items() if callable(value) and not name.startswith("_")]
