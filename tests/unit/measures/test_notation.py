"""Names of measures: many spellings in, one out, and an error that points at what is wrong."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence

import pytest

from pytest_relevance.errors import MeasureError, Place, UsageError
from pytest_relevance.measures import FAMILIES, parse_measure


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        (" nDCG ( gain = 'exp' ) @ 10 ", "nDCG(gain='exp')@10"),
        ('nDCG(gain="exp")@10', "nDCG(gain='exp')@10"),
        ("nDCG(gain=exp)@10", "nDCG(gain='exp')@10"),
        ("nDCG(dcg='exp-log2')@5", "nDCG(gain='exp')@5"),
        ("nDCG(dcg='log2')@5", "nDCG@5"),
        ("nDCG(gains={2: 5, 0: 0, 1: 1})@10", "nDCG(gains={0:0,1:1,2:5})@10"),
        ("nDCG(judged_only=True)@10", "nDCG-f@10"),
        ("nDCG(judged_only=true,gain='exp')@10", "nDCG-f(gain='exp')@10"),
        ("nDCGf@10", "nDCG-f@10"),
        ("ndcg-F@10", "nDCG-f@10"),
        ("nDCG(ideal='max')@10", "nDCG-m@10"),
        ("nDCGm@10", "nDCG-m@10"),
        ("nDCG-m(judged_only=True,max_grade=3)@10", "nDCG-m(max_grade=3,judged_only=True)@10"),
        ("p(rel=2)@5", "P(rel=2)@5"),
        ("P(rel=1.5)@5", "P(rel=1.5)@5"),
        ("P(rel=1)@5", "P@5"),
        ("Precision@5", "P@5"),
        ("Recall@100", "R@100"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("BPref", "Bpref"),
        ("HitRate@5", "Success@5"),
        ("Hits@5", "NumRelRet@5"),
        ("NumRet(rel=1)", "NumRelRet"),
        ("SetP", "P"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(relative=False)", "P"),
        ("RBP(p=0.80)", "RBP"),
        ("RBP(rel=2, p=0.5)@10", "RBP(p=0.5,rel=2)@10"),
        ("Judged(of='cutoff')@10", "Judged(of='cutoff')@10"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("recall_100", "R@100"),
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("recip_rank", "RR"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("success_1", "Success@1"),
        ("num_rel_ret", "NumRelRet"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("Rprec_mult_0.20", "Rprec_mult@0.2"),
        ("relative_P_5", "relative_P@5"),
        ("11pt_avg", "11pt_avg"),
        ("ndcg_at_10", "nDCG@10"),
        ("hit_rate_at_10", "Success@10"),
    ],
)
def test_every_spelling_leads_to_one_name_that_can_be_given_back(written: str, canonical: str) -> None:
    measure = parse_measure(written)

    assert str(measure) == measure.name == canonical
    assert parse_measure(canonical) == measure
    assert parse_measure(canonical).settings == measure.settings


@pytest.mark.parametrize(
    ("written", "problem", "fix"),
    [
        ("ndgc@10", "unknown measure 'ndgc@10'", "did you mean 'nDCG@10'?"),
        ("recal@5", "unknown measure 'recal@5'", "did you mean 'R@5'?"),
        ("zzz", "unknown measure 'zzz'", "known are: nDCG, nDCG-m"),
        ("RBO(p=0.9)", "unknown measure", "it compares two runs"),
        ("gm_map", "unknown measure", "geometric mean"),
        ("ndcg@0", "cutoff '0' is not a whole number from 1 up", "@10"),
        ("ndcg@-1", "cutoff '-1' is not", "@10"),
        ("ndcg@ten", "cutoff 'ten' is not", "@10"),
        ("ndcg@1.5", "cutoff '1.5' is not", "@10"),
        ("nDCG@10 5", "cutoff '10 5' is not", "@10"),
        ("nDCG@9999999999", "cutoff '9999999999' is not", "@10"),
        ("nDCG@１０", "cutoff '１０' is not", "@10"),
        ("p@", "the cutoff is missing", "@10"),
        ("P@10(rel=2)", "cutoff '10(rel=2)' is not", "the parameters first, for example 'P(rel=2)@10'"),
        ("ndcg_cut_0", "cutoff '0' is not", "@10"),
        ("", "no measure name", "nDCG@10"),
        ("   ", "no measure name", "nDCG@10"),
        ("@10", "no measure name", "nDCG@10"),
        ("nDCG(gain='exp'@10", "a bracket is not closed", "close it"),
        ("nDCG)@10", "')@10' is too much", "Name(param=value,...)@cutoff"),
        ("P_5,10", "',10' is too much", "Name(param=value,...)@cutoff"),
        ("nDCG()@10", "expected param=value", "drop the brackets"),
        ("nDCG(gain)@10", "expected param=value", "(rel=2)"),
        ("nDCG(gain=)@10", "a value is missing", "True or False"),
        ("nDCG(gian='exp')@10", "unknown parameter 'gian'", "did you mean 'gain'?"),
        ("nDCG(cutoff=10)", "unknown parameter 'cutoff'", "nDCG takes gain"),
        ("nDCG(rel=2)@10", "unknown parameter 'rel'", "nDCG takes gain"),
        ("NumQ(rel=2)", "unknown parameter 'rel'", "NumQ takes no parameters"),
        ("nDCG(gain='log')@10", "gain='log' is not 'linear' or 'exp'", "gain='exp'"),
        ("nDCG(gains={0:0,1:-1})@10", "is not a table of gains from 0 up", "{0:0,1:1,2:5}"),
        ("nDCG(gains={})@10", "expected grade:gain", "{0:0,1:1,2:5}"),
        ("nDCG(gains={1:1,1:2})@10", "grade 1 is given twice", "one gain"),
        ("nDCG(gains={1:1)@10", "a bracket is not closed", "'}'"),
        ("nDCG(gains=3)@10", "is not a table", "gains={0:0,1:1,2:5}"),
        ("P(rel=2,rel=3)@5", "rel is given twice", "one of them"),
        ("P(rel=nan)@5", "rel=nan is not a grade", "rel=2"),
        ("P(rel=1e999)@5", "rel=1e999 is not a grade", "rel=2"),
        ("P(rel=True)@5", "rel=True is not a grade", "rel=2"),
        ("P(judged_only=1)@5", "judged_only=1 is not True or False", "True"),
        ("RBP(p=1)", "p=1 is not between 0 and 1", "0.8"),
        ("nDCG-f(judged_only=False)@10", "judged_only is said twice, and not the same", "drop"),
        ("nDCG(gain='exp',gains={1:1})@10", "gain does nothing here", "drop 'gain'"),
        ("nDCG(max_grade=3)@10", "max_grade does nothing here", "drop 'max_grade'"),
        ("RBP(graded=True,rel=2)", "rel does nothing here", "drop 'rel'"),
        ("nDCG-m", "nDCG-m needs a cutoff", "nDCG-m@10"),
        ("Judged(of='cutoff')", "needs a cutoff", "Judged(of='cutoff')@10"),
        ("Bpref@10", "Bpref takes no cutoff", "without '@'"),
        ("IPrec", "IPrec needs a level of recall from 0 to 1", "IPrec@0.1"),
        ("IPrec@1.5", "IPrec@1.5 needs a level of recall from 0 to 1", "IPrec@0.1"),
        ("Rprec_mult", "Rprec_mult needs a multiple of R", "Rprec_mult@0.1"),
        ("IPrec@half", "level 'half' is not a number", "@0.1"),
        ("IPrec@0.123", "level '0.123' is not a number with at most two decimals", "@0.1"),
    ],
)
def test_a_name_that_cannot_be_meant_is_an_error_with_a_fix(written: str, problem: str, fix: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measure(written)

    assert problem in caught.value.problem
    assert fix in str(caught.value.fix)


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("ndgc@10", "ndgc"),
        ("nDCG(gain='log')@5", "'log'"),
        ("nDCG(gian='exp')@5", "gian"),
        ("nDCG@1x", "1x"),
        ("ndcg_cut_0", "0"),
        ("P@5)", "5)"),
        ("nDCG-f(judged_only=False)@10", "judged_only"),
        ("Bpref@10", "10"),
    ],
)
def test_an_error_is_placed_at_the_part_that_is_wrong(written: str, part: str) -> None:
    place = Place("shoes.relevance.yaml", 14, 15, f"  - {{measure: {written}}}")

    with pytest.raises(MeasureError) as caught:
        parse_measure(written, place=place)

    found = caught.value.place
    assert found is not None
    assert (found.file, found.line) == ("shoes.relevance.yaml", 14)
    assert found.source[found.column - 1 : found.column - 1 + found.width] == part


def test_measures_are_equal_when_their_names_are_and_travel_between_processes() -> None:
    assert parse_measure("MAP@10") == parse_measure("map_cut_10")
    assert len({parse_measure("P@5"), parse_measure("P(rel=1)@5"), parse_measure("P(rel=2)@5")}) == 2
    for name in ("nDCG-m(max_grade=3)@10", "SetF(beta=0.5)", "IPrec@0.1"):
        travelled = pickle.loads(pickle.dumps(parse_measure(name)))
        assert travelled == parse_measure(name)
        assert travelled.settings == parse_measure(name).settings


def test_what_a_suite_leaves_to_measures_shows_in_the_name_where_it_differs() -> None:
    def filled(name: str) -> str:
        return parse_measure(name).with_defaults(rel=2, gain="exp", max_grade=3).name

    assert filled("P@5") == "P(rel=2)@5"
    assert filled("P(rel=3)@5") == "P(rel=3)@5"
    assert filled("P(rel=1)@5") == "P@5"
    assert filled("nDCG@10") == "nDCG(gain='exp')@10"
    assert filled("nDCG(gain='linear')@10") == "nDCG@10"
    assert filled("nDCG(gains={1:4})@10") == "nDCG(gains={1:4})@10"
    assert filled("nDCG-m@10") == "nDCG-m(gain='exp',max_grade=3)@10"
    assert filled("RBP(graded=True)") == "RBP(graded=True,max_grade=3)"
    assert filled("RBP") == "RBP(rel=2)"
    assert filled("Judged@10") == "Judged@10"
    assert parse_measure("nDCG@5").with_defaults(gains={0: 0, 1: 3}).name == "nDCG(gains={0:0,1:3})@5"
    assert parse_measure("nDCG@5").with_defaults() == parse_measure("nDCG@5")


def test_depth_is_how_far_down_a_measure_reads() -> None:
    depths = {name: parse_measure(name).depth for name in ("nDCG@10", "nDCG-f@10", "AP", "NumRel", "RBP@20")}

    assert depths == {"nDCG@10": 10, "nDCG-f@10": None, "AP": None, "NumRel": 0, "RBP@20": 20}


def test_a_third_partys_measure_is_found_by_its_name() -> None:
    def first(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
        return grades.get(ranking[0], 0.0)

    measure = parse_measure("FIRST@3", known={"first": first})

    assert (measure.name, measure.cutoff, measure.needs_documents) == ("first@3", 3, True)
    assert parse_measure("first", known={"first": first}).name == "first"
    with pytest.raises(MeasureError, match="did you mean 'first@3'"):
        parse_measure("frist@3", known={"first": first})
    with pytest.raises(MeasureError, match="takes no parameters"):
        parse_measure("first(rel=1)", known={"first": first})
    with pytest.raises(UsageError, match="'ndcg' is built in"):
        parse_measure("P@5", known={"ndcg": first})


def test_every_family_has_a_version_and_bounds() -> None:
    for family in FAMILIES.values():
        assert family.version >= 1
        assert family.page
        assert family.lower is None or family.upper is None or family.lower < family.upper
