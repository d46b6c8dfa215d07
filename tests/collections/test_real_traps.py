"""What real collections have wrong with them, as their descriptions say, is what the pre-flight finds in them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_relevance.cli import main
from pytest_relevance.measures import fold_qrels
from pytest_relevance.measures.fold import Fold
from pytest_relevance.preflight import Files, Finding, Material, gather_files, look
from pytest_relevance.records import Corpus, Queries, Run
from pytest_relevance.suite import Grades
from pytest_relevance.trec import read_qrels

Look = Callable[..., dict[str, list[Finding]]]


def by_rule(findings: tuple[Finding, ...]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.rule, []).append(finding)
    return found


@pytest.fixture
def found(shared: Path) -> Look:
    """The findings, by rule, of files of one collection."""

    def look_at(
        collection: str, *qrels: str, grades: Grades | None = None, **files: str | list[str]
    ) -> dict[str, list[Finding]]:
        folder = shared / "data" / collection
        named = {key: folder / value for key, value in files.items() if isinstance(value, str) and key != "fold"}
        runs = {name: folder / name for name in files.get("runs", [])}
        material, read = gather_files(
            Files(
                qrels={name: folder / name for name in qrels},
                runs=runs,
                grades=grades or Grades(),
                fold=str(files["fold"]) if "fold" in files else None,
                **named,
            )
        )
        return by_rule((*read, *look(material)))

    return look_at


def levels(found: dict[str, list[Finding]]) -> set[str]:
    return {finding.level for findings in found.values() for finding in findings}


def test_cranfield_has_two_empty_documents_one_of_them_judged_and_a_grade_below_zero(found: Look) -> None:
    told = found("cranfield", "qrels.codes.txt", queries="queries.tsv", corpus="corpus.jsonl")

    assert told["empty-document"][0].examples == ("471", "995")
    assert told["judged-without-text"][0].examples == ("995",)
    assert told["grade-outside-scale"][0].count == 225
    assert "-1 (225)" in told["grade-outside-scale"][0].sentence


def test_cranfields_codes_are_upside_down_and_its_grades_are_not(found: Look) -> None:
    codes = found("cranfield", "qrels.codes.txt", queries="queries.tsv", corpus="corpus.jsonl")
    grades = found("cranfield", "qrels.graded.txt", queries="queries.tsv", corpus="corpus.jsonl")

    assert "57% of 4,586 pairs" in codes["scale-upside-down"][0].sentence
    assert "scale-upside-down" not in grades


def test_cranfields_printed_query_numbers_are_not_those_of_its_judgments(shared: Path) -> None:
    folder = shared / "data" / "cranfield"
    material, _ = gather_files(
        Files(
            qrels={"qrels": folder / "qrels.graded.txt"}, queries=folder / "queries.tsv", corpus=folder / "corpus.jsonl"
        )
    )
    lines = (folder / "queries.original-numbers.tsv").read_text(encoding="utf-8").split("\n")
    printed = dict(line.split("\t") for line in lines if "\t" in line)
    assert material.queries is not None
    renumbered = Queries.from_dict({printed[query.query_id]: query.text for query in material.queries})

    told = by_rule(look(replace(material, queries=renumbered)))

    assert told["judged-query-unknown"][0].count == 73
    assert told["query-unjudged"][0].count == 73
    assert told["judgments-of-other-queries"][0].level == "warning"
    assert "judgments-of-other-queries" not in by_rule(look(material))


def test_chorus_judged_168_products_that_have_no_text(found: Look) -> None:
    told = found("chorus-ecommerce", "qrels.txt", queries="queries.tsv", corpus="corpus.jsonl", grades=Grades(max=3))

    assert told["judged-not-in-corpus"][0].count == 168
    assert told["judged-not-in-corpus"][0].share == pytest.approx(168 / 2517)
    assert told["copies-graded-apart"][0].count == 6
    assert "grade-outside-scale" not in told
    assert "error" not in levels(told)


def test_vaswani_has_no_judged_negatives(found: Look) -> None:
    told = found("vaswani-npl", "qrels.txt", queries="queries.tsv", corpus="corpus.jsonl")

    assert told["no-judged-negatives"][0].count == 2083
    assert told["all-one-grade"][0].count == 90  # the other three have one judgment


def test_casts_passage_runs_need_a_fold_and_81_queries_were_not_judged(found: Look) -> None:
    passages = found("cast2021", "qrels.docs.txt", runs=["run.passages.org_manual_bm25.txt.gz"])
    folded = found("cast2021", "qrels.docs.txt", runs=["run.passages.org_manual_bm25.txt.gz"], fold="before last -")
    documents = found("cast2021", "qrels.docs.txt", runs=["run.docs.org_manual_bm25.txt.gz"])

    assert passages["passage-ids"][0].fix == "write fold: 'before last -'"
    assert passages["nothing-in-common"][0].level == "error"
    assert not {"passage-ids", "nothing-in-common"} & {*folded, *documents}
    assert documents["run-query-unknown"][0].count == 81  # 239 queries in the run, 158 judged
    assert documents["run-query-unknown"][0].share == pytest.approx(81 / 239)


def test_casts_duplicates_would_leave_504_groups_of_copies_judged_in_part(shared: Path) -> None:
    """The organisers dropped the copies; in a corpus that kept them, each judged document would have unjudged ones."""
    folder = shared / "data" / "cast2021"
    documents: dict[str, dict[str, object]] = {}
    for line in (folder / "duplicates.txt").read_text(encoding="utf-8").split():
        kept, _, dropped = line.partition(":")
        documents |= {doc_id: {"text": f"the text of {kept}"} for doc_id in (kept, *dropped.split(","))}

    told = by_rule(look(Material(qrels={"qrels": read_qrels(folder / "qrels.docs.txt")}, corpus=Corpus(documents))))

    assert told["copy-unjudged"][0].count == 504


def test_fira_judges_snippets_of_documents(found: Look) -> None:
    told = found("fira-trec19", "qrels.snippets.txt.gz", "qrels.docs-max.txt", queries="queries.tsv")

    assert told["passage-ids"][0].fix == "write fold: 'before _'"
    assert told["passage-ids"][0].share == 1.0
    assert told["ids-of-parts"][0].examples[0] == "D1059584_0"


def test_firas_advice_gives_the_authors_own_document_grades(shared: Path) -> None:
    folder = shared / "data" / "fira-trec19"
    folded = fold_qrels(read_qrels(folder / "qrels.snippets.txt.gz"), Fold.parse("before _"))

    assert folded.to_dict() == read_qrels(folder / "qrels.docs-max.txt").to_dict()


@pytest.mark.parametrize("language", ["ar", "fa", "hi", "ja", "ko", "te", "th", "zh"])
def test_miracls_passages_are_parts_of_pages_in_any_script(found: Look, language: str) -> None:
    told = found("miracl-dev", f"qrels.{language}.txt.gz", queries=f"topics.{language}.tsv")

    assert "fold: 'before #'" in told["ids-of-parts"][0].fix
    assert "a reader that takes # for a comment would cut such ids" in told["ids-of-parts"][0].fix
    assert "error" not in levels(told)


def test_trec_covid_lost_documents_between_rounds(found: Look, shared: Path) -> None:
    told = found(
        "trec-covid",
        "qrels.covid-round1.txt",
        queries="topics.covid-round5.xml",
        doc_ids="docids.covid.round2.txt.gz",
    )

    (gone,) = told["judged-not-in-corpus"]
    with gzip.open(shared / "data" / "trec-covid" / "docids.covid.round1.txt.gz", "rt") as first_round:
        were_there = set(first_round.read().split())
    assert gone.count == 3  # two were never in a corpus of these rounds, one left it
    assert sum(doc_id in were_there for doc_id in gone.examples) == 1
    assert told["query-unjudged"][0].count == 20  # topics of later rounds


def test_trec_covid_has_two_grades_below_zero(found: Look) -> None:
    told = found("trec-covid", "qrels.covid-complete.txt.gz", grades=Grades(max=2))

    assert told["grade-outside-scale"][0].count == 2
    assert "-1 (2)" in told["grade-outside-scale"][0].sentence


def test_a_run_of_robust03_is_mostly_ties_and_others_are_not(found: Look) -> None:
    runs = [f"run.{name}.txt.gz" for name in ("MU03rob01", "NLPR03vb10", "humR03dc", "uic0301")]
    told = found("robust03", "qrels.txt.gz", runs=runs)

    (ties,) = told["tied-scores"]
    assert ties.place.endswith("run.MU03rob01.txt.gz")
    assert "7,401 groups of ties" in ties.sentence
    assert set(told) == {"tied-scores"}


def test_a_run_of_robust03_is_shorter_than_a_deep_cutoff(shared: Path) -> None:
    folder = shared / "data" / "robust03"
    material, _ = gather_files(
        Files(qrels={"qrels": folder / "qrels.txt.gz"}, runs={"short": folder / "run.NLPR03vb10.txt.gz"})
    )

    told = by_rule(look(replace(material, depths={"short": 100})))

    assert told["run-shorter-than-cutoff"][0].sentence == (
        "rankings hold 10 to 12 documents, and this suite looks at 100"
    )


def test_codecs_negative_scores_and_number_ids_are_no_fault(found: Look) -> None:
    runs = ["run.document_bm25-tuned.txt.gz", "run.entity_bm25-tuned.txt.gz"]

    assert found("codec", "qrels.document.txt", "qrels.entity.txt", runs=runs) == {}


def test_codecs_reformulations_reuse_their_topics_ids(found: Look) -> None:
    told = found("codec", queries="query_reformulations.tsv")

    (repeats,) = told["repeated-id"]
    assert repeats.count == 386 - 42  # queries typed, topics they were typed for
    assert "42 ids" in repeats.sentence


def test_escis_percentages_make_an_exponential_gain_nonsense(shared: Path) -> None:
    qrels = read_qrels(shared / "data" / "esci-ubi" / "judgments.tsv")

    told = by_rule(look(Material(qrels={"qrels": qrels}, exponential=True)))
    assert "grades reach 100" in told["gain-out-of-proportion"][0].sentence
    assert look(Material(qrels={"qrels": qrels})) == ()


def test_clef_has_22_queries_that_repeat_another_but_for_case(found: Look) -> None:
    told = found("clef-ehealth-2018-queries", queries="variations.en.tsv")

    assert told["repeated-query"][0].count == 22
    assert told["near-identical-queries"][0].count > 50


def test_wands_has_queries_that_are_nearly_one(found: Look) -> None:
    told = found("wands-queries", queries="query.csv")

    assert "orren ellis l shape desk ~ orren ellis l shaped desk" in told["near-identical-queries"][0].examples


@pytest.mark.parametrize(
    ("collection", "name", "told"),
    [
        ("annotations-codesearch", "annotations.tsv", "found 4 columns without a header"),
        ("annotations-nyt-crowd", "labels.highlight.tsv", "grade '' is not a number (and 2 more problems"),
        ("annotations-nyt-crowd", "labels.plain.tsv", "duplicate judgment of '1173003' for query '325'"),
    ],
)
def test_labels_of_several_people_are_no_judgments_yet(found: Look, collection: str, name: str, told: str) -> None:
    (unread,) = found(collection, name)["unreadable-file"]

    assert unread.level == "error"
    assert told in unread.sentence


def test_the_experts_grades_of_the_crowds_pairs_are_well(found: Look) -> None:
    assert "error" not in levels(found("annotations-nyt-crowd", "expert.qrels.txt"))


@pytest.mark.parametrize("name", ["rank_not_consecutive", "score_not_desc", "consistency", "ignored_column_wrong"])
def test_odd_run_files_of_a_peers_validator_can_be_checked(found: Look, name: str) -> None:
    told = found("oracles/run-format", runs=[f"run_sample_warning_{name}.txt"])

    assert "error" not in levels(told)


def test_the_command_finds_the_same_and_ends_by_what_it_found(shared: Path) -> None:
    data = shared / "data"
    well = ["--qrels", data / "codec" / "qrels.document.txt"]
    broken = [
        "--qrels",
        data / "cast2021" / "qrels.docs.txt",
        "--run",
        data / "cast2021" / "run.passages.org_convdr.txt.gz",
    ]
    unreadable = ["--qrels", data / "annotations-codesearch" / "annotations.tsv"]

    ends = [CliRunner().invoke(main, ["check", *map(str, files)]).exit_code for files in (well, broken, unreadable)]

    assert ends == [0, 1, 2]


def test_a_planted_mismatch_of_real_ids_is_found(shared: Path) -> None:
    """Entity ids of codec are numbers: a table program that pads them breaks every judgment."""
    qrels = read_qrels(shared / "data" / "codec" / "qrels.entity.txt")
    run = Run.from_rankings(
        {query_id: [f"{doc_id}.0" for doc_id in qrels.grades_of(query_id)] for query_id in qrels.query_ids}
    )

    told = by_rule(look(Material(qrels={"qrels": qrels}, runs={"run": run})))

    assert told["id-mismatch"][0].count == len(set(qrels.doc_ids))
    assert "but for a trailing .0" in told["id-mismatch"][0].sentence
