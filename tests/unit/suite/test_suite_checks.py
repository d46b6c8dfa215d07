from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from suite_texts import BASE, FILE, problems, read, refused, refused_more, underlined

from pytest_relevance.suite import OrderCheck, OverlapCheck, Threshold
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of

SETS = """\
queries: queries.jsonl
qrels: {editors: qrels.txt, clicks: clicks.qrels}
slices: {type: {short: {words: [1, 3]}, question: {starts_with: [who]}}}
weights: {type: {short: 55%, question: 0.45}}
retrievers: {bm25: {type: bm25}, dense: {type: dense}, live: {type: http}}
"""


def test_a_check_says_what_of_whom_and_how_much() -> None:
    (check,) = read(SETS + "checks: [{measure: ndcg@10, of: live, at_least: 0.42, at_most: 9e-1}]\n").checks

    assert isinstance(check, Threshold)
    assert (check.measure.name, check.of, check.at_least, check.at_most) == ("nDCG@10", "live", 0.42, 0.9)
    assert (check.level, check.slice, check.total, check.qrels) == ("fail", None, None, None)
    assert str(check.place) == f"{FILE}:6:10"


def test_a_share_may_be_written_in_percent() -> None:
    checks = read(
        SETS + "checks: [{measure: P@1, at_least: 42%, of: live}, {measure: P@1, at_most: 0.5 %, of: live}]\n"
    ).checks
    suite = read(SETS + "report: [P@1]\n")

    assert [(one.at_least, one.at_most) for one in checks if isinstance(one, Threshold)] == [
        (0.42, None),
        (None, 0.005),
    ]
    assert suite.weights == {"type": {"short": pytest.approx(0.55), "question": pytest.approx(0.45)}}


def test_of_takes_one_name_or_a_list_or_means_every_retriever() -> None:
    checks = read(
        SETS + "checks:\n"
        "  - {measure: P@1, of: dense, at_least: 0.1}\n"
        "  - {measure: P@2, of: [live, bm25, live], at_least: 0.1}\n"
        "  - {measure: P@3, at_least: 0.1}\n"
        "  - {overlap: Jaccard@5, with: bm25, at_least: 0.1}\n"
    ).checks

    assert [(check.title, check.of) for check in checks] == [
        ("P@1", "dense"),
        ("P@2", "live"),
        ("P@2", "bm25"),
        ("P@3", "bm25"),
        ("P@3", "dense"),
        ("P@3", "live"),
        ("Jaccard@5 with bm25", "dense"),
        ("Jaccard@5 with bm25", "live"),
    ]


def test_titles_are_short_and_unique_for_a_retriever() -> None:
    checks = read(
        SETS + "checks:\n"
        "  - {measure: nDCG@10, of: live, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, slice: type = short, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, total: weighted by type, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, total: type, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, qrels: editors, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, qrels: clicks, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, qrels: each, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: bm25, at_least: 0.1}\n"
        "  - {measure: nDCG@10, of: live, at_least: 0.1, name: my own}\n"
        "  - {measure: nDCG@10, order: [live, bm25]}\n"
        "  - {measure: nDCG@10, of: live, at_least: 0.2, name: my own, level: warn}\n"
    ).checks

    assert [check.title for check in checks if check.of == "live"] == [
        "nDCG@10",
        "nDCG@10 type=short",
        "nDCG@10 weighted by type",
        "nDCG@10 weighted by type (2)",
        "nDCG@10 (2)",
        "nDCG@10 clicks",
        "nDCG@10 under each qrels",
        "my own",
        "nDCG@10 order",
        "my own (2)",
    ]
    assert [check.title for check in checks if check.of == "bm25"] == ["nDCG@10"]
    assert [check.level for check in checks] == ["fail"] * 10 + ["warn"]


def test_a_numbered_title_never_meets_one_that_was_chosen() -> None:
    checks = read(
        SETS + "checks: [{measure: P@1, of: live, at_least: 0, name: a (2)}, "
        "{measure: P@1, of: live, at_least: 0, name: a}, {measure: P@1, of: live, at_least: 0, name: a}]\n"
    ).checks

    assert [check.title for check in checks] == ["a (2)", "a", "a (3)"]


def test_an_order_belongs_to_its_best_retriever() -> None:
    (check,) = read(SETS + "checks: [{measure: nDCG-f@10, order: [dense, live, bm25], qrels: each}]\n").checks

    assert isinstance(check, OrderCheck)
    assert (check.of, check.order, check.qrels) == ("dense", ("dense", "live", "bm25"), "each")
    assert check.title == "nDCG-f@10 order under each qrels"


def test_an_overlap_needs_no_judgments() -> None:
    suite = "queries: q.tsv\nretrievers: {a: {type: bm25}, b: {type: bm25}}\n"
    (check,) = read(suite + "checks: [{overlap: rbo(p=0.9), of: a, with: b, at_least: 0.8}]\n").checks

    assert isinstance(check, OverlapCheck)
    assert (check.overlap.name, check.of, str(check.against), check.at_least) == ("RBO(p=0.9)", "a", "b", 0.8)


@pytest.mark.parametrize(
    ("check", "problem", "under"),
    [
        ("{measure: P@1}", "checks[0] has no bound", "{measure: P@1}"),
        ("{of: live, at_least: 0.1}", "checks[0] has no measure", "{of: live, at_least: 0.1}"),
        ("{mesure: P@1, at_least: 0.1}", "unknown key 'mesure' in checks[0]", "mesure"),
        ("{measure: P@1, at_leest: 0.1}", "unknown key 'at_leest' in checks[0]", "at_leest"),
        ("{measure: nDGC@10, at_least: 0.1}", "unknown measure 'nDGC@10'", "nDGC"),
        ("{measure: '  nDGC@10', at_least: 0.1}", "unknown measure 'nDGC@10'", "nDGC"),
        ("{measure: P@0, at_least: 0.1}", "cutoff '0' is not a whole number from 1 up in measure 'P@0'", "0"),
        ("{measure: P@1, of: lvie, at_least: 0.1}", "unknown retriever 'lvie' in checks[0]", "lvie"),
        ("{measure: P@1, of: [bm25, lvie], at_least: 0.1}", "unknown retriever 'lvie' in checks[0].of", "lvie"),
        ("{measure: P@1, of: [], at_least: 0.1}", "checks[0].of is empty", "[]"),
        ("{measure: P@1, of: '', at_least: 0.1}", "unknown retriever '' in checks[0]", "''"),
        (
            "{measure: P@1, of: {a: b}, at_least: 0.1}",
            "checks[0].of needs text or a list, found keys and values",
            "{a: b}",
        ),
        ("{measure: P@1, of: ~, at_least: 0.1}", "checks[0].of needs a value", "~"),
        ("{measure: P@1, slice: type, at_least: 0.1}", "checks[0].slice needs SCHEME=SLICE, found 'type'", "type"),
        ("{measure: P@1, slice: tpye=short, at_least: 0.1}", "unknown slices 'tpye=short' in checks[0]", "tpye=short"),
        (
            "{measure: P@1, slice: type=shrot, at_least: 0.1}",
            "unknown slice of type 'type=shrot' in checks[0]",
            "type=shrot",
        ),
        ("{measure: P@1, total: tpye, at_least: 0.1}", "unknown weights 'tpye' in checks[0]", "tpye"),
        ("{measure: P@1, total: type, slice: type=short, at_least: 0}", "checks[0] has a slice and a total", "type"),
        ("{measure: P@1, qrels: click, at_least: 0.1}", "unknown judgment set 'click' in checks[0]", "click"),
        ("{measure: P@1, level: error, at_least: 0.1}", "checks[0].level cannot be 'error'", "error"),
        ("{measure: P@1, name: '', at_least: 0.1}", "checks[0].name is empty", "''"),
        ("{measure: P@1, at_least: high}", "checks[0].at_least needs a number, found 'high'", "high"),
        ("{measure: P@1, at_least: x%}", "checks[0].at_least needs a number, found 'x%'", "x%"),
        ("{measure: P@1, at_least: nan}", "checks[0].at_least needs a finite number, found 'nan'", "nan"),
        ("{measure: P@1, at_least: inf}", "checks[0].at_least needs a finite number, found 'inf'", "inf"),
        ("{measure: P@1, at_least: nan%}", "checks[0].at_least needs a finite number, found 'nan%'", "nan%"),
        ("{measure: P@1, at_least: [0.1]}", "checks[0].at_least needs a number, found a list", "[0.1]"),
        ("{measure: P@1, at_least: 0.9, at_most: 0.1}", "checks[0]: at_least is above at_most", "0.9"),
        ("{measure: P@1, at_least: 42}", "checks[0]: at_least is 42, and values of P@1 go from 0 to 1", "42"),
        ("{measure: P@1, at_most: 42}", "checks[0]: at_most is 42, and values of P@1 go from 0 to 1", "42"),
        ("{measure: P@1, order: [live]}", "checks[0].order needs at least 2 items", "[live]"),
        ("{measure: P@1, order: live}", "checks[0].order needs a list, found 'live'", "live"),
        (
            "{measure: P@1, order: [live, bm25, live]}",
            "checks[0]: 'live' stands twice in the order",
            "[live, bm25, live]",
        ),
        ("{measure: P@1, order: [live, bm26]}", "unknown retriever 'bm26' in checks[0].order", "bm26"),
        ("{measure: P@1, order: [live, bm25], at_least: 1}", "unknown key 'at_least' in checks[0]", "at_least"),
        ("{overlap: RBO, at_least: 0.1}", "checks[0] has no with", "{overlap: RBO, at_least: 0.1}"),
        ("{overlap: RBX, with: live, at_least: 0.1}", "unknown", "RBX"),
        ("{overlap: RBO, with: live, of: live, at_least: 0.1}", "checks[0] compares a retriever with itself", "live"),
        ("{overlap: Kendall, with: live, of: bm25, at_least: -2}", "checks[0]: at_least is -2", "-2"),
        ("text", "checks[0] needs keys and values, found 'text'", "text"),
        ("[a]", "checks[0] needs keys and values, found a list", "[a]"),
        ("~", "checks[0] needs a value", "~"),
    ],
)
def test_a_check_that_cannot_be_meant_is_named_under_its_key(check: str, problem: str, under: str) -> None:
    error = refused(SETS + f"checks: [{check}]\n")

    assert problem in problems(error)[0]
    assert underlined(error) == under
    assert str(error.place).startswith(f"{FILE}:6:")
    assert error.fix


def test_a_lone_retriever_has_nobody_to_be_compared_with() -> None:
    text = "queries: q.tsv\nretrievers: {a: {type: bm25}}\nchecks: [{overlap: RBO, with: a, at_least: 0.8}]\n"

    assert "compares a retriever with itself" in refused(text).problem


def test_near_misses_are_suggested_for_every_kind_of_name() -> None:
    for check, near in (
        ("measure: nDGC@10", "nDCG@10"),
        ("measure: P@1, of: bm52", "bm25"),
        ("measure: P@1, slice: tpye=short", "type"),
        ("measure: P@1, slice: type=qestion", "question"),
        ("measure: P@1, qrels: editor", "editors"),
        ("measure: P@1, total: typ", "type"),
        ("measure: P@1, levle: warn", "level"),
    ):
        assert f"did you mean '{near}'" in str(refused(SETS + f"checks: [{{{check}, at_least: 0.1}}]\n"))


def test_all_problems_of_a_file_come_at_once_in_its_order() -> None:
    error = refused(
        SETS + "report: [nDGC@10]\nchecks:\n  - {measure: P@1, of: x, at_least: y}\n  - {measure: P@1}\n"
        "assertions: [{query: a, expect: [{top: 0, all: {a: b}}]}]\ndepht: 3\n"
    )

    assert [line.split(" ")[0] for line in problems(error)] == ["6:10", "8:24", "8:37", "9:5", "10:40", "11:1"]


def test_ten_problems_are_shown_and_the_others_counted() -> None:
    error = refused(SETS + "checks: [" + ", ".join(["{measure: P@1}"] * 25) + "]\n")

    assert len(problems(error)) == 10
    assert "and 15 more" in str(error)


def test_a_suite_that_asks_nothing_would_pass_silently_and_is_refused() -> None:
    assert refused(BASE).problem.startswith("this suite checks nothing")
    assert refused_more("checks: []\nassertions: []\nreport: []\n").problem.startswith("this suite checks nothing")


def test_a_measure_without_any_judgments_is_refused_where_it_is_asked() -> None:
    text = "queries: q.tsv\nretrievers: {a: {type: bm25}}\n"

    assert problems(refused(text + "report: [AP, P@1]\n")) == [
        "3:10 AP needs judgments, and this suite has no qrels",
        "3:14 P@1 needs judgments, and this suite has no qrels",
    ]
    assert "needs judgments" in refused(text + "checks: [{measure: P@1, at_least: 0}]\n").problem
    assertion = "assertions: [{query: a, expect: [{measure: P@1, at_least: 1}]}]\n"
    assert str(refused(text + assertion).place) == f"{FILE}:3:34"
    assert read(text + "assertions: [{query: a, expect: [{results: 0}]}]\n").qrels == {}


def test_a_measure_is_reported_once() -> None:
    assert refused_more("report: [P@1, p@1]\n").problem == "report names P@1 twice"


def found_first(ranking: Sequence[str], grades: Mapping[str, float], /) -> float:
    return float(bool(ranking) and ranking[0] in grades)


def test_third_parties_measures_are_known_by_name() -> None:
    source = source_of(FILE, (SETS + "report: [mine@3]\n").encode())

    suite = suite_of(source, Path(FILE), known_measures={"mine": found_first})

    assert [measure.name for measure in suite.report] == ["mine@3"]
