"""RBO of many pairs of rankings against the `rbo` package, in one run: `python benchmarks/overlap.py`.

Ours takes all pairs at once; the package takes them one by one, so it gets a sample, and both are compared by pairs a
second. Both get rankings that are in memory already: ours as two runs, the package as lists of text. The runs share one
vocabulary, or have one each, and then finding the ids of one in the other is timed too. The two sides take turns, and
the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pytest_relevance.measures import overlap
from pytest_relevance.records import Ids, Run
from pytest_relevance.records.ids import Integers

DOCUMENTS = 1_000_000  # distinct doc_ids
POOL = 1.5  # documents a query's two rankings draw from, as a multiple of the depth: two thirds are shared
PATTERNS = 64  # different permutations of a pool
CELLS = 200_000  # documents of the sample, so that the slow side takes about a second a round
P = 0.9


@dataclass(frozen=True)
class Contest:
    """One of our measures and the call of the package that defines the same."""

    measure: str
    theirs: str
    vocabularies: int = 1


CONTESTS = (
    Contest(f"RBO(p={P})", "rbo_ext"),
    Contest(f"RBO(p={P})", "rbo_ext", vocabularies=2),
    Contest(f"RBO(p={P},kind='truncated')", "rbo"),
)


def run_of(name: str, pairs: int, depth: int, documents: Ids, random: np.random.Generator) -> Run:
    """A run whose query i ranks `depth` documents of the i-th pool."""
    patterns = np.array([random.permutation(int(POOL * depth))[:depth] for _ in range(PATTERNS)])
    chosen = random.integers(0, PATTERNS, pairs)
    codes: Integers = np.empty(pairs * depth, dtype=np.int64)
    for first in range(0, pairs, 1000):
        rows = np.arange(first, min(first + 1000, pairs))
        block = (patterns[chosen[rows]] + rows[:, None] * 7919) % DOCUMENTS
        codes[first * depth : (first + len(rows)) * depth] = block.reshape(-1)
    scores = np.broadcast_to(np.float64(0.0), codes.shape)  # the order is given, and costs no memory
    queries = tuple(str(query) for query in range(pairs))
    return Run(queries, np.arange(pairs + 1) * depth, documents, codes, scores, name)


def lists_of(run: Run, sample: int) -> list[list[str]]:
    """The first rankings as the package takes them."""
    return [list(run.ranking(str(query))) for query in range(sample)]


def timed(work: Callable[[], list[float]]) -> tuple[float, list[float]]:
    """Seconds, and what came out."""
    start = time.perf_counter()
    values = work()
    return time.perf_counter() - start, values


def contest(each: Contest, pairs: int, depth: int, rounds: int) -> str:
    """Run both in turn; one line of the table."""
    from rbo import RankingSimilarity  # type: ignore[import-untyped]  # the package ships no types

    random = np.random.default_rng(depth)
    ids = Ids.of(f"document-{number:07d}" for number in range(DOCUMENTS))
    run = run_of("one", pairs, depth, ids, random)
    other = run_of("other", pairs, depth, ids if each.vocabularies == 1 else Ids(ids.data, ids.offsets), random)
    sample = min(pairs, CELLS // depth)
    lists = list(zip(lists_of(run, sample), lists_of(other, sample), strict=True))

    def ours() -> list[float]:
        return [float(value) for value in overlap(run, other, each.measure).column[:sample]]

    def theirs() -> list[float]:
        return [getattr(RankingSimilarity(*pair), each.theirs)(p=P) for pair in lists]

    taken = [(timed(ours), timed(theirs)) for _ in range(rounds)]
    our_rate = pairs / statistics.median(mine[0] for mine, _ in taken)
    their_rate = sample / statistics.median(rival[0] for _, rival in taken)
    apart = max(abs(mine - rival) for mine, rival in zip(taken[0][0][1], taken[0][1][1], strict=True))
    return (
        f"{depth:>5}  {each.measure:<28} {each.vocabularies:>5}  {each.theirs:<8} "
        f"{our_rate:>9,.0f} {their_rate:>10,.0f} {our_rate / their_rate:>6.1f}x  {apart:.0e}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=70_000, help="pairs of rankings ours takes (default 70,000)")
    parser.add_argument("--depths", type=int, nargs="+", default=[100, 1000], help="documents of a ranking")
    parser.add_argument("--rounds", type=int, default=3, help="turns each takes (default 3)")
    options = parser.parse_args()
    print(f"{options.pairs:,} pairs; the package takes the first {CELLS:,} / depth of them, and its rate is scaled")
    print("depth  ours                         vocab  package     ours/s  package/s   ratio  largest difference")
    for depth in options.depths:
        for each in CONTESTS:
            print(contest(each, options.pairs, depth, options.rounds), flush=True)


if __name__ == "__main__":
    main()
