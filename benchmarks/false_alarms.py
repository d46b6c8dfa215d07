"""How often the default gate cries wolf, and how often it sees a real loss: `python benchmarks/false_alarms.py`.

Each row is a number of simulated comparisons of two pseudo-runs, decided by `decide_drop` with its defaults. A
pseudo-run is made of real per-query values: the queries are Poisson-resampled (each enters as often as a Poisson
variable of mean `size` / queries says, so that the number of queries varies too), and the values are dealt to old and
new so that nothing truly differs, or so that a known loss does.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from math import inf, sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_relevance.measures import evaluate
from pytest_relevance.stats import compare, decide_drop, minimum_detectable_drop
from pytest_relevance.trec import read_qrels, read_run

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Pair = tuple[Floats, Floats]  # values of two runs for the same queries
Kind = Callable[[np.random.Generator, Pair, int], Pair]

ROOT = Path(__file__).resolve().parent.parent
COLLECTIONS = {
    "robust03": ("qrels.txt.gz", "run.uic0301.txt.gz", "run.MU03rob01.txt.gz"),
    "codec": ("qrels.document.txt", "run.document_bm25-tuned.txt.gz", "run.document_ance-maxp.txt.gz"),
    "cast2021": ("qrels.docs.txt", "run.docs.org_manual_bm25.txt.gz", "run.docs.org_manual_ance.txt.gz"),
}
MEASURES = ("nDCG@10", "R@100", "RR@10", "Success@1")
SIZES = (10, 25, 50, 100, 200)
ALLOWED = 0.01
STRUCK = 0.2  # share of queries that a patchy loss strikes


@dataclass(frozen=True)
class Rates:
    """What came of the comparisons of one row."""

    failed: int
    passed: int
    comparisons: int

    def __add__(self, other: Rates) -> Rates:
        return Rates(self.failed + other.failed, self.passed + other.passed, self.comparisons + other.comparisons)

    def share(self, count: int) -> str:
        """A rate in percent with two standard errors of the simulation."""
        rate = count / self.comparisons
        return f"{100 * rate:.2f} ± {200 * sqrt(rate * (1 - rate) / self.comparisons):.2f}"


def pairs_from(folder: Path) -> dict[str, Pair]:
    """Values of two real runs for each collection and measure, from a folder of TREC files."""
    pairs: dict[str, Pair] = {}
    for name, (qrels_file, *run_files) in COLLECTIONS.items():
        qrels = read_qrels(folder / name / qrels_file)
        old, new = (evaluate(read_run(folder / name / file), qrels, MEASURES) for file in run_files)
        pairs |= {f"{name} {measure}": (old[measure].column, new[measure].column) for measure in MEASURES}
    return pairs


def synthetic_pairs(seed: int) -> dict[str, Pair]:
    """Values shaped as real ones are: graded with many zeros, and yes or no; two related runs."""
    random = np.random.default_rng(seed)
    ease = random.beta(1, 1.3, 150)
    graded = [np.where(random.random(150) < 0.2, 0.0, np.clip(ease + random.normal(0, 0.15, 150), 0, 1)) for _ in "ab"]
    binary = [(random.random(150) < ease).astype(np.float64) for _ in "ab"]
    return {"synthetic graded": (graded[0], graded[1]), "synthetic yes or no": (binary[0], binary[1])}


def poisson_places(random: np.random.Generator, queries: int, size: int) -> Places:
    """Places of the queries of a pseudo-run, each as often as a Poisson variable says; two at least."""
    while True:
        places = np.repeat(np.arange(queries), random.poisson(size / queries, queries))
        if len(places) >= 2:
            return places


def identical(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """The same run twice."""
    values = pair[0][poisson_places(random, len(pair[0]), size)]
    return values, values.copy()


def swapped(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """For each query a coin decides which of the two real runs is old and which is new."""
    return dealt(random, pair, poisson_places(random, len(pair[0]), size))


def dealt(random: np.random.Generator, pair: Pair, places: Places) -> Pair:
    """Old and new values at these places, by a coin for each."""
    heads = random.random(len(places)) < 0.5
    one, other = pair[0][places], pair[1][places]
    return np.where(heads, one, other), np.where(heads, other, one)


def redrawn(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """Old and new are each drawn anew from the values of one real run: much noise, nothing in common."""
    places = poisson_places(random, len(pair[0]), size)
    return pair[0][places], pair[0][random.integers(0, len(pair[0]), len(places))]


def few_flips(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """A retriever that is not quite deterministic: one query in twelve is swapped as in `swapped`, the others stay."""
    old, new = swapped(random, pair, size)
    return old, np.where(random.random(len(old)) < 1 / 12, new, old)


def at_the_edge(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """The true drop is exactly the allowed one, and its noise is as skewed as that between the two real runs."""
    old, new = pair[0], pair[1] + (pair[0] - pair[1]).mean() - ALLOWED
    places = poisson_places(random, len(old), size)
    return old[places], new[places]


def even_loss(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """Dealt by a coin, and every one of `size` queries loses the minimum detectable drop stated for so many."""
    old, new = dealt(random, pair, random.integers(0, len(pair[0]), size))
    return old, new - (ALLOWED + unit_drop(size) * deviation_of(pair))


def patchy_loss(random: np.random.Generator, pair: Pair, size: int) -> Pair:
    """Dealt by a coin, and a fifth of the queries lose so much that the mean loss is the one stated."""
    old, new = dealt(random, pair, random.integers(0, len(pair[0]), size))
    struck = random.random(size) < STRUCK
    return old, new - np.where(struck, struck_loss(pair, size), 0.0)


def deviation_of(pair: Pair) -> float:
    """Standard deviation of the differences of values dealt by a coin."""
    return sqrt(float(((pair[0] - pair[1]) ** 2).mean()))


@cache
def unit_drop(size: int) -> float:
    """The minimum detectable drop of so many queries, in standard deviations of the differences."""
    return minimum_detectable_drop(size, deviation=1.0) or inf


def struck_loss(pair: Pair, size: int) -> float:
    """What each struck query loses, so that the mean loss is the drop stated for differences with that very loss.

    Infinite where there is none: so few queries never show a loss that strikes a fifth of them, however large.
    """
    unit, odds = unit_drop(size) ** 2, (1 - STRUCK) / STRUCK
    rest = 1 - unit * odds  # mean = allowed + √(unit · (deviation² + odds · mean²)), solved for the mean
    if rest <= 0:
        return inf
    return (ALLOWED + sqrt(ALLOWED**2 - rest * (ALLOWED**2 - unit * deviation_of(pair) ** 2))) / rest / STRUCK


def possible(kind: Kind, pair: Pair, size: int) -> bool:
    """Whether the loss can be: no query can lose more than 1."""
    return kind is not patchy_loss or struck_loss(pair, size) <= 1


NO_EFFECT: Mapping[str, tuple[Kind, float]] = {
    "identical, max_drop 0": (identical, 0.0),
    "swapped, max_drop 0": (swapped, 0.0),
    "swapped, max_drop 0.01": (swapped, ALLOWED),
    "redrawn, max_drop 0": (redrawn, 0.0),
    "few flips, max_drop 0": (few_flips, 0.0),
    "true drop = max_drop = 0.01, skewed": (at_the_edge, ALLOWED),
}
REAL_LOSS: Mapping[str, tuple[Kind, float]] = {
    "every query loses it": (even_loss, ALLOWED),
    "a fifth of the queries lose it": (patchy_loss, ALLOWED),
}


def simulated(kind: Kind, allowed: float, size: int, pair: Pair, comparisons: int, seed: int) -> Rates:
    """Decide so many comparisons of one kind."""
    random = np.random.default_rng(seed)
    outcomes = []
    for number in range(comparisons):
        old, new = kind(random, pair, size)
        outcomes.append(decide_drop(old, new, max_drop=allowed, seed=seed + number).outcome)
    return Rates(outcomes.count("fail"), outcomes.count("pass"), comparisons)


def rows(
    pool: ProcessPoolExecutor,
    pairs: Sequence[Pair],
    kinds: Mapping[str, tuple[Kind, float]],
    comparisons: int,
    seed: int,
) -> Iterator[tuple[str, int, Rates]]:
    """Name, size and rates of each row, the comparisons dealt evenly over the pairs of runs."""
    for name, (kind, allowed) in kinds.items():
        for size in SIZES:
            able = [pair for pair in pairs if possible(kind, pair, size)]
            each = -(-comparisons // max(len(able), 1) // len(SIZES))
            seeds = range(seed, seed + len(able))
            done = pool.map(partial(simulated, kind, allowed, size), able, [each] * len(able), seeds)
            if able:
                yield name, size, sum(done, Rates(0, 0, 0))


def beyond(kind: Kind, allowed: float, size: int, pair: Pair, comparisons: int, seed: int) -> list[int]:
    """How many 95 % intervals of the drop lie wholly above the true one: Student's t, percentile, BCa."""
    random = np.random.default_rng(seed)
    above = np.zeros(3, dtype=np.int64)
    for number in range(comparisons):
        found = compare(*kind(random, pair, size), resamples=1_000, seed=seed + number)
        above += [interval.high < -allowed for interval in (found.student, found.percentile, found.bca)]
    return [int(count) for count in above]


def print_intervals(pool: ProcessPoolExecutor, pairs: Sequence[Pair], comparisons: int, seed: int) -> None:
    """Why the gate's interval is Student's t: the tail error of all three, which should be 2.5 %."""
    print("\n### Intervals of 95 % wholly above the true drop (2.5 % nominal)\n")
    print("| pseudo-runs | queries | comparisons | t % | percentile % | BCa % |\n|---|---|---|---|---|---|")
    each = -(-comparisons // len(pairs) // len(SIZES))
    for name in ("swapped, max_drop 0", "true drop = max_drop = 0.01, skewed"):
        kind, allowed = NO_EFFECT[name]
        true_drop = allowed if kind is at_the_edge else 0.0
        for size in SIZES:
            seeds = range(seed, seed + len(pairs))
            found = pool.map(partial(beyond, kind, true_drop, size), pairs, [each] * len(pairs), seeds)
            counts, whole = np.sum(list(found), axis=0).tolist(), each * len(pairs)
            shares = " | ".join(Rates(count, 0, whole).share(count) for count in counts)
            print(f"| {name.split(',')[0]} | {size} | {whole} | {shares} |", flush=True)


def print_table(title: str, found: Iterator[tuple[str, int, Rates]]) -> None:
    """A Markdown table, a row as soon as it is known, and a row over all sizes."""
    print(f"\n### {title}\n\n| pseudo-runs | queries | comparisons | fail % | pass % | inconclusive % |")
    print("|---|---|---|---|---|---|")
    all_sizes: dict[str, Rates] = {}
    for name, size, rates in found:
        all_sizes[name] = all_sizes.get(name, Rates(0, 0, 0)) + rates
        print_row(name, str(size), rates)
    for name, rates in all_sizes.items():
        print_row(f"**{name}**", "all", rates)


def print_row(name: str, size: str, rates: Rates) -> None:
    """One row of the table."""
    left = rates.comparisons - rates.failed - rates.passed
    shares = " | ".join(rates.share(count) for count in (rates.failed, rates.passed, left))
    print(f"| {name} | {size} | {rates.comparisons} | {shares} |", flush=True)


def main() -> None:
    """Print the three tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=10_000, help="of each kind, over all sizes (10000)")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of real runs")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same tables (1)")
    options = parser.parse_args()
    pairs = pairs_from(options.data) if options.data.is_dir() else synthetic_pairs(options.seed)
    print(f"Values: {', '.join(pairs)}. Confidence 0.95; ± is two standard errors of the simulation.")
    with ProcessPoolExecutor(options.jobs) as pool:
        made = partial(rows, pool, list(pairs.values()), comparisons=options.comparisons, seed=options.seed)
        print_table("No loss beyond what is allowed: fails are false alarms, at most 5 % (nominal)", made(NO_EFFECT))
        print_table("A loss of the stated minimum detectable drop: fails are hits, 80 % stated", made(REAL_LOSS))
        print_intervals(pool, list(pairs.values()), options.comparisons, options.seed)


if __name__ == "__main__":
    main()
