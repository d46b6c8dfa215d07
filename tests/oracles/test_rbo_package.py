"""Our RBO against the `rbo` package, on rankings of every kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.measures import rbo

package = pytest.importorskip(
    "rbo", reason="needs the package 'rbo': pip install --no-deps rbo (scripts/environment does)"
)

RANKINGS = st.lists(st.sampled_from("abcdefghijklmno"), min_size=1, max_size=12, unique=True)


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")  # the package's own
@given(ranking=RANKINGS, other=RANKINGS, p=st.floats(0.05, 0.95))
def test_values_are_those_of_the_package(ranking: list[str], other: list[str], p: float) -> None:
    theirs = package.RankingSimilarity(ranking, other)

    assert rbo(ranking, other, p=p) == pytest.approx(theirs.rbo_ext(p=p), abs=1e-12)
    assert rbo(ranking, other, p=p, kind="truncated") == pytest.approx(theirs.rbo(p=p), abs=1e-12)
