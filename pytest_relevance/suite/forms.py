"""Forms: pydantic models of what a user writes, filled from located trees, with every misfit as a located error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, PrivateAttr, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pytest_relevance.errors import Place, ProblemList
from pytest_relevance.suite.located import Table
from pytest_relevance.suite.misfits import MISFIT, error_of, found_at, is_echo
from pytest_relevance.suite.source import Source, Spot

AnyModel = TypeVar("AnyModel", bound=BaseModel)

_NOWHERE = Spot(Source("suite", ""), 0, 0)


class Form(BaseModel):
    """What all forms share: frozen, no unknown keys, and they know where they were written."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
        defer_build=True,  # a suite uses few of the forms, and building all takes as long as starting pytest
    )

    example: ClassVar[str] = ""  # one line that a fix can show

    _spot: Spot = PrivateAttr(default_factory=lambda: _NOWHERE)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_spot(cls, written: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        form = handler(written)
        if type(written) is Table:
            form._spot = written.spot
        return form

    @property
    def spot(self) -> Spot:
        """Where it was written; a form that was not read from a file is nowhere."""
        return self._spot

    @property
    def place(self) -> Place:
        return self._spot.place


def misfit(
    problem: str, fix: str | None = None, *, key: str | None = None, at_key: bool = False
) -> PydanticCustomError:
    """An error of ours raised inside pydantic; `{written}` in it becomes the value as the user wrote it.

    `key` names the key of the value that is to blame, where the value is keys and values; with `at_key` the key itself.
    """
    return PydanticCustomError(MISFIT, "does not fit", {"problem": problem, "fix": fix, "key": key, "at_key": at_key})


def misfit_again(again: Callable[[Place], object]) -> PydanticCustomError:
    """The RelevanceError that `again` raises once it is told the place."""
    return PydanticCustomError(MISFIT, "does not fit", {"again": again})


def fill(form: type[AnyModel], written: Table, value: Any = None, *, where: str = "", context: Any = None) -> AnyModel:
    """The form with what is written in `written`; `where` is how messages call it.

    `value` is validated instead of `written` where a model wants other Python values in the same shape.

    Raises:
        SuiteError: one thing does not fit. CombinedError: several do not.
    """
    try:
        return form.model_validate(written if value is None else value, context=context)
    except ValidationError as error:
        problems = ProblemList()
        located = [(found_at(written, complaint, where), complaint) for complaint in error.errors(include_url=False)]
        for found, complaint in sorted(located, key=lambda pair: pair[0].spot.start):
            if not is_echo(complaint, found):
                problems.add(error_of(complaint, found, form))
    problems.raise_any()
    raise AssertionError("pydantic complained of nothing")
