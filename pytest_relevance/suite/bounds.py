"""Bounds on a value, and how deep a measure has to look: what checks and expectations share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, model_validator

from pytest_relevance.measures import Measure, OverlapMeasure
from pytest_relevance.suite.forms import Form, misfit
from pytest_relevance.suite.names import Share

WHOLE_LIST = 1000  # documents retrieved for what looks at the whole list, as trec_eval's users do
LEAST_DEPTH = 10  # documents retrieved where nothing asks for more: what a person looks at


class Bounded(Form):
    """Holds `at_least`, `at_most`, or both."""

    at_least: Share | None = Field(None, description="the value may not be lower; a share may be written as 42%")
    at_most: Share | None = Field(None, description="the value may not be higher")

    @model_validator(mode="after")
    def _bounded(self) -> Bounded:
        if self.at_least is None and self.at_most is None:
            raise misfit("{path} has no bound", "add one, for example 'at_least: 0.42' or 'at_most: 0.05'")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise misfit("{path}: at_least is above at_most", "no value can be both: change one", key="at_least")
        return self

    def refuse_outside(self, measure: Measure | OverlapMeasure) -> None:
        """Refuse a bound that no value reaches: such a check could only fail, or only pass."""
        low, high = measure.lower, measure.upper
        for key, bound in (("at_least", self.at_least), ("at_most", self.at_most)):
            if bound is not None and ((high is not None and bound > high) or (low is not None and bound < low)):
                ends = " to ".join(f"{end:g}" if end is not None else "any number" for end in (low, high))
                problem = f"{{path}}: {key} is {bound:g}, and values of {measure.name} go from {ends}"
                raise misfit(problem, "write for example 0.42 or 42%", key=key)

    @property
    def bounds(self) -> str:
        """`at least 0.42 at most 0.5`"""
        return " ".join(
            f"{word} {bound!r}"
            for word, bound in (("at least", self.at_least), ("at most", self.at_most))
            if bound is not None
        )


MOST_DEPTH = 1_000_000  # documents of one ranking: more is a slip of the finger

Depth: TypeAlias = Annotated[int, Field(ge=1, le=MOST_DEPTH)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=MOST_DEPTH)]


def depth_of(measure: Measure) -> int:
    """Documents a measure needs of each ranking."""
    return WHOLE_LIST if measure.depth is None else measure.depth
