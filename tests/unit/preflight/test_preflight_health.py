"""The health of judgments, with numbers checkable by pencil."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pytest_relevance.cli import main
from pytest_relevance.preflight import Material
from pytest_relevance.preflight.health import Spread, health_of
from pytest_relevance.records import Qrels, Run
from pytest_relevance.report.health import health_as_dict, health_lines
from pytest_relevance.suite import Grades

MATERIAL = Material(
    qrels={"editors": Qrels.from_dict({"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}, "q3": {"e": 0, "f": 0}})},
    runs={"live": Run.from_rankings({"q1": ["a", "x"], "q2": ["d"], "q3": ["y"]})},
    grades=Grades(max=2),
)


def test_counts_grades_and_slices() -> None:
    health = health_of(MATERIAL, "editors", slices={"type=short": ("q1", "q3", "q9"), "type=long": ()})

    assert (health.queries, health.judgments) == (3, 6)
    assert health.grades == {"0": 3, "1": 2, "2": 1}
    assert (health.slices["type=short"].queries, health.slices["type=short"].judged_queries) == (3, 2)
    assert health.slices["type=short"].judgments == 5
    assert health.slices["type=long"].judgments == 0


def test_positives_per_query_are_two_one_and_none() -> None:
    positives = health_of(MATERIAL, "editors").positives

    assert (positives.least, positives.median, positives.most) == (0, 1, 2)
    assert positives.iqr == 1.0  # 0.5 to 1.5


def test_the_ceiling_is_the_best_that_the_judgments_allow() -> None:
    health = health_of(MATERIAL, "editors", cutoff=2)

    whole = 2 + 2 / log2(3)
    best = [(2 + 1 / log2(3)) / whole, 1 / whole, 0]
    assert health.ceiling == pytest.approx(sum(best) / 3)
    assert health.poor == pytest.approx(2 / 3)
    assert health.poorest == ("q3", "q2")


def test_coverage_is_judged_at_the_cutoff_of_each_run() -> None:
    assert health_of(MATERIAL, "editors").coverage == {"live": pytest.approx((0.5 + 1 + 0) / 3)}


def test_a_spread_has_the_quantiles_of_numpy() -> None:
    spread = Spread.of(np.arange(101, dtype=np.float64))

    assert (spread.p5, spread.p25, spread.median, spread.p75, spread.p95) == (5, 25, 50, 75, 95)


def test_the_page_draws_bars_and_the_data_holds_the_same() -> None:
    health = health_of(MATERIAL, "editors")

    assert "    0  3  50.0%  ########################################" in health_lines(health)
    assert health_as_dict(health)["positives"]["iqr"] == 1.0


def test_the_command_prints_it_as_json(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 0\n", encoding="utf-8")

    result = CliRunner().invoke(main, ["check", "--qrels", str(tmp_path / "qrels.txt"), "--health", "--json"])

    told = json.loads(result.output)
    assert result.exit_code == 0
    assert told["counts"] == {"error": 0, "warning": 0, "note": 0}
    assert told["health"][0]["judgments"] == 2
    assert told["health"][0]["ceiling"] == pytest.approx(1 / sum(1 / log2(rank + 1) for rank in range(1, 11)))
