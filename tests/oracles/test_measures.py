"""Values other people's tools print, case by case. New cases in the files are picked up by themselves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_relevance.measures import (
    Fold,
    Measure,
    evaluate,
    fold_run,
    overlap,
    parse_measure,
    rbo,
)
from pytest_relevance.records import Evaluation, Qrels, Run
from pytest_relevance.trec import read_qrels, read_run

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ORACLES = DATA / "oracles"

pytestmark = pytest.mark.skipif(
    not ORACLES.is_dir(), reason="needs the folder 'shared' beside the repository: oracles and real collections"
)


def _read(name: str) -> Any:
    path = ORACLES / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _ids(cases: list[Any]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


# --- toy cases ---


def _measure_of(case: Mapping[str, Any]) -> Measure:
    name = case["measure"] + (f"@{case['k']}" if "k" in case else "")
    return parse_measure(name).with_defaults(
        gain="exp" if case.get("gain") == "exp2" else None,
        rel=case.get("relevance_level"),
        max_grade=case.get("max_grade"),
    )


@pytest.mark.parametrize("case", _ids(_read("measures.json").get("cases", [])))
def test_toy_cases_of_other_tools(case: Mapping[str, Any]) -> None:
    run = Run.from_dict(case["run"]) if "run" in case else Run.from_rankings(case["ranking"])
    measure = _measure_of(case)

    values = evaluate(run, Qrels.from_dict(case["qrels"]), [measure])[measure.name]

    for query_id, expected in case["expected"].items():
        found = values.mean if query_id == "all" else values[query_id]
        assert found == pytest.approx(expected, abs=case["tolerance"]), query_id


@pytest.mark.parametrize("case", _ids([*_read("rbo.json").get("cases", []), *_read("rbo.json").get("edge", [])]))
def test_rank_biased_overlap_of_list_pairs(case: Mapping[str, Any]) -> None:
    one, two, p = case["a"], case["b"], case.get("p", 0.9)
    expected = case.get("expected", {"ext": 1.0})
    runs = Run.from_rankings({"q": one}), Run.from_rankings({"q": two})
    depths = range(1, min(len(one), len(two)) + 1)
    found = {
        "ext": rbo(one, two, p=p),
        "min": rbo(one, two, p=p, kind="min"),
        "res": rbo(one, two, p=p, kind="res"),
        "truncated_sum_to_shorter_length": rbo(one, two, p=p, kind="truncated"),
        "average_overlap": sum(overlap(*runs, f"Overlap@{depth}")["q"] for depth in depths) / max(1, len(depths)),
    }

    assert {kind: found[kind] for kind in expected} == pytest.approx(expected, abs=1e-11)
    assert overlap(*runs, f"RBO(p={p})")["q"] == pytest.approx(expected["ext"], abs=1e-11)


# --- real runs ---


@cache
def _qrels(path: str) -> Qrels:
    return read_qrels(DATA / path)


@cache
def _run(path: str) -> Run:
    return read_run(DATA / path)


def _run_path(collection: str, run: str) -> str:
    found = next(iter(sorted((DATA / collection).glob(f"run.*{run}.txt.gz"))))
    return f"{collection}/{found.name}"


def _qrels_path(collection: str, run: str) -> str:
    for path in sorted((ORACLES / "runs").glob(f"{collection}.{run}.json")):
        return str(json.loads(path.read_text(encoding="utf-8"))["qrels"])
    raise AssertionError(f"no qrels known for {collection} {run}")


NDCG_M = [
    pytest.param(entry, value, id=f"{entry['collection']}-{entry['run']}-{value['measure']}-{value['gain']}")
    for entry in _read("ndcg-m-and-rbo.json").get("ndcg_m", [])
    for value in entry["values"]
]


@pytest.mark.parametrize(("entry", "value"), NDCG_M)
def test_ndcg_m_of_real_runs(entry: Mapping[str, Any], value: Mapping[str, Any]) -> None:
    qrels = _qrels(_qrels_path(entry["collection"], entry["run"]))
    run = _run(_run_path(entry["collection"], entry["run"]))
    measure = parse_measure(value["measure"]).with_defaults(
        gain="exp" if value["gain"] == "exp2" else "linear", max_grade=entry["max_grade"]
    )

    values = evaluate(run, qrels, [measure])[measure.name]

    assert len(values) == entry["queries"]
    assert values.mean == pytest.approx(value["mean"], abs=1e-8)
    for query_id, expected in value["first_queries"].items():
        assert values[query_id] == pytest.approx(expected, abs=1e-8), query_id


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=f"{entry['collection']}-{entry['a']}-{entry['b']}")
        for entry in _read("ndcg-m-and-rbo.json").get("rbo", [])
    ],
)
def test_rank_biased_overlap_of_real_runs(entry: Mapping[str, Any]) -> None:
    one, two = (_run(_run_path(entry["collection"], entry[side])) for side in "ab")
    queries = list(entry["per_query"])

    values = overlap(one.restricted_to(queries), two.restricted_to(queries), f"RBO(p={entry['p']})@{entry['depth']}")

    assert len(values) == entry["queries"]
    assert values.mean == pytest.approx(entry["mean"], abs=1e-8)
    assert dict(values.values) == pytest.approx(entry["per_query"], abs=1e-8)


RUNS = sorted(path.name for path in (ORACLES / "runs").glob("*.json") if "passages" not in path.name)
SETTINGS: dict[str, tuple[bool, dict[str, Any]]] = {  # complete, settings
    "complete (-c)": (True, {}),
    "complete, relevance level 2 (-c -l2)": (True, {"rel": 2.0}),
    "intersection (no -c)": (False, {}),
    "judged documents only (-c -J)": (True, {"judged_only": True}),
}
MEANS = [
    pytest.param(name, setting, id=f"{name.removesuffix('.json')}-{setting.split('(')[1].rstrip(')')}")
    for name in RUNS
    for setting in _read(f"runs/{name}")
    if setting not in {"tool", "qrels"}
]


def _set_as(name: str, settings: Mapping[str, Any]) -> Measure:
    """The measure with those of the settings it takes. trec_eval prints num_rel at level 1 under every -l."""
    measure = parse_measure(name)
    assert measure.definition is not None
    taken = {
        key: value for key, value in settings.items() if key in measure.definition.parameters and name != "num_rel"
    }
    return measure.definition.measure({**measure.params, **taken}, measure.cutoff)


def _run_of(name: str) -> Run:
    collection, _, run = name.removesuffix(".json").partition(".")
    return _run(_run_path(collection, run))


def _total(evaluation: Evaluation, measure: Measure) -> float:
    values = evaluation[measure.name]
    return float(values.column.sum()) if measure.aggregate == "sum" else values.mean


@pytest.mark.parametrize(("name", "setting"), MEANS)
def test_means_trec_eval_prints_for_real_runs(name: str, setting: str) -> None:
    oracle = _read(f"runs/{name}")
    complete, settings = SETTINGS[setting]
    measures = {key: _set_as(key, settings) for key in oracle[setting]}

    evaluation = evaluate(_run_of(name), _qrels(oracle["qrels"]), list(measures.values()), complete=complete)

    found = {key: float(f"{_total(evaluation, measure):.4f}") for key, measure in measures.items()}
    assert found == oracle[setting]


def _printed(path: Path) -> Iterator[tuple[str, str, str]]:
    """Measure, query, value of each line, without text lines."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    for line in text.splitlines():
        measure, query_id, value = line.split("\t")
        yield measure.strip(), query_id, value


@pytest.mark.parametrize("name", RUNS)
def test_every_digit_trec_eval_prints_per_query_of_real_runs(name: str) -> None:
    oracle = _read(f"runs/{name}")
    lines = list(_printed(ORACLES / "runs" / f"{name.removesuffix('.json')}.per-query.tsv.gz"))
    measures = {key: parse_measure(key) for key, _, _ in lines}

    evaluation = evaluate(_run_of(name), _qrels(oracle["qrels"]), list(measures.values()))

    for key, query_id, value in lines:
        found = _total(evaluation, measures[key]) if query_id == "all" else evaluation[measures[key].name][query_id]
        assert (f"{found:.4f}" if "." in value else f"{found:.0f}") == value, (key, query_id)


PASSAGES = sorted(path.name for path in (ORACLES / "runs").glob("*.passages.*.json"))


@pytest.mark.parametrize("name", PASSAGES)
def test_passage_runs_folded_to_documents(name: str) -> None:
    oracle = _read(f"runs/{name}")
    qrels, run = _qrels(oracle["qrels"]), _run(oracle["run"])
    expected = next(values for key, values in oracle.items() if key.startswith("mean over"))
    unfolded = next(values for key, values in oracle.items() if key.startswith("without the mapping"))

    for run_used, means in ((fold_run(run, Fold.parse("before last -")), expected), (run, unfolded)):
        evaluation = evaluate(run_used, qrels, list(means))
        assert {key: evaluation[key].mean for key in means} == pytest.approx(means, abs=1e-6)


# --- trec_eval's own test folder ---

# Text, and the residual of RBP, which no measure here has.
NOT_MEASURES = ("runid", "relstring", "rbp_resid")
PRINTED = {
    "out.test": ("results.test", False),
    "out.test.a": ("results.test", False),
    "out.test.aqc": ("results.trunc", True),
}


def _columns(key: str, run: Run, qrels: Qrels, *, complete: bool) -> tuple[Mapping[str, float], float]:
    """What trec_eval prints by this name: the values, and the line over all queries."""

    def of(name: str) -> Evaluation:
        return evaluate(run, qrels, [name], complete=complete)

    if key.startswith("unj_"):  # over k, however short the list
        depth = int(key.removeprefix("unj_"))
        there, judged = of(f"NumRet@{depth}")[f"NumRet@{depth}"], of(f"Judged(of='cutoff')@{depth}")
        column = there.column / depth - next(iter(judged.values())).column
        return dict(zip(there.query_ids, column.tolist(), strict=True)), float(column.mean())
    if key.startswith("gm_"):  # a geometric mean, values below 0.00001 raised to it
        values = of(key.removeprefix("gm_"))[key.removeprefix("gm_")]
        return {}, float(np.exp(np.log(np.maximum(values.column, 0.00001)).mean()))
    measure = parse_measure("RBP(p=0.9)" if key == "rbp" else key)  # trec_eval's p is 0.9
    evaluation = of(measure.name)
    return evaluation[measure.name].values, _total(evaluation, measure)


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_every_digit_trec_evals_own_tests_print(name: str) -> None:
    run_name, complete = PRINTED[name]
    lines = [line for line in _printed(ORACLES / "trec_eval" / name) if line[0] not in NOT_MEASURES]
    run, qrels = read_run(ORACLES / "trec_eval" / run_name), read_qrels(ORACLES / "trec_eval" / "qrels.test")
    columns = {key: _columns(key, run, qrels, complete=complete) for key in {line[0] for line in lines}}

    wrong = []
    for key, query_id, value in lines:
        found = columns[key][1] if query_id == "all" else columns[key][0][query_id]
        if (f"{found:.4f}" if "." in value else f"{found:.0f}") != value:
            wrong.append((key, query_id, value, found))
    assert wrong == []
