"""The page of a release manager: what it says, in which order, and that nothing of the data becomes markup."""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.report import markdown_page
from pytest_relevance.report.markup import code
from pytest_relevance.verdict import Beside, Mean, QueryValue, Verdict
from pytest_relevance.verdict.record import Gate, Move, Side

GATE = Gate(
    against="baseline",
    decision="fail",
    reason="beyond",
    old=0.428,
    new=0.391,
    low=-0.05,
    high=-0.02,
    confidence=0.95,
    better=4,
    same=31,
    worse=15,
    allowed=0.01,
    p_value=0.001,
    corrected_p=0.004,
    detectable=0.03,
    slices=(Mean("type=question", -0.1, -0.15, -0.05),),
    made_from={"configuration": "abc -> def"},
)
FELL = Verdict(
    suite="shoes",
    retriever="live",
    title="nDCG@10 vs baseline",
    kind="regression",
    outcome="fail",
    sentence="nDCG@10 is 0.391 for live, 0.037 below baseline (0.428), more than the 0.010 this suite allows",
    place="shoes.relevance.yaml:14:5",
    measure="nDCG@10",
    qrels="editors",
    value=0.391,
    queries=50,
    means=(Mean("this run", 0.391, 0.352, 0.43), Mean("baseline", 0.428, 0.391, 0.466)),
    beside=(Beside("Judged@10", 0.81, 0.97), Beside("nDCG-f@10", 0.424, 0.43)),
    worst=(QueryValue("q17", "red | shoes", 0.308, 10, 0, 0.923),),
    node="shoes.relevance.yaml::live::nDCG@10 vs baseline",
    gate=GATE,
    sides=(Side("q17", "red | shoes", "baseline", 0.923, 0.308, True, (Move(1, "d1", 3.0, None, "d2", None, None),)),),
)
REPORT = Verdict(
    suite="shoes",
    retriever="live",
    title="report",
    kind="report",
    outcome="pass",
    sentence="",
    means=(Mean("nDCG@10", 0.391, 0.352, 0.43), Mean("R@100", 0.871, 0.85, 0.89)),
)
ALIKE = Verdict(
    suite="shoes",
    retriever="live",
    title="RBO",
    kind="overlap",
    outcome="fail",
    sentence="RBO(p=0.9) between live and baseline is 0.713",
    measure="RBO(p=0.9)",
    value=0.713,
    worst=(QueryValue("q02", "usb", 0.139),),
)


def test_a_regression_is_told_with_all_that_a_failure_has() -> None:
    page = markdown_page([FELL])

    for line in (
        "## Relevance: not to be released as it is",
        "| shoes | live | nDCG@10 | 0.391 | 0.352 .. 0.430 | a drop of at most 0.010 | 0.428 baseline "
        "| -0.037 (-0.050 .. -0.020) | **fail** |",
        "- queries better/same/worse: 4 / 31 / 15",
        "- p = 0.001 (0.004 among all gates of this suite)",
        "- smallest drop that 50 queries show four times in five: 0.030",
        "- slice that fell: type=question -0.100 (-0.150 .. -0.050)",
        "- Judged@10 fell from 0.97 to 0.81: some of this drop may be missing judgments.",
        "- On judged documents only, nDCG-f@10 is 0.424, and was 0.430.",
        "- see one query: `pytest --relevance 'shoes.relevance.yaml::live::nDCG@10 vs baseline' --relevance-query q17`",
        "- accept it: `pytest --relevance shoes.relevance.yaml::live --relevance-update-baseline`",
        "| q17 | red \\| shoes | 0.923 | 0.308 | 10 (0 unjudged) |",
        "| shoes | live | editors | Judged@10 | 0.810 | 0.970 |",
        "| shoes | live | configuration | abc -> def |",
    ):
        assert line in page.splitlines(), line


def test_edits_of_the_suite_stand_before_any_value() -> None:
    page = markdown_page(
        [replace(FELL, edits=("edited since main: at_least was 0.9 and is 0.1",), notices=("a note",))]
    )

    assert page.index("### What this change asks otherwise") < page.index("### Values") < page.index("a note")
    assert page.count("at\\_least was 0.9 and is 0.1") == 1


def test_the_rankings_of_a_query_are_shown_once() -> None:
    other = replace(FELL, title="another check", sides=(*FELL.sides, replace(FELL.sides[0], query_id="q33")))

    page = markdown_page([FELL, other])

    assert page.count("<details><summary>q17 then and now</summary>") == 1
    assert page.count("<details><summary>q33 then and now</summary>") == 1


def test_a_measure_that_is_checked_is_not_reported_a_second_time() -> None:
    page = markdown_page([FELL, REPORT])

    assert page.count("| shoes | live | nDCG@10 |") == 1
    assert "| shoes | live | R@100 | 0.871 | 0.850 .. 0.890 |  |  |  |  |" in page


def test_columns_that_hold_nothing_are_left_out() -> None:
    page = markdown_page([ALIKE])

    assert "| query | text | RBO(p=0.9) |" in page
    assert "| q02 | usb | 0.139 |" in page


def test_green_is_no_promise_where_noise_hides_what_happened() -> None:
    unsure = replace(FELL, outcome="inconclusive")

    assert markdown_page([replace(FELL, outcome="pass")]).startswith(
        "## Relevance: nothing that was checked got worse\n"
    )
    assert markdown_page([unsure]).startswith(
        "## Relevance: nothing failed, and of 1 check noise hides whether something got worse\n"
    )


def test_code_in_a_line_survives_its_own_backticks() -> None:
    assert code("a b") == "`a b`"
    assert code("a `b` c") == "``a `b` c``"
    assert code("`b`") == "`` `b` ``"
