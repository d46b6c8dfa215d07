"""Each way in which a real gate rotted without anybody noticing, played through: here it must be noticed.

The numbers are those of the list of what users of other tools complain of, group D.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from moving_runs import (
    GATE,
    committed,
    documents,
    reversed_in,
    write_checks,
    write_qrels,
    write_queries,
    write_run,
    write_suite,
)

UPDATE = "--relevance-update-baseline"
ALL = range(30)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Path:
    """The folder of a suite with a stored baseline of good rankings."""
    write_suite(pytester.path)
    pytester.runpytest("--relevance", UPDATE).assert_outcomes(passed=1)
    return pytester.path


def with_scripted_retriever(folder: Path, body: str) -> None:
    (folder / "scripted.py").write_text(body, encoding="utf-8")
    path = folder / "live.relevance.yaml"
    text = path.read_text(encoding="utf-8")
    scripted = "{type: function, function: 'scripted:search'}"
    path.write_text(text.replace("{type: run, file: live.run}", scripted), encoding="utf-8")


SCRIPTED = """
def search(query, depth):
    number = int(query.query_id[1:])
    if number in {numbers}:
        {instead}
    return [f"d{number:02d}-{place}" for place in range(6)]
"""


# 25: the gate prints FAIL and exits 0.


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("max_drop: 0.01", 1),
        ("max_drop: 0.01, level: warn", 0),
        ("max_drop: 0.9", 0),
        ("improves: true", 1),
        ("each_query: {max_drop: 0.1}", 1),
        ("each_query: {max_drop: 0.1, mostly: 0.5}", 1),
        ("each_query: {max_drop: 0.1}, level: warn", 0),
    ],
)
def test_25_the_exit_status_is_the_verdict(pytester: pytest.Pytester, suite: Path, rule: str, status: int) -> None:
    write_checks(suite, f"  - {{measure: nDCG@5, of: live, against: baseline, {rule}}}\n")
    write_run(suite / "live.run", reversed_in(ALL))

    result = pytester.runpytest_subprocess("--relevance")

    assert result.ret == status
    assert ("FAILED" in result.stdout.str()) == bool(status)


@pytest.mark.parametrize(("unsure", "status"), [("notice", 0), ("warn", 0), ("fail", 1)])
def test_25_what_noise_may_explain_is_told_and_fails_only_where_it_should(
    pytester: pytest.Pytester, suite: Path, unsure: str, status: int
) -> None:
    write_checks(suite, f"  - {GATE[:-1]}, on_inconclusive: {unsure}}}\n")
    write_run(suite / "live.run", reversed_in([3]))

    result = pytester.runpytest_subprocess("--relevance")

    assert result.ret == status
    result.stdout.fnmatch_lines(["*30 queries cannot tell if that is more than the 0.0*"])


def test_25_the_mean_and_the_single_query_are_two_rules(pytester: pytest.Pytester, suite: Path) -> None:
    mean = "{measure: nDCG@5, of: live, against: baseline, max_drop: 5%, name: the mean}"
    each = "{measure: nDCG@5, of: live, against: baseline, each_query: {max_drop: 0.3}, name: each query}"
    write_checks(suite, f"  - {mean}\n  - {each}\n")
    write_run(suite / "live.run", reversed_in([4]))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["1 query of 30 lost more than 0.3 of nDCG@5 for live against baseline, and none may: q04"]
    )


# 26: an arm that never ran is scored zero and certified significant.


def test_26_what_did_not_run_has_no_statistics(pytester: pytest.Pytester, suite: Path) -> None:
    with_scripted_retriever(suite, SCRIPTED.replace("{numbers}", "{8}").replace("{instead}", "raise OSError('down')"))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*live answered 29 of 30 queries; q08 did not run: *down*"])
    assert "below baseline" not in result.stdout.str()


def test_26_what_did_not_run_is_not_stored(pytester: pytest.Pytester, suite: Path) -> None:
    stored = suite / "relevance_baselines" / "moving" / "live.jsonl"
    before = stored.read_bytes()
    with_scripted_retriever(suite, SCRIPTED.replace("{numbers}", "{8}").replace("{instead}", "raise OSError('down')"))

    pytester.runpytest("--relevance", UPDATE).assert_outcomes(errors=1)

    assert stored.read_bytes() == before


def test_26_an_answer_of_nothing_is_a_zero_and_stays_in_the_mean(pytester: pytest.Pytester, suite: Path) -> None:
    with_scripted_retriever(suite, SCRIPTED.replace("{numbers}", "set(range(15))").replace("{instead}", "return []"))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["nDCG@5 is 0.500 for live, 0.500 below baseline (1.000)*", "*15 queries got nothing back*"]
    )


# 27: the baseline is stale, or the change rewrote it.


def test_27_a_change_cannot_be_compared_with_the_file_it_rewrote(pytester: pytest.Pytester, suite: Path) -> None:
    committed(suite)
    write_run(suite / "live.run", reversed_in(ALL))
    pytester.runpytest("--relevance", UPDATE)

    pytester.runpytest("--relevance").assert_outcomes(passed=1)
    pytester.runpytest("--relevance", "--relevance-baseline-ref", "main").assert_outcomes(failed=1)


def test_27_a_floor_that_became_too_low_is_told_and_does_not_move_by_itself(
    pytester: pytest.Pytester, suite: Path
) -> None:
    write_run(suite / "live.run", reversed_in(ALL))
    pytester.runpytest("--relevance", UPDATE)
    stored = suite / "relevance_baselines" / "moving" / "live.jsonl"
    before = stored.read_bytes()
    write_run(suite / "live.run")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["nDCG@5 of live is better than the baseline by 0.*: renew it: pytest --relevance *"])
    assert stored.read_bytes() == before


# 28: queries, judgments, index or model drift between the two.


def test_28_new_labels_are_no_regression(pytester: pytest.Pytester, suite: Path) -> None:
    """Under the new labels both runs are worse by as much: the stored one is measured anew."""
    lines = (suite / "qrels.txt").read_text(encoding="utf-8").splitlines()
    more = [f"q{query:02d} 0 elsewhere-{query} 3" for query in ALL]
    (suite / "qrels.txt").write_text("\n".join([*lines, *more, ""]), encoding="utf-8")

    result = pytester.runpytest("--relevance", "-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["live was compared with baseline although judgments 'qrels' changed: the stored run is measured anew*"]
    )


def test_28_a_reworded_query_is_another_query(pytester: pytest.Pytester, suite: Path) -> None:
    write_queries(suite / "queries.jsonl", words="look for number")

    result = pytester.runpytest("--relevance")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*not comparable with baseline: the queries changed*q00, q01, * more are reworded"])


def test_28_another_gain_is_told(pytester: pytest.Pytester, suite: Path) -> None:
    write_checks(suite, f"  - {GATE}\n", head="grades: {gain: exp}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*although gain was linear and is exp: the stored run is measured anew with exp"])


def test_28_another_corpus_and_configuration_are_compared_and_told(pytester: pytest.Pytester, suite: Path) -> None:
    (suite / "corpus.jsonl").write_text('{"id": "d00-0", "title": "one"}\n', encoding="utf-8")
    write_checks(suite, f"  - {GATE}\n", head="corpus: corpus.jsonl\n")
    write_run(suite / "live.run", lambda _, ranking: [*ranking[:5], "other"])

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*although the corpus changed; the configuration of live changed"])


# 29: is the fall real or noise?


def test_29_the_same_run_passes(pytester: pytest.Pytester, suite: Path) -> None:
    write_checks(suite, "  - {measure: nDCG@5, of: live, against: baseline, max_drop: 0}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    assert "inconclusive" not in result.stdout.str()


def test_29_one_bad_query_of_thirty_is_not_certified(pytester: pytest.Pytester, suite: Path) -> None:
    write_run(suite / "live.run", reversed_in([3]))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["inconclusive: nDCG@5 is 0.* below baseline (1.000): 30 queries cannot tell*"])


def test_29_the_same_fall_everywhere_is_no_noise(pytester: pytest.Pytester, suite: Path) -> None:
    """Every query loses the same amount: differences without any variance are decided, not divided by zero."""
    write_run(suite / "live.run", reversed_in(ALL))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1)
    assert not re.search(r"\bnan\b", result.stdout.str())


# 30: the threshold is lowered to turn the job green.


def test_30_a_bound_edited_in_the_same_change_stands_beside_its_old_value(
    pytester: pytest.Pytester, suite: Path
) -> None:
    threshold = "{measure: nDCG@5, of: live, at_least: 0.95}"
    write_checks(suite, f"  - {GATE}\n  - {threshold}\n  - {{measure: P@1, of: live, at_least: 0.5}}\n")
    committed(suite)
    write_run(suite / "live.run", reversed_in(ALL))
    loose = GATE.replace("max_drop: 0.01", "max_drop: 0.02")
    write_checks(suite, f"  - {loose}\n  - {threshold.replace('0.95', '0.1')}\n")

    result = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main", "--relevance-markdown", "page.md")

    result.assert_outcomes(failed=1, passed=1)
    for line in (
        "*edited since main: max_drop was 0.01 and is 0.02, in nDCG@5 vs baseline of live",
        "*edited since main: at_least was 0.95 and is 0.1, in nDCG@5 of live",
        "*gone since main: the check P@1 of live",
    ):
        result.stdout.fnmatch_lines([line])
    assert "at\\_least was 0.95 and is 0.1" in (suite / "page.md").read_text(encoding="utf-8")


def test_30_a_bound_of_an_assertion_stands_beside_its_old_value_too(pytester: pytest.Pytester, suite: Path) -> None:
    def assertions(rank: int, least: float, share: float, more: str = "") -> str:
        return (
            f"  - {GATE}\nassertions:\n"
            f"  - query: q00\n    expect:\n      - {{doc: d00-0, rank: {{at_most: {rank}}}}}\n"
            f"      - {{measure: RR@5, at_least: {least}}}\n{more}"
            f"  - {{queries: [q01, q02], mostly: {share}, expect: [{{top: 3, contains: [d01-0]}}]}}\n"
        )

    write_checks(suite, assertions(1, 1.0, 0.5, "      - {first: d00-0}\n"))
    committed(suite)
    write_run(suite / "live.run", reversed_in(ALL))
    write_checks(suite, assertions(5, 0.2, 0.1))

    result = pytester.runpytest("--relevance", "--relevance-baseline-ref", "main", "--relevance-markdown", "page.md")

    result.assert_outcomes(failed=3, passed=1)  # what is edited is told where it passes too
    for line in (
        "  edited since main: rank was {at_most: 1} and is {at_most: 5}, in q00: d00-0 at rank at most 5 of live",
        "edited since main: at_least was 1 and is 0.2, in q00: RR@5 at least 0.2 of live",
        "  edited since main: mostly of its queries was 0.5 and is 0.1, in queries q01, q02: top 3 contains d01-0 *",
        "gone since main: the assertion q00: first d00-0 of live",
    ):
        result.stdout.fnmatch_lines([line])
    page = (suite / "page.md").read_text(encoding="utf-8")
    assert "at\\_least was 1 and is 0.2" in page
    assert "gone since main: the assertion q00: first d00-0" in page


# 31: several comparisons; deltas wrong when the order of queries differs; NaN.


def test_31_the_order_of_queries_does_not_matter(pytester: pytest.Pytester, suite: Path) -> None:
    backwards = range(29, -1, -1)
    write_queries(suite / "queries.jsonl", order=backwards)
    write_qrels(suite / "qrels.txt", order=[*range(15, 30), *range(15)])
    write_run(suite / "live.run", order=backwards)
    write_checks(suite, "  - {measure: nDCG@5, of: live, against: baseline, each_query: {max_drop: 0}}\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(passed=1)
    assert "queries changed" not in result.stdout.str()
    assert "judgments 'qrels' changed" not in result.stdout.str()


def test_31_several_baselines_at_once_are_corrected_together(pytester: pytest.Pytester, suite: Path) -> None:
    write_run(suite / "january.run", reversed_in(range(0, 30, 2)))
    checks = f"  - {GATE}\n  - {{measure: nDCG@5, of: live, against: {{run: january.run}}, max_drop: 0.01}}\n"
    write_checks(suite, checks)
    write_run(suite / "live.run", reversed_in(range(0, 30, 3)))

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*p = *, * among all gates of this suite"])


def test_31_a_score_that_is_no_number_is_refused(pytester: pytest.Pytester, suite: Path) -> None:
    with (suite / "live.run").open("a", encoding="utf-8") as run:
        run.write("q00 Q0 broken 9 nan t\n")

    result = pytester.runpytest("--relevance")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*score 'nan'*"])


# 32: show what moved, not only how much.


def test_32_a_failure_shows_both_rankings_with_grades_and_moves(pytester: pytest.Pytester, suite: Path) -> None:
    def change(query: int, ranking: list[str]) -> list[str]:
        return [documents(query)[6], ranking[2], ranking[0], "new", ranking[3]]

    write_run(suite / "live.run", change)

    result = pytester.runpytest("--relevance")

    result.stdout.fnmatch_lines(
        [
            "  queries that lost most   baseline     now   judged in top 5",
            "  q00 find number 0           1.000   0.*   3 (2 unjudged)",
            "  q00 find number 0   1.000 -> 0.*",
            "    rank  baseline  grade  went to  now    grade     was",
            "       1  d00-0     3      3        d00-6  unjudged  entered",
            "       2  d00-1     2      left     d00-2  1         3",
            "       3  d00-2     1      2        d00-0  3         1",
            "  Judged@5 fell from 1.00 to 0.60: some of this drop may be missing judgments.",
            "  On judged documents only, nDCG-f@5 is 0.*, and was 1.000.",
            "  see one query:  pytest --relevance *--relevance-query q00",
            "  accept it:      pytest --relevance live.relevance.yaml::live --relevance-update-baseline",
        ]
    )
