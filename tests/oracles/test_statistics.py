"""scipy as the judge of our statistics: on values of real runs, and on values made for what real ones seldom show."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from scipy.special import nctdtr

from pytest_relevance.measures import evaluate
from pytest_relevance.stats import (
    Strata,
    benjamini_hochberg,
    bootstrap_interval,
    bootstrap_intervals,
    compare,
    compare_columns,
    power_of,
    queries_needed,
    randomisation_test,
    weighted_interval,
    wilcoxon_p,
)
from pytest_relevance.stats.resampling import resampled_totals
from pytest_relevance.trec import read_qrels, read_run

Floats = npt.NDArray[np.float64]
Columns = tuple[Floats, Floats]

RESAMPLES = 20_000
# Two runs of one collection under one measure, by folder.
REAL = {
    "robust03 nDCG@10": ("qrels.txt.gz", "run.uic0301.txt.gz", "run.humR03dc.txt.gz"),
    "robust03 RR@10": ("qrels.txt.gz", "run.uic0301.txt.gz", "run.MU03rob01.txt.gz"),
    "codec nDCG@10": ("qrels.document.txt", "run.document_bm25-tuned.txt.gz", "run.document_ance-maxp.txt.gz"),
    "codec R@100": ("qrels.document.txt", "run.document_bm25-tuned.txt.gz", "run.document_ance-maxp+t5-maxp.txt.gz"),
    "cast2021 nDCG@10": ("qrels.docs.txt", "run.docs.org_convdr.txt.gz", "run.docs.org_manual_bm25.txt.gz"),
    "cast2021 Success@1": ("qrels.docs.txt", "run.docs.org_convdr.txt.gz", "run.docs.org_manual_ance.txt.gz"),
}
MADE = ("normal", "skewed", "sparse", "small")


@cache
def real_columns(folder: Path, name: str) -> Columns:
    collection, measure = name.split(" ")
    qrels_file, *run_files = (folder / "data" / collection / file for file in REAL[name])
    qrels = read_qrels(qrels_file)
    old, new = (evaluate(read_run(file), qrels, [measure])[measure].column for file in run_files)
    return old, new


def made_columns(name: str) -> Columns:
    random = np.random.default_rng(11)
    old = random.random(80)
    match name:
        case "normal":
            return old, old + random.normal(0.02, 0.1, 80)
        case "skewed":
            return old, old + random.exponential(0.1, 80) - 0.08
        case "sparse":
            return old, old + np.where(random.random(80) < 0.2, random.normal(-0.1, 0.3, 80), 0.0)
        case _:
            return old[:9], old[:9] + random.normal(0.05, 0.1, 9)


@pytest.fixture(params=[*REAL, *MADE])
def columns(request: pytest.FixtureRequest) -> Columns:
    name = str(request.param)
    return real_columns(request.getfixturevalue("shared"), name) if name in REAL else made_columns(name)


def test_the_paired_t_test_is_scipys(columns: Columns) -> None:
    old, new = columns
    expected = scipy.stats.ttest_rel(new, old)
    found = compare(old, new, resamples=10)
    low, high = expected.confidence_interval(0.95)

    assert found.p_student == pytest.approx(expected.pvalue, abs=1e-9, rel=1e-9)
    assert (found.student.low, found.student.high) == pytest.approx((low, high), abs=1e-9)


def test_the_wilcoxon_test_is_scipys(columns: Columns) -> None:
    old, new = columns
    rounded = np.round(new - old, 12)  # what is equal but for rounding is equal here, and would not be there
    sizes = np.abs(rounded[rounded != 0])
    exact = len(sizes) <= 50 and len(np.unique(sizes)) == len(sizes)
    expected = scipy.stats.wilcoxon(rounded[rounded != 0], method="exact" if exact else "approx", correction=False)

    assert wilcoxon_p(new - old) == pytest.approx(expected.pvalue, abs=1e-9, rel=1e-9)


def test_the_randomisation_test_is_scipys_within_monte_carlo_error(columns: Columns) -> None:
    old, new = columns
    expected = scipy.stats.permutation_test(
        (new, old),
        lambda one, other, axis: (one - other).mean(axis=axis),
        permutation_type="samples",
        n_resamples=RESAMPLES,
        rng=3,
    )
    found = randomisation_test(new - old, flips=RESAMPLES)[0]
    error = np.sqrt(2 * found.two_sided * (1 - found.two_sided) / RESAMPLES)

    assert found.two_sided == pytest.approx(expected.pvalue, abs=4 * error + 3 / RESAMPLES)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_intervals_are_scipys_within_monte_carlo_error(columns: Columns, method: str) -> None:
    old, new = columns
    theirs = scipy.stats.bootstrap(
        (new - old,), np.mean, n_resamples=RESAMPLES, method="BCa" if method == "bca" else method, rng=3
    ).confidence_interval
    found = compare(old, new, resamples=RESAMPLES)
    ours = found.bca if method == "bca" else found.percentile

    # A quantile's error in shares of the width: √(0.025 · 0.975 / B) over the normal density there, four of them.
    error = 4 * np.sqrt(2 * 0.025 * 0.975 / RESAMPLES) / 0.0584 / 3.92 * (theirs.high - theirs.low)
    if set(np.unique(new - old)) <= {-1.0, 0.0, 1.0}:
        error += 1 / len(old)  # means of yes-or-no values lie 1 / queries apart
    assert ours.low == pytest.approx(theirs.low, abs=error)
    assert ours.high == pytest.approx(theirs.high, abs=error)


def test_the_interval_of_one_runs_mean_is_scipys(columns: Columns) -> None:
    theirs = scipy.stats.bootstrap((columns[1],), np.mean, n_resamples=RESAMPLES, rng=3).confidence_interval
    ours = bootstrap_interval(columns[1], resamples=RESAMPLES, method="bca")

    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.025 * (theirs.high - theirs.low))


def test_columns_compared_together_are_as_when_compared_alone() -> None:
    pairs = [made_columns(name) for name in ("normal", "skewed", "sparse")]
    old, new = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))

    for together, pair in zip(compare_columns(old, new, resamples=500), pairs, strict=True):
        alone = compare(*pair, resamples=500)
        assert together.p_randomisation == alone.p_randomisation
        assert (together.bca.low, together.bca.high) == pytest.approx((alone.bca.low, alone.bca.high), abs=1e-12)


def test_a_stratified_interval_is_that_of_resampling_each_slice() -> None:
    random = np.random.default_rng(5)
    short, long = random.random(60), random.random(15) ** 3
    drawn = [
        0.8 * short[random.integers(0, 60, (RESAMPLES, 60))].mean(axis=1),
        0.2 * long[random.integers(0, 15, (RESAMPLES, 15))].mean(axis=1),
    ]
    low, high = np.quantile(drawn[0] + drawn[1], [0.025, 0.975])
    found = weighted_interval({"short": short, "long": long}, {"short": 0.8, "long": 0.2}, resamples=RESAMPLES)

    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def test_strata_of_one_slice_are_no_strata() -> None:
    column = made_columns("skewed")[0]
    strata = Strata(np.zeros(80, dtype=np.int64), np.ones(1))

    assert bootstrap_intervals(column, strata=strata) == bootstrap_intervals(column)


def test_welchs_t_is_the_stratified_one_of_two_groups_of_equal_share() -> None:
    random = np.random.default_rng(7)
    one, other = random.normal(0.3, 0.1, 12), random.normal(0.1, 0.4, 30)
    expected = scipy.stats.ttest_ind(one, other, equal_var=False)
    strata = Strata(np.repeat([0, 1], [12, 30]), np.array([0.5, 0.5]))
    found = compare(np.zeros(42), np.concatenate([one, -other]), strata=strata, resamples=10)

    assert found.p_student == pytest.approx(expected.pvalue, rel=1e-9)


def test_benjamini_and_hochberg_is_scipys() -> None:
    p_values = [0.001, 0.2, 0.03, 0.03, 0.9, 0.004]

    assert benjamini_hochberg(p_values) == pytest.approx(tuple(scipy.stats.false_discovery_control(p_values)))


def test_many_queries_are_drawn_by_the_multinomial_law() -> None:
    # 6,000 queries take the fast road; the mean of a column that is 1 at one query tells how often it was drawn.
    one = np.zeros((6_000, 40))
    one[np.arange(40) * 150, np.arange(40)] = 6_000.0
    counts = np.round(resampled_totals(one, Strata.whole(6_000), resamples=2_000, seed=1)).astype(int)
    seen = np.bincount(counts.ravel(), minlength=8)[:7]
    expected = scipy.stats.binom.pmf(np.arange(7), 6_000, 1 / 6_000) * counts.size

    assert scipy.stats.chisquare(seen[:6], expected[:6] * seen[:6].sum() / expected[:6].sum()).pvalue > 0.001
    assert np.abs(seen - expected).max() < 5 * np.sqrt(expected.max())


def test_many_queries_have_the_interval_of_few_ways_to_draw_them() -> None:
    column = np.random.default_rng(2).exponential(1.0, 6_000)
    theirs = scipy.stats.bootstrap((column,), np.mean, n_resamples=5_000, method="percentile", rng=3, batch=500)
    low, high = theirs.confidence_interval
    ours = bootstrap_interval(column, resamples=5_000)

    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.04 * (high - low))


def test_power_is_what_simulated_suites_show() -> None:
    random = np.random.default_rng(1)
    drops = random.normal(0.05, 0.1, (20_000, 34))
    shown = scipy.stats.ttest_1samp(drops, 0.0, axis=1)
    rate = float(((shown.pvalue <= 0.05) & (shown.statistic > 0)).mean())

    assert power_of(34, drop=0.05, deviation=0.1) == pytest.approx(rate, abs=0.012)  # four standard errors


@pytest.mark.parametrize(
    ("effect", "sides", "queries"),
    [(0.2, 2, 199), (0.5, 2, 34), (0.8, 2, 15), (0.2, 1, 156), (0.5, 1, 27), (0.8, 1, 12)],
)
def test_the_queries_needed_are_those_of_the_usual_tables(effect: float, sides: int, queries: int) -> None:
    """Cohen's small, medium and large d_z at level 0.05 and power 0.80, as G*Power prints them for matched pairs."""
    found = queries_needed(effect, deviation=1.0, sides=1 if sides == 1 else 2)

    assert found == queries
    critical = scipy.stats.t.ppf(1 - 0.05 / sides, queries - 1)
    assert 1 - nctdtr(queries - 1, effect * queries**0.5, critical) >= 0.8
    smaller = scipy.stats.t.ppf(1 - 0.05 / sides, queries - 2)
    assert 1 - nctdtr(queries - 2, effect * (queries - 1) ** 0.5, smaller) < 0.8
