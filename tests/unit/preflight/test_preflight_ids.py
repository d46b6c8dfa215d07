"""Ids that differ by spelling, by parts and parents, and files that share none: which file to mend, and how."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.preflight import Finding, Material, look
from pytest_relevance.preflight.spelling import plain_spelling, respelled
from pytest_relevance.records import Corpus, Ids, Qrels, Queries, Run

NAMES = {"corpus": "corpus.jsonl", "qrels.qrels": "qrels.txt", "queries": "queries.tsv", "run.live": "live.run"}


def findings(judged: list[str], corpus: list[str]) -> list[Finding]:
    material = Material(
        qrels={"qrels": Qrels.from_dict({"q1": {**dict.fromkeys(judged, 1.0), "other": 0.0}})},
        corpus=Corpus({doc_id: {"text": f"text {doc_id}"} for doc_id in (*corpus, "other")}),
        names=NAMES,
    )
    return [finding for finding in look(material) if finding.rule in ("id-mismatch", "nothing-in-common")]


@pytest.mark.parametrize(
    ("judged", "corpus", "difference", "mend"),
    [
        ("7", "007", "leading zeros", "qrels.txt: write '007' as corpus.jsonl has it, not '7'"),
        ("007", "7", "leading zeros", "corpus.jsonl: write '007' as qrels.txt has it, not '7'"),
        ("7.0", "7", "a trailing .0", "qrels.txt: write '7' as corpus.jsonl has it, not '7.0'"),
        ("b0x", "B0X", "letter case", "qrels.txt: write 'B0X' as corpus.jsonl has it, not 'b0x'"),
        ("a1\u00a0", "a1", "blanks", "qrels.txt: write 'a1' as corpus.jsonl has it, not 'a1\\xa0'"),
        ("a1", "a1 ", "blanks", "corpus.jsonl: write 'a1' as qrels.txt has it, not 'a1 '"),
        ("\ufeffa1", "a1", "signs that look alike or are not seen", "qrels.txt: write 'a1'"),
        ("e\u0301t", "\u00e9t", "signs that look alike or are not seen", "qrels.txt: write 'ét'"),
    ],
)
def test_the_file_to_mend_is_named(judged: str, corpus: str, difference: str, mend: str) -> None:
    (finding,) = findings([judged], [corpus])

    assert finding.rule == "id-mismatch"
    assert finding.level == "error"
    assert finding.sentence == f"1 document is in both qrels.txt and corpus.jsonl but for {difference}"
    assert finding.fix.startswith(f"mend {mend}")


def test_ids_that_are_there_to_the_letter_are_no_mismatch_though_others_look_like_them() -> None:
    assert findings(["a1", "A1"], ["a1", "A1", "01"]) == []


def test_query_ids_are_compared_too() -> None:
    material = Material(
        queries=Queries.from_dict({"1": "one", "2": "two"}),
        qrels={"qrels": Qrels.from_dict({"001": {"d": 1, "e": 0}, "2": {"d": 1, "e": 0}})},
        names=NAMES,
    )

    (finding,) = [one for one in look(material) if one.rule == "id-mismatch"]
    assert finding.fix.startswith("mend queries.tsv: write '001' as qrels.txt has it, not '1'")


def test_files_that_share_no_id_are_an_error() -> None:
    material = Material(
        queries=Queries.from_dict({"a": "one"}), qrels={"qrels": Qrels.from_dict({"b": {"d": 1, "e": 0}})}, names=NAMES
    )

    (finding,) = [one for one in look(material) if one.level == "error"]
    assert finding.line == ("nothing-in-common: shares no query id with queries.tsv: 'b' here, 'a' there (qrels.txt)")


def test_a_run_that_meets_one_of_two_judgment_sets_is_well() -> None:
    sets = {"documents": Qrels.from_dict({"q": {"d": 1, "e": 0}}), "entities": Qrels.from_dict({"q": {"7": 1, "8": 0}})}
    run = Run.from_dict({"q": {"7": 1.0}})

    assert look(Material(qrels=sets, runs={"live": run})) == ()


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"DOC-1": "DOC", "D-OC-2": "D-OC"}, "before last -"),
        ({"12#0": "12", "13#1": "13"}, "before #"),
        ({"D_7_0": "D_7", "D_7_1": "D_7"}, "before last _"),
    ],
)
def test_parts_where_parents_are_judged_get_the_rule_that_would_match(parts: dict[str, str], rule: str) -> None:
    material = Material(
        qrels={"qrels": Qrels.from_dict({"q1": {**dict.fromkeys(parts.values(), 1.0), "no": 0.0}})},
        runs={"live": Run.from_rankings({"q1": list(parts)})},
        names=NAMES,
    )

    told = {finding.rule: finding for finding in look(material)}
    assert told["passage-ids"].fix == f"write fold: '{rule}'"
    assert f"'fold: {rule}' 2 ids of 2 would match, now 0 do" in told["passage-ids"].sentence
    assert told["nothing-in-common"].fix == f"write fold: '{rule}', for live.run names parts of what qrels.txt names"


def test_judged_parts_without_their_parents_are_a_note() -> None:
    judged = Qrels.from_dict({"q1": {"12#0": 1, "12#3": 0, "99#1": 1}})

    (finding,) = look(Material(qrels={"qrels": judged}, names=NAMES))
    assert (finding.rule, finding.level) == ("ids-of-parts", "note")
    assert "fold: 'before #'" in finding.fix


def test_numbers_of_newspaper_articles_are_no_parts() -> None:
    judged = Qrels.from_dict({"q1": {"FT921-7107": 1, "FT921-3021": 0, "LA041990-0151": 1, "LA041990-0999": 0}})

    assert look(Material(qrels={"qrels": judged})) == ()


@given(st.from_regex(r"[1-9a-z][0-9a-z]{0,8}", fullmatch=True), st.sampled_from(["0{}", " {}", "{}\u200b", "\ufeff{}"]))
def test_what_is_added_to_an_id_is_not_what_stays_of_it(doc_id: str, added: str) -> None:
    assert plain_spelling(added.format(doc_id.upper())) == plain_spelling(doc_id)


@given(st.lists(st.text(min_size=1), max_size=8, unique=True), st.lists(st.text(min_size=1), max_size=8, unique=True))
def test_respelled_ids_are_on_one_side_each(ids: list[str], others: list[str]) -> None:
    for found in respelled(Ids.of(ids), Ids.of(others)):
        for one, other in found.pairs:
            assert one in ids
            assert one not in others
            assert other in others
            assert other not in ids
