"""Speed and memory of paired statistics at size, ours and scipy's in one run: `python benchmarks/paired_statistics.py`.

70,000 queries × 10 measures, 10,000 resamples. Every measurement is a process of its own and they are interleaved
(A B A B …). Timed is the call, not the imports, on the clock and in processor time (on a busy machine the second says
more); memory is the peak of the process above what it held with its data and imports before the call. scipy works on
one measure, and where that takes minutes on a fraction of the resamples; its time is scaled to the whole job and the
table says from what share.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parent.parent
BATCH = 50  # resamples scipy holds at once, so that it stays in memory


@dataclass(frozen=True)
class Size:
    """The job."""

    queries: int
    measures: int
    resamples: int


@dataclass(frozen=True)
class Job:
    """One program of a pair."""

    call: Callable[[Floats, Floats, int], object]  # old, new, resamples
    every_measure: bool  # in one call; if not, one measure is timed
    fraction: int = 1  # resamples are divided by this

    def scale(self, size: Size) -> int:
        """What the time is multiplied by to be that of the whole job."""
        return self.fraction * (1 if self.every_measure else size.measures)


def our_percentile(old: Floats, new: Floats, resamples: int) -> object:
    """All measures."""
    from pytest_relevance.stats import bootstrap_intervals

    return bootstrap_intervals(new - old, resamples=resamples)


def our_bca(old: Floats, new: Floats, resamples: int) -> object:
    """All measures."""
    from pytest_relevance.stats import bootstrap_intervals

    return bootstrap_intervals(new - old, resamples=resamples, method="bca")


def our_randomisation(old: Floats, new: Floats, resamples: int) -> object:
    """All measures."""
    from pytest_relevance.stats import randomisation_test

    return randomisation_test(new - old, flips=resamples)


def scipy_percentile(old: Floats, new: Floats, resamples: int) -> object:
    """One measure."""
    from scipy.stats import bootstrap

    return bootstrap((new - old,), np.mean, n_resamples=resamples, batch=BATCH, method="percentile", rng=1)


def scipy_bca(old: Floats, new: Floats, resamples: int) -> object:
    """One measure."""
    from scipy.stats import bootstrap

    return bootstrap((new - old,), np.mean, n_resamples=resamples, batch=BATCH, method="BCa", rng=1)


def scipy_randomisation(old: Floats, new: Floats, resamples: int) -> object:
    """One measure."""
    from scipy.stats import permutation_test

    def mean_difference(one: Floats, other: Floats, axis: int) -> Floats:
        return np.asarray((one - other).mean(axis=axis))

    return permutation_test(
        (new, old), mean_difference, permutation_type="samples", n_resamples=resamples, batch=BATCH, rng=1
    )


JOBS = {
    "percentile bootstrap": (Job(our_percentile, True), Job(scipy_percentile, False, fraction=4)),
    "BCa bootstrap": (Job(our_bca, True), Job(scipy_bca, False)),
    "randomisation test": (Job(our_randomisation, True), Job(scipy_randomisation, False, fraction=20)),
}
GOALS = {"percentile bootstrap": 0.1, "BCa bootstrap": 0.1, "randomisation test": 0.02}  # of scipy's time


def peak_megabytes() -> float:
    """Highest resident memory of this process so far (Linux counts it in kilobytes, macOS in bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)


def measure(name: str, side: int, size: Size) -> None:
    """Do one job in this process and print its seconds and megabytes as JSON."""
    job = JOBS[name][side]
    random = np.random.default_rng(1)
    shape = (size.queries, size.measures) if job.every_measure else (size.queries,)
    old, new = random.random(shape), random.random(shape)
    job.call(old[:20], new[:20], 10)  # imports
    before, wall, processor = peak_megabytes(), time.perf_counter(), time.process_time()
    job.call(old, new, size.resamples // job.fraction)
    seconds = [time.perf_counter() - wall, time.process_time() - processor]
    print(json.dumps([*(second * job.scale(size) for second in seconds), peak_megabytes() - before]))


def measured(name: str, side: int, options: argparse.Namespace) -> list[float]:
    """Seconds and processor seconds of the whole job, and megabytes above the data, from a process of its own."""
    sizes = [f"--{key}={getattr(options, key)}" for key in ("queries", "measures", "resamples")]
    command = [sys.executable, str(Path(__file__).resolve()), "--job", name, "--side", str(side), *sizes]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [float(number) for number in json.loads(done.stdout)]


def table(options: argparse.Namespace, size: Size) -> None:
    """Run all pairs interleaved and print Markdown."""
    found: dict[tuple[str, int], list[list[float]]] = {}
    for _ in range(options.rounds):
        for name in JOBS:
            for side in (0, 1):
                found.setdefault((name, side), []).append(measured(name, side, options))
    print(f"{size.queries} queries × {size.measures} measures, {size.resamples} resamples; median of {options.rounds}.")
    print("Seconds are on the clock / of the processor.\n")
    print("| | ours s | MB above data | scipy s | of it measured | MB above data | ours ÷ scipy | goal |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (_, theirs) in JOBS.items():
        ours, scipys = (np.median(found[name, side], axis=0).tolist() for side in (0, 1))
        print(
            f"| {name} | {ours[0]:.1f} / {ours[1]:.1f} | {ours[2]:.0f} | {scipys[0]:.0f} / {scipys[1]:.0f} "
            f"| 1/{theirs.scale(size)} | {scipys[2]:.0f} | {ours[0] / scipys[0]:.4f} / {ours[1] / scipys[1]:.4f} "
            f"| ≤ {GOALS[name]} |"
        )


def main() -> None:
    """Print the table, or, as a child, do one job."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=70_000)
    parser.add_argument("--measures", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--job", choices=tuple(JOBS), help=argparse.SUPPRESS)
    parser.add_argument("--side", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    size = Size(options.queries, options.measures, options.resamples)
    if options.job:
        measure(options.job, options.side, size)
    else:
        table(options, size)


if __name__ == "__main__":
    main()
