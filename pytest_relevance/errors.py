"""Where a problem is, what it is, and how to fix it: the one form every error of ours takes."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_ACTED_ON = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # control and direction characters
MOST_PROBLEMS = 10  # problems of one file shown at once; the rest are counted
MOST_SHOWN = 160  # characters of a source line shown


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text file, as an editor counts it."""

    file: str  # as the user gave it
    line: int  # from 1
    column: int = 1  # from 1, in characters
    source: str = ""  # the line's text, without its end
    width: int = 1  # characters underlined

    def __str__(self) -> str:
        return f"{as_shown(self.file)}:{self.line}:{self.column}"


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
        lines = [_harmless(head)]
        if self.place and self.place.source:
            lines += source_lines(self.place)
        if self.fix:
            lines.append(f"  fix: {_harmless(self.fix)}")
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

    def raise_any(self, *, total: int = 0) -> None:
        """Raise what was collected: one problem as itself, several as `CombinedError` (`total`: how many there are)."""
        count = max(total, self._total)
        if count == 1:
            raise self._problems[0]
        if count > 1:
            raise CombinedError(self._problems, total=count)


def as_shown(file: str) -> str:
    """A file's path as a user would type it: from the working directory where it is below that."""
    here = os.getcwd()  # noqa: PTH109 # compared as text, for every problem that is shown
    return file.removeprefix(here + os.sep) if file.startswith(here + os.sep) else file


def source_lines(place: Place) -> list[str]:
    """The source line and a line of carets under the place.

    Only the part around the place of a long line is shown, and what a terminal would act on is shown as an escape.
    """
    start = max(0, place.column - 1 - MOST_SHOWN // 2) if len(place.source) > MOST_SHOWN else 0
    part = place.source[start : start + MOST_SHOWN]
    cells = [_visible(character) for character in part]
    lead = "…" if start else ""
    trail = "…" if start + MOST_SHOWN < len(place.source) else ""
    first = place.column - 1 - start
    before = len(lead) + sum(map(len, cells[:first])) + max(0, first - len(cells))
    width = max(1, sum(map(len, cells[first : first + place.width])))
    number = str(place.line)
    return [
        f"  {number} | {lead}{''.join(cells)}{trail}",
        f"  {' ' * len(number)} | {' ' * before}{'^' * width}",
    ]


def quoted(text: object, most: int = 60) -> str:
    """Text between quotes as a message shows it: control characters escaped, long texts cut."""
    shown = str(text)
    return repr(shown) if len(shown) <= most else f"{shown[:most]!r}…"


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


def _harmless(text: str) -> str:
    """Text without what a terminal would act on, line breaks apart."""
    return _ACTED_ON.sub(lambda match: _visible(match[0]), text)


def _visible(character: str) -> str:
    if character == "\t":
        return " "
    if character.isprintable() or character == "\u3000":  # the blank of Chinese and Japanese text
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _restored(kind: type[RelevanceError], state: dict[str, Any]) -> RelevanceError:
    # Errors cross process borders under xdist; __init__ signatures differ, so restore the state itself.
    error = kind.__new__(kind)
    Exception.__init__(error, state["problem"])
    error.__dict__.update(state)
    return error
