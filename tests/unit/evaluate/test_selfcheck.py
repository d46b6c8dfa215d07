"""A suite against itself: every gate it can hold is asked, by the rules of a session, and its noise is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

import pytest

from pytest_relevance.evaluate.selfcheck import Steadiness, self_check

QUERIES = 40
HALVES = [1, 2] * 20  # RR 1 and 1/2 in turns: 0.75 on average
BEST, WORST = [1] * QUERIES, [4] * QUERIES
_numbers = count()


def write(
    folder: Path, checks: Sequence[str], runs: Mapping[str, Sequence[int]], head: str = "", more: str = ""
) -> Path:
    """A suite whose runs have, for each query, the one relevant document at a rank of our choice; 0: nothing found."""
    queries = [f"q{place:02d}" for place in range(QUERIES)]
    lines = [f'{{"query_id": "{one}", "text": "{one}", "half": "{place % 2}"}}\n' for place, one in enumerate(queries)]
    (folder / "queries.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "qrels.txt").write_text("".join(f"{one} 0 good-{one} 1\n" for one in queries), encoding="utf-8")
    (folder / "others.txt").write_text("".join(f"{one} 0 2-{one} 1\n" for one in queries), encoding="utf-8")
    for name, ranks in runs.items():
        rows = [
            f"{one} Q0 {f'good-{one}' if rank == place else f'{rank}-{one}'} {rank} {100 - rank} t\n"
            for one, place in zip(queries, ranks, strict=True)
            for rank in (range(1, 6) if place else ())
        ]
        (folder / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    listed = "".join(f"  {name}: {{type: run, file: {name}.run}}\n" for name in runs if not name.startswith("then"))
    path = folder / "s.relevance.yaml"
    path.write_text(
        "queries: queries.jsonl\nqrels: {ours: qrels.txt, theirs: others.txt}\n"
        f"slices: {{half: attribute}}\nweights: {{half: {{'0': 3, '1': 1}}}}\n{head}retrievers:\n{listed}{more}"
        "checks:\n" + "".join(f"  - {check}\n" for check in checks),
        encoding="utf-8",
    )
    return path


def only(folder: Path, check: str, runs: Mapping[str, Sequence[int]], *, reruns: int = 2) -> Steadiness:
    (gate,) = self_check(write(folder, [check], runs), reruns=reruns).gates
    return gate


NEAR = [1, 1, 2, 2] * 10  # another half of the queries at rank 2
LOST_TWO = [4, 4, *BEST[2:]]

AT_THE_EDGE = {
    "mean": ("{measure: RR@5, of: a, at_least: BOUND}", 0.75, {"a": HALVES}),
    "from above": ("{measure: RR@5, of: a, at_most: BOUND}", 0.75, {"a": HALVES}),
    "slice": ("{measure: RR@5, of: a, slice: half=0, at_least: BOUND}", 0.75, {"a": NEAR}),
    "weighted": ("{measure: RR@5, of: a, total: weighted by half, at_least: BOUND}", 0.75, {"a": NEAR}),
    "each set": ("{measure: RR@5, of: a, qrels: each, at_least: BOUND}", 0.25, {"a": HALVES}),
    "margin": ("{measure: RR@5, order: [a, b], margin: BOUND}", 0.24, {"a": BEST, "b": HALVES}),
    "shown margin": ("{measure: RR@5, order: [a, b], margin: BOUND, confidence: 0.9}", 0.18, {"a": BEST, "b": HALVES}),
    "relative margin": ("{measure: RR@5, order: [a, b], margin: BOUND}", "24%", {"a": BEST, "b": HALVES}),
    "agreement": ("{measure: RR@5, order: [a, b, c], tau_b: BOUND}", 1.0, {"a": BEST, "b": HALVES, "c": NEAR}),
    "likeness": ("{overlap: Jaccard@1, of: a, against: {run: then.run}, at_least: BOUND}", 0.5, {"a": HALVES}),
    "changed": ("{overlap: Changed@5, of: a, with: b, at_most: BOUND}", "50%", {"a": HALVES, "b": BEST}),
    "RBO": ("{overlap: RBO(p=0.5), of: a, with: b, at_least: BOUND}", 0.72, {"a": HALVES, "b": BEST}),
    "nothing found": ("{results: 0, of: a, at_most: BOUND}", "50%", {"a": [0, 1] * 20}),
    "retriever": ("{measure: RR@5, of: a, against: b, max_drop: BOUND}", 0.18, {"a": HALVES, "b": BEST}),
    "each query": (
        "{measure: RR@5, of: a, against: {run: then.run}, each_query: {max_drop: BOUND}}",
        0.5,
        {"a": LOST_TWO},
    ),
    "each query, of what it was": (
        "{measure: RR@5, of: a, against: {run: then.run}, each_query: {max_drop: BOUND, mostly: 0.97}}",
        "60%",
        {"a": LOST_TWO},
    ),
}


@pytest.mark.parametrize("name", AT_THE_EDGE)
def test_a_bound_at_the_edge_flips_and_the_one_that_is_named_does_not(tmp_path: Path, name: str) -> None:
    check, bound, runs = AT_THE_EDGE[name]
    runs = {**runs, "then": BEST}

    flipping = only(tmp_path, check.replace("BOUND", str(bound)), runs)

    assert flipping.how == "resampled queries"
    assert flipping.too_often
    (named,) = flipping.bounds
    assert named.steady is not None
    assert named.relative == ("%" in str(bound) and named.name not in {"at_most", "at_least"})
    other = f"{named.steady * 100:.4f}%" if named.relative else f"{named.steady:.6f}"
    steady = only(tmp_path, check.replace("BOUND", other), runs)
    assert (steady.too_often, steady.bounds) == (False, ())


def test_a_weighted_total_is_drawn_inside_its_slices(tmp_path: Path) -> None:
    """Slices of 1 and of 1/4, each without any variance: whatever is drawn, the total is 3/4 · 1 + 1/4 · 1/4."""
    gate = only(tmp_path, "{measure: RR@5, of: a, total: weighted by half, at_least: 0.8125}", {"a": [1, 4] * 20})

    assert (gate.trials, gate.flips) == (400, 0)


RULES = (
    "max_drop: 0",
    "max_drop: 0%",
    "improves: true",
    "improves: true, on_inconclusive: notice",
    "each_query: {max_drop: 0}",
    "each_slice: {max_drop: 0}",
    "max_drop: 0, total: weighted by half",
    "max_drop: 0, qrels: each",
)


@pytest.mark.parametrize("rule", RULES)
def test_of_two_identical_runs_no_gate_flips(tmp_path: Path, rule: str) -> None:
    check = f"{{measure: RR@5, of: a, against: {{run: then.run}}, {rule}}}"

    gate = only(tmp_path, check, {"a": HALVES, "then": HALVES})

    assert (gate.how, gate.trials, gate.flips) == ("resampled queries", 400, 0)


@pytest.mark.parametrize("rule", ["max_drop: 0", "each_slice: {max_drop: 0}", "max_drop: 0, total: weighted by half"])
def test_differences_without_direction_fail_a_gate_as_seldom_as_it_promises(tmp_path: Path, rule: str) -> None:
    check = f"{{measure: RR@5, of: a, against: {{run: then.run}}, {rule}}}"

    gate = only(tmp_path, check, {"a": HALVES, "then": NEAR})

    assert 0 < gate.rate <= 0.05


def test_a_claim_to_be_better_that_may_be_worse_by_chance_has_no_bound_to_loosen(tmp_path: Path) -> None:
    """`improves` with a notice where nothing shows it still fails whenever the mean is lower: half of all trials."""
    claim = "{measure: RR@5, of: a, against: {run: then.run}, improves: true, on_inconclusive: notice}"

    gate = only(tmp_path, claim, {"a": HALVES, "then": NEAR})

    assert gate.rate == pytest.approx(0.5, abs=0.1)
    assert gate.bounds == ()


def test_each_rule_of_a_gate_is_named_by_itself(tmp_path: Path) -> None:
    check = "{measure: RR@5, of: a, against: {run: then.run}, max_drop: 0.5, each_query: {max_drop: 0.1}}"

    gate = only(tmp_path, check, {"a": LOST_TWO, "then": BEST})

    assert [(one.name, one.now) for one in gate.bounds] == [("each_query max_drop", 0.1)]


def test_gates_against_something_are_corrected_together_as_in_a_session(tmp_path: Path) -> None:
    """What chance shows now and then of one gate it hardly ever shows of twenty."""
    check = "{measure: RR@5, of: a, against: {run: then.run}, max_drop: 0}"
    runs = {"a": HALVES, "then": NEAR}

    alone = only(tmp_path, check, runs)
    among = self_check(write(tmp_path, [check] * 20, runs), reruns=2).gates

    assert alone.flips > 0
    assert all(one.flips < alone.flips for one in among)


def test_a_warning_that_comes_and_goes_flips_too(tmp_path: Path) -> None:
    assert only(tmp_path, "{measure: RR@5, of: a, at_least: 0.75, level: warn}", {"a": HALVES}).too_often


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("{measure: RR@5, of: a, against: baseline, max_drop: 0}", "no baseline of a is stored"),
        ("{overlap: RBO, of: a, against: baseline, at_least: 0.8}", "no baseline of a is stored"),
    ],
)
def test_a_gate_without_its_baseline_is_told_apart(tmp_path: Path, check: str, reason: str) -> None:
    gate = only(tmp_path, check, {"a": HALVES})

    assert (gate.how, gate.trials, gate.reason) == ("nothing to compare", 0, reason)


def unsteady(folder: Path, checks: Sequence[str], search: str, more: str = "") -> Path:
    """A suite with one more retriever, `live`, which is a function that may change its mind."""
    module = f"unsteady_{next(_numbers)}"  # a module of one name is imported once
    source = f"import itertools\ncount = itertools.count()\ndef search(query, depth):\n    {search}\n"
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    live = f"  live: {{type: function, function: '{module}:search'}}\n"
    path = write(folder, checks, {"a": BEST, "then": BEST}, more=live)
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    return path


# In turns, one rerun finds the relevant document first and the next one second.
IN_TURNS = f"good = ['good-' + query.query_id, 'x']; return good if next(count) // {QUERIES} % 2 else good[::-1]"

AMONG_RERUNS: dict[str, tuple[str, int, int]] = {
    # check → trials, flips of four reruns: second, first, second, first
    "threshold": ("{measure: RR@5, of: live, at_least: 0.7}", 3, 2),
    "order": ("{measure: RR@5, order: [a, live], margin: 0.1}", 3, 2),
    "retriever": ("{measure: RR@5, of: live, against: a, max_drop: 0.1}", 3, 2),
    "likeness of two": ("{overlap: Changed@1, of: live, with: a, at_most: 0.5}", 3, 2),
    "results": ("{results: 0, of: live, at_most: 2%}", 3, 0),
    # Twelve ordered pairs of reruns, four of them from first to second; six pairs, four of them unlike.
    "drop": ("{measure: RR@5, of: live, against: baseline, max_drop: 0.1}", 12, 4),
    "queries": ("{measure: RR@5, of: live, against: baseline, each_query: {max_drop: 0.1}}", 12, 4),
    "slices": ("{measure: RR@5, of: live, against: baseline, each_slice: {max_drop: 0.1}}", 12, 4),
    "claim": ("{measure: RR@5, of: live, against: baseline, improves: true}", 12, 4),
    "likeness": ("{overlap: Jaccard@1, of: live, against: {run: then.run}, at_least: 0.9}", 6, 4),
}


@pytest.mark.parametrize("name", AMONG_RERUNS)
def test_reruns_that_differ_are_measured_by_themselves(tmp_path: Path, name: str) -> None:
    check, trials, flips = AMONG_RERUNS[name]

    found = self_check(unsteady(tmp_path, [check], IN_TURNS), reruns=4)

    (gate,) = found.gates
    assert (gate.how, gate.trials, gate.flips) == ("reruns", trials, flips)
    assert found.likeness["live"] < 1


def test_assertions_are_decided_in_each_rerun(tmp_path: Path) -> None:
    more = (
        "assertions:\n"
        "  - {query: q00, of: live, expect: [{first: good-q00}, {top: 2, contains: [good-q00]}]}\n"
        "  - {queries: half=0, of: live, mostly: 0.9, expect: [{measure: RR@5, at_least: 0.9}]}\n"
    )
    path = unsteady(tmp_path, ["{bias: query_length, of: live}"], IN_TURNS, more)

    gates = self_check(path, reruns=3).gates

    assert [(one.kind, one.trials, one.flips) for one in gates] == [
        ("check", 2, 0),
        ("assertion", 2, 1),
        ("assertion", 2, 0),
        ("assertion", 2, 1),
    ]
    assert gates[1].title == "q00: first good-q00"


def test_what_changes_below_the_cutoff_does_not_count_as_a_change(tmp_path: Path) -> None:
    search = "n = next(count); return ['good-' + query.query_id, *(f'{place}-{n}' for place in range(9))]"

    found = self_check(unsteady(tmp_path, ["{measure: RR@1, of: live, at_least: 0.9}"], search), reruns=2)

    assert found.gates[0].how == "resampled queries"
    assert found.likeness["live"] < 1
