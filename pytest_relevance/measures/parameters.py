"""What may stand in the brackets: each parameter's values, and what is said when they are wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_relevance.measures.notation import Argument, Part, Reader, Value

Read = Callable[[Value], Any]  # the setting, or None if the value cannot be meant

_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Parameter:
    """How one parameter is read, and what it takes, in words."""

    read: Read
    takes: str
    example: str


def read_parameter(parameter: Parameter, argument: Argument, reader: Reader) -> Any:
    """The setting an argument stands for.

    Raises:
        MeasureError: its value is not one the parameter takes.
    """
    setting = parameter.read(argument.value)
    if setting is None:
        raise reader.error(
            f"{argument.key.text}={argument.shown.text} is not {parameter.takes}",
            argument.shown,
            f"write for example {argument.key.text}={parameter.example}",
        )
    return setting


def read_cutoff(at: Part, reader: Reader) -> int:
    """The whole number after @.

    Raises:
        MeasureError: it is missing, not whole, below 1 or of ten digits.
    """
    if not _WHOLE.fullmatch(at.text) or int(at.text) == 0:
        what = f"cutoff {at.text!r} is not" if at.text else "the cutoff is missing: it is"
        fix = "write the parameters first, for example 'P(rel=2)@10'" if "(" in at.text else "write for example '@10'"
        raise reader.error(f"{what} a whole number from 1 up", at, fix)
    return int(at.text)


def _number(fits: Callable[[float], bool]) -> Read:
    def read(value: Value) -> float | None:
        whole = isinstance(value, float) and math.isfinite(value) and fits(value)
        return value if whole and isinstance(value, float) else None

    return read


def one_of(*words: str) -> Read:
    """Reads one of these words, in any letter case."""

    def read(value: Value) -> str | None:
        return value.casefold() if isinstance(value, str) and value.casefold() in words else None

    return read


def truth(value: Value) -> bool | None:
    """Reads True or False."""
    return value if isinstance(value, bool) else None


def _table(value: Value) -> Value | None:
    fits = isinstance(value, tuple) and all(math.isfinite(grade) and 0 <= gain < math.inf for grade, gain in value)
    return value if fits else None


PARAMETERS = {
    "rel": Parameter(_number(lambda _: True), "a grade", "2"),
    "gain": Parameter(one_of("linear", "exp"), "'linear' or 'exp'", "'exp'"),
    "gains": Parameter(_table, "a table of gains from 0 up", "{0:0,1:1,2:5}"),
    "ideal": Parameter(one_of("query", "max", "retrieved"), "'query', 'max' or 'retrieved'", "'max'"),
    "max_grade": Parameter(_number(lambda value: value > 0), "a grade above 0", "3"),
    "judged_only": Parameter(truth, "True or False", "True"),
    "p": Parameter(_number(lambda value: 0 < value < 1), "between 0 and 1", "0.8"),
    "graded": Parameter(truth, "True or False", "True"),
    "of": Parameter(one_of("retrieved", "cutoff"), "'retrieved' or 'cutoff'", "'cutoff'"),
    "beta": Parameter(_number(lambda value: value > 0), "a number above 0", "0.5"),
}
