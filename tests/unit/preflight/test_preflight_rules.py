"""Each rule finds its fault in the smallest data that has it, and nothing in data that is well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_relevance.measures import Fold
from pytest_relevance.preflight import Finding, Material, look
from pytest_relevance.preflight.look import DATA_RULES, RUN_RULES
from pytest_relevance.records import Corpus, Ids, Qrels, Queries, Run
from pytest_relevance.suite import Grades
from pytest_relevance.suite.preflight import RULES, Preflight

WELL = Material(
    queries=Queries.from_dict({"q1": "red shoes", "q2": "garden hose"}),
    qrels={"qrels": Qrels.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1, "d1": 0}})},
    corpus=Corpus({"d1": {"text": "red shoes"}, "d2": {"text": "blue hat"}, "d3": {"text": "garden hose"}}),
    runs={"bm25": Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}})},
    grades=Grades(max=2),
    names={"corpus": "corpus.jsonl", "qrels.qrels": "qrels.txt", "queries": "queries.tsv", "run.bm25": "bm25.run"},
)


def qrels(grades: dict[str, dict[str, float]]) -> dict[str, Qrels]:
    return {"qrels": Qrels.from_dict(grades)}


def found(material: Material, rule: str, preflight: Preflight | None = None) -> Finding:
    (finding,) = [one for one in look(material, preflight) if one.rule == rule]
    return finding


def rules_in(material: Material) -> list[str]:
    return [finding.rule for finding in look(material)]


def test_data_that_is_well_gives_no_finding() -> None:
    assert look(WELL) == ()


def test_every_rule_of_the_grammar_is_looked_for_and_no_other() -> None:
    by_reading = {"unreadable-file", "repeated-id"}

    assert {rule.rule_id for rule in (*DATA_RULES, *RUN_RULES)} | by_reading == set(RULES)


def test_judged_documents_that_left_the_corpus_are_counted_with_their_judgments() -> None:
    finding = found(
        replace(WELL, qrels=qrels({"q1": {"d1": 1, "x": 2, "y": 0}, "q2": {"x": 0}})), "judged-not-in-corpus"
    )

    assert finding.level == "warning"
    assert finding.count == 2
    assert finding.share == pytest.approx(2 / 3)
    assert finding.examples == ("x", "y")
    assert finding.sentence == ("2 judged documents of 3 are not in corpus.jsonl: 3 judgments, 1 of them relevant")


def test_a_list_of_ids_stands_for_a_corpus() -> None:
    material = replace(WELL, corpus=None, listed=Ids.of(["d1", "d2"]), runs={})

    assert found(material, "judged-not-in-corpus").examples == ("d3",)


def test_a_parent_in_the_corpus_is_where_its_judged_part_is() -> None:
    material = replace(WELL, qrels=qrels({"q1": {"d1-0": 1, "d2-7": 0}}), fold=Fold.parse("before last -"), runs={})

    assert "judged-not-in-corpus" not in rules_in(material)


def test_judgments_of_queries_nobody_asks_and_queries_nobody_judged() -> None:
    material = replace(WELL, qrels=qrels({"q1": {"d1": 1, "d2": 0}, "q9": {"d1": 1, "d3": 0}}))

    assert found(material, "judged-query-unknown").examples == ("q9",)
    assert found(material, "query-unjudged").examples == ("q2",)


def test_a_query_without_a_relevant_document_by_the_suites_own_threshold() -> None:
    material = replace(WELL, grades=Grades(relevant=2))

    assert found(material, "query-without-relevant").examples == ("q2",)


@pytest.mark.parametrize(("grade", "told"), [(-1.0, "-1 (1)"), (3.0, "3 (1)")])
def test_grades_off_the_scale_are_told_by_value(grade: float, told: str) -> None:
    finding = found(replace(WELL, qrels=qrels({"q1": {"d1": 1, "d2": grade}, "q2": {"d3": 1}})), "grade-outside-scale")

    assert told in finding.sentence
    assert finding.examples == ("q1 d2",)


def test_an_exponential_gain_over_percentages_is_told() -> None:
    material = replace(WELL, qrels=qrels({"q1": {"d1": 100, "d2": 10}}), exponential=True, grades=Grades())

    assert "reach 100" in found(material, "gain-out-of-proportion").sentence
    assert "gain-out-of-proportion" not in rules_in(replace(material, exponential=False))


def test_one_grade_for_all_of_a_query_is_a_note_and_no_negatives_at_all_a_warning() -> None:
    material = replace(WELL, qrels=qrels({"q1": {"d1": 2, "d2": 2}, "q2": {"d3": 1}}))

    assert found(material, "all-one-grade").examples == ("q1",)
    assert found(material, "no-judged-negatives").level == "warning"
    assert "no-judged-negatives" not in rules_in(replace(material, needs_negatives=False))


def test_a_document_of_its_querys_id_is_told_and_one_of_another_querys_is_not() -> None:
    corpus = Corpus({"q1": {"text": "a"}, "q2": {"text": "b"}})
    same = replace(WELL, corpus=corpus, runs={}, qrels=qrels({"q1": {"q1": 1, "q2": 0}}))
    other = replace(WELL, corpus=corpus, runs={}, qrels=qrels({"q1": {"q2": 1}}))

    assert found(same, "query-id-is-doc-id").examples == ("q1",)
    assert "query-id-is-doc-id" not in rules_in(other)


def test_a_document_of_blanks_is_empty_and_one_without_the_usual_text_lacks_it() -> None:
    documents = {f"d{number}": {"title": f"title {number}", "text": f"text {number}"} for number in range(20)}
    corpus = Corpus({**documents, "d1": {"title": " ", "text": "\n"}, "d2": {"title": "only a title", "text": ""}})
    material = replace(WELL, corpus=corpus)

    assert found(material, "empty-document").examples == ("d1",)
    assert found(material, "empty-field").examples == ("d2",)
    assert found(material, "judged-without-text").examples == ("d1", "d2")


def test_copies_judged_in_part_and_copies_graded_apart() -> None:
    fields = {"text": "red shoes"}
    corpus = Corpus({"d1": fields, "d2": fields, "d3": {"text": "hose"}, "d4": {"text": ""}, "d5": {"text": ""}})
    material = replace(WELL, corpus=corpus, qrels=qrels({"q1": {"d1": 2, "d3": 0}, "q2": {"d1": 1, "d2": 0}}))

    assert found(material, "duplicate-documents").examples == ("d1 = d2",)
    assert found(material, "copy-unjudged").examples == ("q1 d2",)
    assert found(material, "copies-graded-apart").examples == ("q2: d1 1, d2 0",)


def test_a_query_of_blanks_has_no_text() -> None:
    queries = Queries.from_dict({"q1": "red shoes", "q2": " \t"})

    assert found(replace(WELL, queries=queries), "blank-query").examples == ("q2",)


def test_texts_that_differ_in_case_and_blanks_only_are_repeats() -> None:
    queries = Queries.from_dict({"q1": "red shoes", "q2": "Red  Shoes ", "q3": "garden hose"})

    assert found(replace(WELL, queries=queries), "repeated-query").examples == ("q1 = q2",)


def test_ties_are_told_from_twenty_ranks_on() -> None:
    tied = {f"d{number}": 1.0 for number in range(20)}
    few = Run.from_dict({"q1": dict.fromkeys(("d1", "d2"), 1.0), "q2": {"d3": 1.0}})
    material = replace(WELL, corpus=None)

    finding = found(replace(material, runs={"bm25": Run.from_dict({"q1": tied, "q2": {"d1": 1.0}})}), "tied-scores")
    assert finding.count == 20
    assert "1 group" in finding.sentence
    assert "tied-scores" not in rules_in(replace(material, runs={"bm25": few}))


def test_a_run_that_lacks_queries_has_others_and_is_too_short() -> None:
    run = Run.from_dict({"q1": {"d1": 1.0}, "q7": {"zz": 1.0}})
    material = replace(WELL, runs={"bm25": run}, depths={"bm25": 10})

    assert found(material, "run-query-missing").examples == ("q2",)
    assert found(material, "run-query-unknown").examples == ("q7",)
    assert found(material, "run-not-in-corpus").examples == ("zz",)
    assert found(material, "run-shorter-than-cutoff").sentence == (
        "rankings hold 1 to 1 documents, and this suite looks at 10"
    )


def test_what_reading_told_is_a_note() -> None:
    run = replace(WELL.runs["bm25"], notes=("bm25: 2 duplicate documents dropped, best rank kept",))

    assert found(replace(WELL, runs={"bm25": run}), "reader-note").level == "note"


def test_a_suite_overrules_how_serious_a_rule_is() -> None:
    material = replace(WELL, queries=Queries.from_dict({"q1": "red shoes", "q2": "red shoes"}))

    assert found(material, "repeated-query", Preflight({"repeated-query": "error"})).level == "error"
    assert look(material, Preflight({"repeated-query": None})) == ()


def test_a_finding_survives_its_journey_as_json() -> None:
    finding = found(replace(WELL, queries=Queries.from_dict({"q1": "a", "q2": "A"})), "repeated-query")

    assert Finding.from_json(finding.to_json()) == finding


def test_a_finding_as_an_error_tells_how_to_live_with_it() -> None:
    finding = found(replace(WELL, queries=Queries.from_dict({"q1": "a", "q2": "A"})), "repeated-query")

    assert "preflight: {repeated-query: warn}" in str(finding.error)
