"""Where a problem is, what it is, and how to fix it: the one form every error of ours takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_PROBLEMS = 10  # problems of one file shown at once; the rest are counted


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text file, as an editor counts it."""

    file: str  # as the user gave it
    line: int  # from 1
    column: int = 1  # from 1, in characters
    source: str = ""  # the line's text, without its end
    width: int = 1  # characters underlined

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class RelevanceError(Exception):
    """A problem the user can fix. `str()` is the whole block: place, problem, source line, fix."""

    def __init__(self, problem: str, *, place: Place | None = None, fix: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place
        self.fix = fix

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self.__dict__.copy()))

    def lines(self) -> list[str]:
        """The block a terminal shows, a line each."""
        head = f"{self.place}: {self.problem}" if self.place else self.problem
        lines = [head]
        if self.place and self.place.source:
            lines += source_lines(self.place)
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return lines


class SuiteError(RelevanceError):
    """A suite file says something that cannot be meant."""


class DataError(RelevanceError):
    """A file of queries, documents, judgments or rankings cannot be read as it stands."""


class MeasureError(RelevanceError):
    """A measure's name is unknown, or it cannot be computed from these judgments."""


class RetrieverError(RelevanceError):
    """A retriever could not be made, or did not answer every query."""


class UsageError(RelevanceError):
    """A call or a command line does not fit together."""


class CombinedError(RelevanceError):
    """Several problems of one file, the first ten whole and the rest counted."""

    def __init__(self, problems: Iterable[RelevanceError], *, total: int | None = None) -> None:
        shown = tuple(problems)
        self.problems = shown[:MOST_PROBLEMS]
        self.total = max(total or 0, len(shown))
        super().__init__(self.problems[0].problem, place=self.problems[0].place, fix=self.problems[0].fix)

    def lines(self) -> list[str]:
        lines = [line for problem in self.problems for line in problem.lines()]
        hidden = self.total - len(self.problems)
        if hidden > 0:
            lines.append(f"and {hidden} more {'problem' if hidden == 1 else 'problems'} of this kind or others")
        return lines


class ProblemList:
    """Collects the problems of one file while its reader goes on."""

    def __init__(self) -> None:
        self._problems: list[RelevanceError] = []
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def add(self, problem: RelevanceError) -> None:
        """Keep `problem` (beyond the first ten only its count)."""
        self._total += 1
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(problem)

    def raise_any(self) -> None:
        """Raise what was collected: one problem as itself, several as `CombinedError`."""
        if self._total == 1:
            raise self._problems[0]
        if self._total > 1:
            raise CombinedError(self._problems, total=self._total)


def source_lines(place: Place) -> list[str]:
    """The source line and a line of carets under the place."""
    number = str(place.line)
    source = place.source.expandtabs(1)
    width = max(1, min(place.width, max(1, len(source) - place.column + 1)))
    return [
        f"  {number} | {source}",
        f"  {' ' * len(number)} | {' ' * (place.column - 1)}{'^' * width}",
    ]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word` in any letter case, or None if none is near."""
    by_fold = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[near[0]] if near else None


def suggestion(word: str, known: Iterable[str], *, label: str = "allowed here") -> str:
    """A fix for an unknown word: the nearest known one, and all that are known."""
    names = list(known)
    near = nearest(word, names)
    return f"{f'did you mean {near!r}? ' if near else ''}{label}: {', '.join(names)}"


def _restored(kind: type[RelevanceError], state: dict[str, Any]) -> RelevanceError:
    # Errors cross process borders under xdist; __init__ signatures differ, so restore the state itself.
    error = kind.__new__(kind)
    Exception.__init__(error, state["problem"])
    error.__dict__.update(state)
    return error
