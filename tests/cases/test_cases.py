"""Walks every folder of the shared cases: what a tool like ours must get right, whoever wrote the case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from http_cases import act_out, duplicates_count_once, fewer_documents_than_the_cutoff_are_noted
from neutral import GAINS, SEARCH, Case, evaluations, similarity, suite_text

from pytest_relevance.errors import RelevanceError
from pytest_relevance.measures import parse_measure
from pytest_relevance.measures.files import evaluate_files
from pytest_relevance.suite import read_suite
from pytest_relevance.trec import read_qrels, read_queries, read_run

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path.parent for path in (ROOT.parent / "shared" / "cases").glob("*/expected.json"))
CASES = [Case(folder) for folder in FOLDERS]
COVERED = ("reading", "averaging", "measures", "yaml", "pytest", "baseline", "http")
LATER = {  # area → what will cover it
    "build": "the benchmark builder",
}


def cases(area: str) -> pytest.MarkDecorator:
    found = [pytest.param(case, id=case.folder.name) for case in CASES if case.area == area]
    skip = pytest.param(None, marks=pytest.mark.skip(reason="needs the folder 'shared' beside the repository"))
    return pytest.mark.parametrize("case", found or [skip])


def command(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """`pytest-relevance …` as a user's process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    main = [sys.executable, "-c", "from pytest_relevance.cli import main; main()"]
    return subprocess.run(
        [*main, *map(str, arguments)], capture_output=True, encoding="utf-8", env=environment, timeout=120, check=False
    )


def test_every_case_is_covered_or_belongs_to_a_named_later_area(shared: Path) -> None:
    assert len(CASES) == len(list((shared / "cases").glob("*/")))
    assert {case.area for case in CASES} <= {*COVERED, *LATER}


@cases("reading")
def test_reading(case: Case, tmp_path: Path) -> None:
    if case.expected["outcome"] == "parse":
        assert read_queries(case.named(".csv")).to_dict() == case.options["expected_queries"]
    elif case.expected["outcome"] == "error":
        assert_refused(case)
    elif case.has("recipe.json"):
        assert_values_of_recipe(case, tmp_path)
    else:
        assert_values(case)


@cases("averaging")
def test_averaging(case: Case) -> None:
    if case.expected["outcome"] == "error":
        assert_refused(case)
    else:
        assert_values(case)


@cases("measures")
def test_measures(case: Case, tmp_path: Path) -> None:
    if case.has("lists.json"):
        (value,) = case.expected["values"]
        assert similarity(case) == pytest.approx(value["value"], abs=value["tolerance"])
        assert similarity(case) <= value["must_not_exceed"]
        return
    assert_values(case)
    if case.has("names.json"):
        assert_names(case)
    if case.has("config.json"):
        assert_depth_is_told(case, tmp_path)


@cases("http")
def test_http(case: Case) -> None:
    act_out(case)


def test_a_response_with_duplicates_is_counted_once_from_a_service_too(shared: Path) -> None:
    duplicates_count_once(named_case(shared, "022-duplicate-in-response"))


def test_fewer_documents_than_the_cutoff_are_noted(shared: Path) -> None:
    fewer_documents_than_the_cutoff_are_noted(named_case(shared, "063-fetched-fewer-than-cut"))


def named_case(shared: Path, name: str) -> Case:
    folder = shared / "cases" / name
    if not folder.is_dir():
        pytest.skip(f"needs the case {name}")
    return Case(folder)


@cases("yaml")
def test_yaml(case: Case, tmp_path: Path) -> None:
    text = case.named("suite.yaml").read_text(encoding="utf-8")
    path = tmp_path / "case.relevance.yaml"
    path.write_text(suite_text(text), encoding="utf-8")
    with pytest.raises(RelevanceError) as caught:
        read_suite(path)
    case.mentions(str(caught.value))
    expected = case.options.get("expected_queries")
    if expected:  # the suite is refused for one bad query; without it the others are what was written
        kept = text[: text.index("  - id: q3")]
        path.write_text(suite_text(kept), encoding="utf-8")
        queries = read_suite(path).queries
        assert not isinstance(queries, Path)
        assert {query.query_id: query.text for query in queries} == expected


@cases("pytest")
def test_pytest(case: Case, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(finding=SEARCH)
    for name in case.inputs:
        text = (case.folder / name).read_text(encoding="utf-8")
        as_suite = "suite" in name or case.folder.name.startswith("122")
        target = name if ".relevance." in name or not as_suite else name.replace(".yaml", ".relevance.yaml")
        good = as_suite and "broken" not in name and "empty" not in name
        (pytester.path / target).write_text(suite_text(text) if good else text, encoding="utf-8")
    before = {path.name for path in pytester.path.parent.iterdir()}
    listing = pytester.runpytest_subprocess("--relevance", "--collect-only", "-q", "-p", "no:randomly")
    node_ids = [line for line in listing.outlines if "::" in line and not line.startswith("ERROR")]

    if case.folder.name.startswith("122"):
        assert_broken_suite_is_told(case, pytester)
        return
    assert len(node_ids) == case.options["expected_tests"] == len(set(node_ids))
    options = [*case.options.get("command", "").replace("pytest", "", 1).split(",")[0].split()]
    arguments = [one for one in options if one.startswith("-") or one == "2"]
    result = pytester.runpytest_subprocess("--relevance", "-p", "no:randomly", *arguments)
    if "--collect-only" not in arguments:
        result.assert_outcomes(passed=len(node_ids))
    for node_id in node_ids[:4]:
        pytester.runpytest_subprocess("--relevance", node_id).assert_outcomes(passed=1)
    ascii_only = pytester.runpytest_subprocess("--relevance", "-v", "--junitxml=out.xml")
    assert ascii_only.ret == 0
    assert {path.name for path in pytester.path.parent.iterdir()} == before


@cases("baseline")
def test_baseline(case: Case, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline that is not there is named; one that was measured otherwise is told, and measured anew."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(finding=SEARCH)
    asked = json.loads(case.named("config.json").read_text(encoding="utf-8")) if case.has("config.json") else {}
    against = f"{{run: {asked['baseline']}}}" if asked else "baseline"
    for name in case.inputs:
        (pytester.path / name).write_bytes((case.folder / name).read_bytes())
    queries = "queries: [{query_id: q1, text: x, relevant: {d2: GRADE, d5: 1}}]\n"
    suite = (
        f"{queries}retrievers: {{found: {{type: function, function: 'finding:search'}}}}\n"
        f"checks: [{{measure: nDCG@10, of: found, against: {against}, max_drop: 1}}]\n"
    )
    path = pytester.path / "case.relevance.yaml"
    path.write_text(suite.replace("GRADE", "2"), encoding="utf-8")
    if not asked:
        pytester.runpytest_subprocess("--relevance", "--relevance-update-baseline").assert_outcomes(passed=1)
        now = json.loads(case.named("now.json").read_text(encoding="utf-8"))
        gain = GAINS[now["meta"]["gain"]]
        path.write_text(suite.replace("GRADE", "3") + f"grades: {{gain: {gain}}}\n", encoding="utf-8")
    before = {one: one.read_bytes() for one in pytester.path.rglob("*.json*")}

    result = pytester.runpytest_subprocess("--relevance")

    assert (result.ret != 0) == (case.expected["outcome"] == "error")
    case.mentions(result.stdout.str())
    assert {one: one.read_bytes() for one in pytester.path.rglob("*.json*")} == before  # nothing is stored unasked


def assert_values(case: Case) -> None:
    for value, evaluation, name in evaluations(case):
        values = evaluation[name]
        got = values.mean if value["query"] == "mean" else values[value["query"]]
        assert got == pytest.approx(value["value"], abs=value["tolerance"]), value
    if case.expected.get("must_mention") or case.expected.get("must_not"):
        assert_told(case)


def assert_told(case: Case) -> None:
    """What the command prints beside the values holds the words it must."""
    if case.has("config.json"):
        return
    if case.has("run.txt"):
        result = command("evaluate", case.named("qrels.txt"), case.named("run.txt"), "-m", "nDCG@10", "--per-query")
        assert result.returncode == 0, result.stderr
        case.mentions(result.stdout + result.stderr)
        return
    case.mentions("\n".join(note for _, evaluation, _ in evaluations(case) for note in evaluation.notes))


def assert_refused(case: Case) -> None:
    if case.has(".csv"):
        with pytest.raises(RelevanceError) as caught:
            read_qrels(case.named(".csv"))
        case.mentions(str(caught.value))
        return
    with pytest.raises(RelevanceError):
        evaluate_files(case.named("qrels.txt"), case.named("run.txt"), [parse_measure("RR")], cache=False)
    result = command("evaluate", case.named("qrels.txt"), case.named("run.txt"), "-m", "RR")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    case.mentions(result.stderr)


def assert_values_of_recipe(case: Case, tmp_path: Path) -> None:
    """Files as large as the recipe says, made here, are evaluated in one pass."""
    recipe = json.loads(case.named("recipe.json").read_text(encoding="utf-8"))
    queries, depth = recipe["queries"], recipe["depth"]
    with (tmp_path / "run.txt").open("w", encoding="ascii") as run:
        for i in range(queries):
            run.writelines(
                f"q{i} Q0 d{(i * 7919 + r * 104729) % 1_000_000} {r} {1001 - r} t\n" for r in range(1, depth + 1)
            )
    with (tmp_path / "qrels.txt").open("w", encoding="ascii") as qrels:
        for i in range(queries):
            qrels.writelines(f"q{i} 0 d{(i * 7919 + r * 104729) % 1_000_000} 1\n" for r in (2, 10, 100))

    values = case.expected["values"]
    measures = [parse_measure(value["measure"]) for value in values]
    evaluation = evaluate_files(tmp_path / "qrels.txt", tmp_path / "run.txt", measures, cache=False)

    for value in values:
        assert evaluation[value["measure"]].mean == pytest.approx(value["value"], abs=value["tolerance"])


def assert_names(case: Case) -> None:
    names = json.loads(case.named("names.json").read_text(encoding="utf-8"))
    canonical = {parse_measure(name).name for name in names["same"]}
    assert len(canonical) == 1
    assert parse_measure(canonical.pop()).name in names["same"]
    for name in names["unknown"]:
        with pytest.raises(RelevanceError, match="fix:"):
            parse_measure(name)


def assert_depth_is_told(case: Case, tmp_path: Path) -> None:
    config = json.loads(case.named("config.json").read_text(encoding="utf-8"))
    suite = {
        "depth": str(config["engine_default_size"]),
        "queries": [{"query_id": "q1", "text": "x", "relevant": {"d0": "1"}}],
        "retrievers": {"live": {"type": "function", "function": "finding:search"}},
        "checks": [{"measure": config["measure"], "of": "live", "at_least": "0.1"}],
    }
    path = tmp_path / "suite.relevance.yaml"
    path.write_text(json.dumps(suite), encoding="utf-8")
    with pytest.raises(RelevanceError) as caught:
        read_suite(path)
    case.mentions(str(caught.value))


def assert_broken_suite_is_told(case: Case, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--relevance", "--continue-on-collection-errors", "-p", "no:randomly")
    text = result.stdout.str() + result.stderr.str()
    assert result.ret != 0
    case.mentions(text.replace(".relevance.yaml", ".yaml"))
    assert "a_good.relevance.yaml:" in text or "a_good.relevance.yaml .." in text
    result.assert_outcomes(passed=4, errors=2)  # two of the good suite, two before the empty second document


def test_text_is_utf_8_whatever_the_locale(shared: Path, tmp_path: Path) -> None:
    case = Case(shared / "cases" / "118-text-is-utf-8")
    if not case.folder.is_dir():
        pytest.skip("needs the case 118-text-is-utf-8")
    plain = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": ""}
    result = command(
        "evaluate", case.named("qrels.txt"), case.named("run.txt"), "-m", "RR", "--json", "--per-query", **plain
    )
    assert json.loads(result.stdout)["measures"]["RR"]["values"] == {"q1": 1.0}
    path = tmp_path / "suite.relevance.yaml"
    path.write_text(suite_text(case.named("suite.yaml").read_text(encoding="utf-8")), encoding="utf-8")
    script = "import sys, pytest_relevance as pr; print(ascii(pr.read_suite(sys.argv[1]).queries[0].text))"
    printed = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), **plain},
        timeout=60,
        check=True,
    )
    assert printed.stdout.strip() == ascii(case.options["expected_queries"]["q1"])


def test_scores_of_a_run_file_do_not_depend_on_the_reader(shared: Path) -> None:
    """The reader of whole runs and the streaming one agree on every run of the cases."""
    for case in CASES:
        if case.has("run.txt") and case.expected["outcome"] == "score":
            run = read_run(case.named("run.txt"))
            assert len(run) > 0
