"""From text files to means: ours, the peers', and the bare line loop. `python benchmarks/load_evaluate.py`."""

from __future__ import annotations

import argparse
import compileall
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generate import Shape, generate

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ("nDCG@10", "R@100", "R@1000", "RR@10", "AP", "Bpref")
TOLERANCE = 1e-9  # between our means and pytrec_eval's; whole grades

# Each program takes the qrels file, the run file and a cache folder, and prints its means, one a line.
OURS = """\
import sys
from pytest_relevance.measures.files import evaluate_files
qrels, run, cache = sys.argv[1:]
evaluation = evaluate_files(qrels, run, {measures!r}, cache={cache})
for values in evaluation.values():
    print(values.measure, repr(values.mean))
"""
LINE_LOOP = """\
import sys
with open(sys.argv[2], "rb") as file:
    for line in file:
        pass
"""
PYTREC_EVAL = """\
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
names = {"ndcg_cut_10", "recall_100", "recall_1000", "recip_rank", "map", "bpref"}
values = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run).values()
shown = {"nDCG@10": "ndcg_cut_10", "R@100": "recall_100", "R@1000": "recall_1000", "AP": "map", "Bpref": "bpref"}
for ours, name in shown.items():
    print(ours, repr(sum(value[name] for value in values) / len(qrels)))
# It has no cut for the reciprocal rank; below rank 10 the value is less than a tenth.
print("RR@10", repr(sum(value["recip_rank"] for value in values if value["recip_rank"] > 0.0999) / len(qrels)))
"""
IR_MEASURES = """\
import sys
import ir_measures
from ir_measures import AP, RR, Bpref, R, nDCG
qrels = ir_measures.read_trec_qrels(sys.argv[1])
run = ir_measures.read_trec_run(sys.argv[2])
measures = [nDCG @ 10, R @ 100, R @ 1000, RR @ 10, AP, Bpref]
for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items():
    print(measure, repr(value))
"""
RANX = """\
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
names = ["ndcg@10", "recall@100", "recall@1000", "mrr@10", "map", "bpref"]
for name, value in evaluate(qrels, run, names, make_comparable=True).items():
    print(name, repr(float(value)))
"""


@dataclass(frozen=True)
class Outcome:
    """One process, from start to exit."""

    seconds: float  # wall time
    processor: float  # user and system time, of all threads
    megabytes: float  # peak resident memory
    output: str


@dataclass(frozen=True)
class Failure:
    """A process that did not finish, and what it said last."""

    reason: str


def main() -> None:
    """Measure every shape and print its table."""
    options = parsed_options()
    scratch = Path(tempfile.mkdtemp(prefix="load-evaluate-", dir=options.folder))
    try:
        install(scratch / "site")
        warm_up(scratch, options)
        for shape in options.shape:
            print(f"\n## {shape.queries:,} queries × {shape.depth:,}, {shape.judged} judged a query, {shape.variant}\n")
            measure_shape(shape, scratch, options)
    finally:
        shutil.rmtree(scratch)


def parsed_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = [Shape.parse("1000x100x20"), Shape.parse("7000x1000x1"), Shape.parse("20000x1000x118")]
    parser.add_argument("--shape", type=Shape.parse, nargs="+", default=default, help="QUERIESxDEPTHxJUDGED[:VARIANT]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", help="peers to measure, by name; ours and pytrec_eval always are")
    parser.add_argument("--without-pytrec-eval", action="store_true", help="where its 180 B a row do not fit")
    parser.add_argument("--trec-eval", type=Path, help="a trec_eval binary")
    parser.add_argument("--folder", type=Path, help="where files are generated and removed again")
    parser.add_argument("--memory", type=float, default=20.0, help="address space of a process, in GB")
    return parser.parse_args()


def install(site: Path) -> None:
    """Put the package where an installer would: apart from the work tree, compiled."""
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pytest_relevance", site / "pytest_relevance", ignore=skipped)
    if not compileall.compile_dir(site, quiet=1):
        raise SystemExit("the package does not compile")


def warm_up(scratch: Path, options: argparse.Namespace) -> None:
    """Run every program once on next to nothing, so that no first round pays for compiling and cold disks."""
    qrels, run = generate(Shape(5, 20, 5), scratch / "data")
    for command in programs(options, [str(qrels), str(run), str(scratch / "cache")]).values():
        run_process(command, options.memory, scratch / "site")


def measure_shape(shape: Shape, scratch: Path, options: argparse.Namespace) -> None:
    """Generate one shape, run every program in turn, `rounds` times, and print medians and ratios."""
    qrels, run = generate(shape, scratch / "data")
    old = time.time() - 60  # files changed a moment ago are not cached
    for path in (qrels, run):
        os.utime(path, (old, old))
    size = sum(path.stat().st_size for path in (qrels, run)) / 1e6
    print(f"{size:,.0f} MB of text, {options.rounds} rounds\n")
    cache = scratch / "cache"
    commands = programs(options, [str(qrels), str(run), str(cache)])
    outcomes: dict[str, list[Outcome | Failure]] = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            if any(isinstance(outcome, Failure) for outcome in outcomes[name]):
                continue
            if name == "ours":
                shutil.rmtree(cache, ignore_errors=True)
            outcomes[name].append(run_process(command, options.memory, scratch / "site"))
    print_table(outcomes, shape)
    compare_means(outcomes)
    shutil.rmtree(scratch / "data")


def programs(options: argparse.Namespace, files: Sequence[str]) -> dict[str, list[str]]:
    """name → command; "ours, again" comes right after "ours" and finds its cache."""
    scripts = {
        "ours": OURS.format(measures=list(MEASURES), cache="cache"),
        "ours, again": OURS.format(measures=list(MEASURES), cache="cache"),
        "ours, no cache": OURS.format(measures=list(MEASURES), cache="False"),
        "line loop": LINE_LOOP,
        "pytrec_eval": PYTREC_EVAL,
        "ir_measures": IR_MEASURES,
        "ranx": RANX,
    }
    always = ("ours", "ours, again", "pytrec_eval", "line loop")
    if options.without_pytrec_eval:
        del scripts["pytrec_eval"]
    chosen = {
        name: [sys.executable, "-c", script, *files]
        for name, script in scripts.items()
        if options.only is None or name in (*always, *options.only)
    }
    if options.trec_eval:
        names = ("ndcg_cut.10", "recall.100,1000", "recip_rank", "map", "bpref")
        flags = [flag for name in names for flag in ("-m", name)]
        chosen["trec_eval"] = [str(options.trec_eval), "-c", *flags, *files[:2]]
    return chosen


def run_process(command: Sequence[str], gigabytes: float, site: Path) -> Outcome | Failure:
    """Run a command to its end; its own peak memory comes from the kernel's account of it."""
    limit = int(gigabytes * 1e9)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    environment = {**os.environ, "PYTHONPATH": str(site)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as problems:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=problems, env=environment, preexec_fn=limited)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        problems.seek(0)
        said = problems.read().decode("utf-8", "replace").strip().splitlines()
        if process.returncode:
            return Failure(f"exit status {process.returncode}: {said[-1][:100] if said else 'no message'}")
        processor = usage.ru_utime + usage.ru_stime
        return Outcome(seconds, processor, usage.ru_maxrss / 1024, out.read().decode())


def print_table(outcomes: Mapping[str, Sequence[Outcome | Failure]], shape: Shape) -> None:
    """Medians, and each as a ratio to pytrec_eval and to the line loop."""
    medians = {name: median_of(found) for name, found in outcomes.items()}
    print("| | wall s | lowest | cpu s | peak MB | ÷ pytrec_eval | ÷ line loop |\n|---|---|---|---|---|---|---|")
    for name, found in outcomes.items():
        seconds = medians[name]
        finished = [outcome for outcome in found if isinstance(outcome, Outcome)]
        if seconds is None or not finished:
            reason = next(outcome.reason for outcome in found if isinstance(outcome, Failure))
            print(f"| {name} | FAILED: {reason} | | | | | |")
            continue
        memory = statistics.median(outcome.megabytes for outcome in finished)
        processor = statistics.median(outcome.processor for outcome in finished)
        lowest = min(outcome.seconds for outcome in finished)
        ratios = " | ".join(ratio(seconds, medians.get(other)) for other in ("pytrec_eval", "line loop"))
        print(f"| {name} | {seconds:.3f} | {lowest:.3f} | {processor:.2f} | {memory:.0f} | {ratios} |")
    rows = shape.queries * shape.judged
    print(f"\nMemory goal for ours: 300 MB + 160 B for each of {rows:,} qrels rows = {300 + rows * 160 / 1e6:.0f} MB")


def median_of(found: Sequence[Outcome | Failure]) -> float | None:
    """The median wall time; None if any round failed."""
    if any(isinstance(outcome, Failure) for outcome in found):
        return None
    return statistics.median(outcome.seconds for outcome in found if isinstance(outcome, Outcome))


def ratio(seconds: float, other: float | None) -> str:
    """How many times as long as the other, or a dash where the other failed."""
    return f"{seconds / other:.3f}" if other else "-"


def compare_means(outcomes: Mapping[str, Sequence[Outcome | Failure]]) -> None:
    """Say whether our means equal pytrec_eval's; a difference ends the benchmark."""
    theirs = means_of(outcomes.get("pytrec_eval", ()))
    for name in ("ours", "ours, again"):
        ours = means_of(outcomes[name])
        if not ours or not theirs:
            print(f"\nMeans of {name!r} could not be compared with pytrec_eval's: one of them is missing.")
            continue
        worst = max(abs(ours[measure] - theirs[measure]) for measure in MEASURES)
        print(f"\nMeans of {name!r} and pytrec_eval differ by at most {worst:.1e}.")
        if not worst <= TOLERANCE or not all(map(math.isfinite, ours.values())):
            raise SystemExit(f"means differ: ours {ours}, pytrec_eval {theirs}")


def means_of(found: Sequence[Outcome | Failure]) -> dict[str, float]:
    """measure → mean, from the last finished round; empty if none finished."""
    finished = [outcome for outcome in found if isinstance(outcome, Outcome)]
    if not finished:
        return {}
    lines = [line.split() for line in finished[-1].output.splitlines()]
    return {line[0]: float(line[1]) for line in lines if len(line) == 2}


if __name__ == "__main__":
    main()
