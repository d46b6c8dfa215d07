"""Baselines as a user meets them: stored on request only, read from a folder or from git, compared or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from moving_runs import GATE, committed, reversed_in, write_checks, write_qrels, write_queries, write_run, write_suite

STORED = Path("relevance_baselines") / "moving" / "live.jsonl"
UPDATE = "--relevance-update-baseline"


@pytest.fixture
def stored(pytester: pytest.Pytester) -> Path:
    """The suite with a baseline of good rankings; gives the file."""
    write_suite(pytester.path)
    pytester.runpytest("--relevance", UPDATE).assert_outcomes(passed=1)
    return pytester.path / STORED


def test_a_gate_without_a_baseline_is_an_error_that_says_how_to_store_one(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path)

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "there is no baseline of live: relevance_baselines/moving/live.jsonl does not exist",
            "  fix: write it: pytest --relevance live.relevance.yaml --relevance-retriever live --relevance-upd*",
        ]
    )
    assert not (pytester.path / "relevance_baselines").exists()


def test_a_baseline_is_one_readable_line_a_query(stored: Path) -> None:
    head, *lines = [json.loads(line) for line in stored.read_text(encoding="utf-8").splitlines()]

    assert (head["relevance_baseline"], head["suite"], head["retriever"]) == (1, "moving", "live")
    assert head["definitions"] == {"nDCG@5": 1}
    assert {"qrels", "grades", "corpus", "configuration", "model", "product", "commit", "time", "host"} <= head.keys()
    assert [line["query_id"] for line in lines] == [f"q{query:02d}" for query in range(30)]
    assert lines[0]["query"] == "find number 0"
    assert lines[0]["values"] == {"qrels": {"nDCG@5": 1.0}}
    assert lines[0]["ranking"][0] == ["d00-0", 99.0]


def test_what_did_not_change_leaves_the_file_as_it_is(pytester: pytest.Pytester, stored: Path) -> None:
    before = stored.read_bytes()

    result = pytester.runpytest("--relevance", UPDATE)

    assert stored.read_bytes() == before
    result.stdout.fnmatch_lines(["the baseline of live is as it was: nDCG@5 1.000"])


def test_a_changed_query_changes_its_line_only(pytester: pytest.Pytester, stored: Path) -> None:
    before = stored.read_text(encoding="utf-8").splitlines()
    write_run(pytester.path / "live.run", reversed_in([7]))

    result = pytester.runpytest("--relevance", UPDATE)

    after = stored.read_text(encoding="utf-8").splitlines()
    moved = [place for place, lines in enumerate(zip(before, after, strict=True)) if lines[0] != lines[1]]
    assert moved == [0, 8]  # what made it, and query q07
    result.stdout.fnmatch_lines(["the baseline of live is renewed: nDCG@5 0.9*, was 1.000"])


def test_a_session_without_the_option_never_writes(pytester: pytest.Pytester, stored: Path) -> None:
    before = stored.stat().st_mtime_ns
    write_run(pytester.path / "live.run", reversed_in(range(30)))

    pytester.runpytest("--relevance").assert_outcomes(failed=1)

    assert stored.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-n", "2"), "*stores in one process: leave out -n*"),
        (("--relevance-query", "q01"), "*leave out --relevance-query*"),
        (("--relevance-depth", "3"), "*leave out --relevance-depth*"),
        (("--relevance-baseline-ref", "HEAD"), "*leave out --relevance-baseline-ref*"),
    ],
)
def test_a_part_of_a_run_is_never_stored(
    pytester: pytest.Pytester, stored: Path, arguments: tuple[str, ...], told: str
) -> None:
    before = stored.read_bytes()

    result = pytester.runpytest_subprocess("--relevance", UPDATE, *arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])
    assert stored.read_bytes() == before


def test_where_nothing_would_be_stored_nothing_is_begun(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path, "  - {measure: nDCG@5, of: live, at_least: 0.1}\n")

    result = pytester.runpytest("--relevance", UPDATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {UPDATE}: nothing that is selected is against a baseline"])


def test_baselines_are_not_stored_below_a_file(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path)

    result = pytester.runpytest("--relevance", UPDATE, "--relevance-baseline", "qrels.txt")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --relevance-baseline: no folder qrels.txt can be made (*); name another"])


def test_in_ci_it_must_be_said_twice(pytester: pytest.Pytester, stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    once, twice = pytester.runpytest("--relevance", UPDATE), pytester.runpytest("--relevance", UPDATE, UPDATE)

    assert once.ret == pytest.ExitCode.USAGE_ERROR
    once.stderr.fnmatch_lines(["*not renewed in CI; say it twice*"])
    assert twice.ret == pytest.ExitCode.OK


def test_another_folder_may_hold_them(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path)

    pytester.runpytest("--relevance", UPDATE, "--relevance-baseline", "kept").assert_outcomes(passed=1)
    pytester.runpytest("--relevance", "--relevance-baseline", "kept").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nrelevance_baselines = kept\n")
    pytester.runpytest("--relevance").assert_outcomes(passed=1)

    assert (pytester.path / "kept" / "moving" / "live.jsonl").is_file()


def test_a_large_baseline_becomes_parquet_and_is_compared_alike(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pyarrow.parquet")
    write_suite(pytester.path)
    pytester.runpytest("--relevance", UPDATE)
    pytester.makeini("[pytest]\nrelevance_baseline_text_megabytes = 0.0001\n")
    write_run(pytester.path / "live.run", reversed_in(range(30)))

    pytester.runpytest("--relevance", UPDATE).assert_outcomes(passed=1)
    assert [path.name for path in (pytester.path / STORED).parent.iterdir()] == ["live.parquet"]
    pytester.runpytest("--relevance").assert_outcomes(passed=1)
    write_run(pytester.path / "live.run")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["nDCG@5 of live is better than the baseline by 0.*: renew it: *"])


def test_a_reference_of_git_is_read_without_touching_the_work_tree(pytester: pytest.Pytester, stored: Path) -> None:
    committed(pytester.path)
    stored.unlink()
    write_run(pytester.path / "live.run", reversed_in(range(30)))

    result = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main")

    result.assert_outcomes(failed=1)
    assert not stored.exists()


def test_what_a_reference_lacks_is_told(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path)

    nowhere = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main")
    committed(pytester.path)
    unknown = pytester.runpytest("--relevance", "--relevance-baseline-ref", "origin/main")
    missing = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main")

    nowhere.stdout.fnmatch_lines(["*is in no git repository*"])
    unknown.stdout.fnmatch_lines(["*this repository has no reference 'origin/main'*", "*fix: fetch it first*"])
    missing.stdout.fnmatch_lines(["*there is no baseline of live: main:*live.jsonl does not exist*"])
    for result in (nowhere, unknown, missing):
        result.assert_outcomes(errors=1)


def test_without_git_a_reference_is_an_error_with_a_fix(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(pytester.path)
    monkeypatch.setenv("PATH", str(pytester.path))

    result = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*needs git, and there is none on the path*", "*fix: install git*"])


def test_secrets_of_the_environment_do_not_reach_the_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "hunter2-very-secret")
    write_suite(pytester.path)
    write_run(pytester.path / "hunter2-very-secret.run")
    suite = pytester.path / "live.relevance.yaml"
    text = suite.read_text(encoding="utf-8").replace("file: live.run", "file: '${TOKEN}.run'")
    suite.write_text(text, encoding="utf-8")

    result = pytester.runpytest("--relevance", UPDATE)

    result.assert_outcomes(passed=1)
    assert b"hunter2" not in (pytester.path / STORED).read_bytes()


def test_a_baseline_nobody_asserts_is_told(pytester: pytest.Pytester, stored: Path) -> None:
    stored.with_name("old.jsonl").write_bytes(stored.read_bytes())

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["no check of moving is against the baseline *moving/old: add one, or delete the file"])


def test_a_damaged_baseline_is_an_error_and_can_be_written_anew(pytester: pytest.Pytester, stored: Path) -> None:
    whole = stored.read_bytes()
    stored.write_bytes(whole[: len(whole) // 2])

    broken = pytester.runpytest("--relevance")
    mended = pytester.runpytest("--relevance", UPDATE)

    broken.assert_outcomes(errors=1)
    broken.stdout.fnmatch_lines(["*live.jsonl is not a baseline that this version can read*", "*fix: restore it*"])
    mended.assert_outcomes(passed=1)
    assert stored.read_bytes().count(b"\n") == whole.count(b"\n")


def test_changed_queries_are_not_comparable_unless_the_shared_ones_are_enough(
    pytester: pytest.Pytester, stored: Path
) -> None:
    write_queries(pytester.path / "queries.jsonl", order=range(1, 30))
    write_qrels(pytester.path / "qrels.txt", order=range(1, 30))

    refused = pytester.runpytest("--relevance")
    write_checks(pytester.path, f"  - {GATE[:-1]}, shared_queries: allow}}\n")
    shared = pytester.runpytest("--relevance")
    write_checks(pytester.path, f"  - {GATE[:-1]}, level: warn}}\n")
    warned = pytester.runpytest("--relevance")

    refused.assert_outcomes(errors=1)
    refused.stdout.fnmatch_lines(
        ["nDCG@5 of live is not comparable with baseline: the queries changed (30 then, 29 now): q00 is gone"]
    )
    shared.assert_outcomes(passed=1)
    warned.assert_outcomes(passed=1)
    warned.stdout.fnmatch_lines(["warning: nDCG@5 of live is not comparable with baseline*"])


def test_a_deeper_look_than_was_stored_is_not_comparable(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path, head="depth: 5\n")
    pytester.runpytest("--relevance", UPDATE)
    write_checks(pytester.path, "  - {measure: nDCG@50, of: live, against: baseline, max_drop: 0.01}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the baseline holds 5 documents per query, and 50 are needed"])


def test_two_retrievers_or_a_run_file_are_compared_too(pytester: pytest.Pytester) -> None:
    checks = (
        "  - {measure: nDCG@5, of: live, against: old, max_drop: 0.01}\n"
        "  - {measure: nDCG@5, of: live, against: {run: before.run}, max_drop: 1%}\n"
        "  - {measure: nDCG@5, of: old, against: {run: before.run}, max_drop: 0}\n"
    )
    write_suite(pytester.path)
    write_checks(pytester.path, checks)
    suite = pytester.path / "live.relevance.yaml"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("checks:", "  old: {type: run, file: before.run}\nchecks:"),
        encoding="utf-8",
    )
    write_run(pytester.path / "before.run")
    write_run(pytester.path / "live.run", reversed_in(range(30)))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        ["nDCG@5 is 0.* for live, 0.* below old (1.000), more than the 0.010 this suite allows"]
    )


def test_a_query_that_a_run_file_lacks_is_not_a_zero(pytester: pytest.Pytester) -> None:
    write_suite(pytester.path, "  - {measure: nDCG@5, of: live, against: {run: before.run}, max_drop: 0.01}\n")
    write_run(pytester.path / "before.run", order=range(2, 30))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*not comparable with before.run: the queries q00, q01 are not in it"])


def test_the_page_of_a_session_tells_what_a_release_manager_asks(
    pytester: pytest.Pytester, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = pytester.path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    write_run(pytester.path / "live.run", reversed_in(range(30)))

    pytester.runpytest("--relevance", "--relevance-markdown", "out/page.md", "--relevance-markdown", "summary")

    page = (pytester.path / "out" / "page.md").read_text(encoding="utf-8")
    assert summary.read_text(encoding="utf-8") == f"before\n{page}"
    for part in (
        "## Relevance: not to be released as it is",
        "| moving | live | nDCG@5 | 0.",
        "1.000 baseline |",
        "### What fell or failed",
        "| q00 | find number 0 | 1.000 | 0.",
        "### Judged documents",
        "### Made from",
        "configuration | ",
    ):
        assert part in page, part


def test_workers_come_to_the_verdicts_of_one_process(pytester: pytest.Pytester, stored: Path) -> None:
    write_run(pytester.path / "live.run", reversed_in(range(30)))
    write_checks(
        pytester.path, f"  - {GATE}\n  - {{overlap: RBO(p=0.9), of: live, against: baseline, at_least: 0.5}}\n"
    )

    alone = pytester.runpytest_subprocess("--relevance")
    together = pytester.runpytest_subprocess("--relevance", "-n", "2")

    assert alone.parseoutcomes()["failed"] == together.parseoutcomes()["failed"] == 1
    told = [[line for line in result.outlines if "below baseline" in line] for result in (alone, together)]
    assert told[0][0] == told[1][0]


def test_checks_without_judgments_see_what_changed(pytester: pytest.Pytester, stored: Path) -> None:
    checks = (
        "  - {overlap: Changed@5, of: live, against: baseline, at_most: 10%}\n"
        "  - {overlap: Changed(order=False)@6, of: live, against: baseline, at_most: 0}\n"
        "  - {overlap: RBO(p=0.9), of: live, against: baseline, at_least: 0.9}\n"
        "  - {results: 0, of: live, at_most: 0}\n"
        "  - {results: [0, 5], of: live, at_most: 2%, level: warn}\n"
    )
    write_checks(pytester.path, checks)
    write_run(pytester.path / "live.run", reversed_in(range(6)))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        ["Changed@5 between live and baseline is 0.200, above the 0.100 this suite allows (+0.100)"]
    )


def test_what_is_too_unlike_is_shown_side_by_side_on_the_terminal_on_the_page_and_in_json(
    pytester: pytest.Pytester, stored: Path
) -> None:
    """q03 alone is upside down: the first of its six documents went to rank 6."""
    write_checks(pytester.path, "  - {overlap: RBO(p=0.9), of: live, against: baseline, at_least: 0.99}\n")
    write_run(pytester.path / "live.run", reversed_in([3]))

    result = pytester.runpytest("--relevance", "--relevance-markdown=page.md", "--relevance-json=out.json")

    result.assert_outcomes(failed=1)
    shown = [
        "  q03 find number 3   0.*",
        "    rank  baseline  grade  went to  now*grade*was*",
        "       1  d03-0     3      *6*d03-5*0*6*",
    ]
    result.stdout.fnmatch_lines(shown, consecutive=True)
    page = (pytester.path / "page.md").read_text(encoding="utf-8")
    assert page.count("<details><summary>q03 then and now</summary>") == page.count("<details>") == 1
    (verdict,) = json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))["verdicts"]
    (side,) = verdict["sides"]
    assert (side["query_id"], side["against"], side["old"], side["graded"]) == ("q03", "baseline", None, True)
    assert (side["moves"][0]["old"], side["moves"][0]["to"]) == ("d03-0", 6)
