"""Laws that measures keep, whatever the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures import FAMILIES, Measure, RankingMeasure, evaluate, kendall_tau_b, overlap, rbo
from pytest_relevance.measures.evaluation import evaluate_ranked
from pytest_relevance.measures.parse import parse_measure
from pytest_relevance.records import Qrels, RankedGrades, Run

law = settings(deadline=None)  # a slow machine breaks no law
DOCUMENTS = [f"d{number}" for number in range(12)]
documents = st.sampled_from(DOCUMENTS)
whole = st.integers(-2, 4)
fractions = st.floats(-1, 4, allow_nan=False).map(lambda grade: round(grade, 2))
scores = st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0])  # few, so that many are tied
query_ids = st.sampled_from([f"q{number}" for number in range(4)])
runs = st.dictionaries(query_ids, st.dictionaries(documents, scores, max_size=10), max_size=4)
rankings = st.lists(documents, unique=True)


def judgments(grades: st.SearchStrategy[float]) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    return st.dictionaries(query_ids, st.dictionaries(documents, grades, min_size=1, max_size=10), min_size=1)


# trec_eval's name → ours. pytrec_eval is trec_eval 9 inside: interpolated precision is checked against 10 elsewhere.
KNOWN_TO_BOTH = {
    "ndcg": "nDCG",
    "ndcg_cut_3": "nDCG@3",
    "map": "AP",
    "map_cut_3": "AP@3",
    "P_3": "P@3",
    "set_P": "P",
    "recall_3": "R@3",
    "set_recall": "R",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "success_3": "Success@3",
    "num_ret": "NumRet",
    "num_rel_ret": "NumRelRet",
    "infAP": "infAP",
    "set_F": "SetF",
    "set_map": "SetAP",
    "set_relative_P": "SetRelP",
    "relative_P_3": "relative_P@3",
    "Rprec_mult_0.40": "Rprec_mult@0.4",
    "G": "G",
    "binG": "binG",
    "Rndcg": "Rndcg",
    "ndcg_rel": "ndcg_rel",
    "utility": "utility",
    "num_nonrel_judged_ret": "num_nonrel_judged_ret",
}
EVERY = [
    parse_measure(name)
    for name in (
        *KNOWN_TO_BOTH.values(),
        "nDCG-m@3",
        "nDCG-f@3",
        "nDCG(gain='exp')@3",
        "nDCG(ideal='retrieved')",
        "DCG",
        "ERR@5",
        "ERR",
        "RBP",
        "RBP(graded=True)",
        "Judged@5",
        "Judged(of='cutoff')@5",
        "IPrec@0.4",
        "11pt_avg",
        "AP(judged_only=True)",
        "P(judged_only=True)@3",
    )
]
FRACTIONAL = [measure for measure in EVERY if measure.definition and measure.definition.page != "trec-eval"]


def leveled(name: str, level: int) -> Measure:
    measure = parse_measure(name)
    assert measure.definition is not None
    return measure.with_defaults(rel=level) if "rel" in measure.definition.parameters else measure


@law
@given(judgments(whole), runs, st.sampled_from([1, 2]), st.integers(0, 3))
def test_whole_grades_give_what_trec_eval_gives(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], level: int, more: int
) -> None:
    run = {query_id: ranking for query_id, ranking in run.items() if ranking}
    assume(run.keys() & qrels.keys())
    # pytrec_eval reads beyond its arrays where no grade of a query comes near the level.
    qrels = {query_id: {**grades, "not retrieved": level - 1 + more} for query_id, grades in qrels.items()}
    ours = {name: leveled(measure, level) for name, measure in KNOWN_TO_BOTH.items()}

    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(KNOWN_TO_BOTH), relevance_level=level).evaluate(run)
    evaluation = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), list(ours.values()), complete=False)

    assert set(evaluation.query_ids) == set(theirs)
    for query_id, values in theirs.items():
        found = {name: evaluation[measure.name][query_id] for name, measure in ours.items()}
        assert found == pytest.approx(values, abs=1e-9)


@law
@given(judgments(whole), runs)
def test_values_stay_within_their_bounds(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]) -> None:
    ranked = RankedGrades.join(Run.from_dict(run), Qrels.from_dict(qrels))

    for measure in EVERY:
        values = measure.per_query(ranked)
        assert np.isfinite(values).all()
        assert measure.lower is None or (values >= measure.lower).all(), measure
        assert measure.upper is None or (values <= measure.upper).all(), measure


@law
@given(judgments(fractions), runs)
def test_fractional_grades_stay_within_bounds_too(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    ranked = RankedGrades.join(Run.from_dict(run), Qrels.from_dict(qrels))

    for measure in FRACTIONAL:
        values = measure.per_query(ranked)
        assert (values >= 0).all(), measure
        assert measure.upper is None or (values <= measure.upper).all(), measure


@law
@given(judgments(whole), runs, st.randoms(use_true_random=False))
def test_the_order_of_queries_and_keys_does_not_matter(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]], random: Random
) -> None:
    def shuffled(table: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        queries = list(table)
        random.shuffle(queries)
        return {query_id: dict(reversed(list(table[query_id].items()))) for query_id in queries}

    assume(not run or run.keys() & qrels.keys())
    names = [measure.name for measure in FRACTIONAL]

    one = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), names)
    two = evaluate(Run.from_dict(shuffled(run)), Qrels.from_dict(shuffled(qrels)), names)

    for name in names:
        assert dict(one[name].values) == pytest.approx(dict(two[name].values), abs=1e-12)


@law
@given(judgments(whole), runs)
def test_a_query_alone_has_the_value_it_has_among_others(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    ranked = RankedGrades.join(Run.from_dict(run), Qrels.from_dict(qrels))
    highest = max(0.0, max(max(grades.values()) for grades in qrels.values()))

    for measure in EVERY:
        together = measure.per_query(ranked)
        alone = [
            measure.per_query(ranked.restricted_to([query_id]), max_grade=highest)[0] for query_id in ranked.query_ids
        ]
        assert alone == pytest.approx(together.tolist(), abs=1e-12), measure


@law
@given(st.dictionaries(documents, fractions, min_size=1), rankings)
def test_the_order_of_an_unjudged_tail_changes_nothing(grades: dict[str, float], ranking: list[str]) -> None:
    qrels = Qrels.from_dict({"q": grades})
    tail = [f"u{number}" for number in range(5)]

    one = evaluate(Run.from_rankings({"q": [*ranking, *tail]}), qrels, FRACTIONAL)
    two = evaluate(Run.from_rankings({"q": [*ranking, *reversed(tail)]}), qrels, FRACTIONAL)

    assert {name: values["q"] for name, values in one.items()} == {name: values["q"] for name, values in two.items()}


@law
@given(st.dictionaries(documents, fractions, min_size=1), st.sampled_from(["linear", "exp"]), st.integers(1, 12))
def test_the_ideal_ranking_has_ndcg_one(grades: dict[str, float], gain: str, cutoff: int) -> None:
    assume(max(grades.values()) > 0)
    ideal = sorted(grades, key=lambda doc_id: -grades[doc_id])
    names = [f"nDCG(gain='{gain}')@{cutoff}", f"nDCG-f(gain='{gain}')", f"nDCG(gain='{gain}',ideal='retrieved')"]

    evaluation = evaluate(Run.from_rankings({"q": ideal}), Qrels.from_dict({"q": grades}), names)

    assert [evaluation[name]["q"] for name in names] == pytest.approx([1.0, 1.0, 1.0], abs=1e-12)


@law
@given(judgments(fractions), runs)
def test_judged_only_measures_are_those_of_the_squeezed_run(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    assume(not run or run.keys() & qrels.keys())
    squeezed = {
        query_id: {doc_id: score for doc_id, score in ranking.items() if doc_id in qrels.get(query_id, {})}
        for query_id, ranking in run.items()
    }
    names = ["nDCG@3", "P@3", "R@3", "AP", "RR", "Rprec", "ERR@3", "RBP", "DCG", "NumRet@3", "Success@2", "IPrec@0.3"]
    condensed = [parse_measure(name).definition for name in names]

    whole_run = evaluate(
        Run.from_dict(run),
        Qrels.from_dict(qrels),
        [
            family.measure({**parse_measure(name).params, "judged_only": True}, parse_measure(name).cutoff)
            for name, family in zip(names, condensed, strict=True)
            if family is not None
        ],
    )
    plain = evaluate(Run.from_dict(squeezed), Qrels.from_dict(qrels), names)

    for one, two in zip(whole_run.values(), plain.values(), strict=True):
        assert dict(one.values) == pytest.approx(dict(two.values), abs=1e-12), one.measure


@law
@given(judgments(fractions), runs)
def test_a_function_of_one_ranking_gives_what_the_built_in_gives(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    assume(not run or run.keys() & qrels.keys())

    def average_precision(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
        hits = [rank for rank, doc_id in enumerate(ranking, start=1) if grades.get(doc_id, 0) >= 1]
        number = sum(grade >= 1 for grade in grades.values())
        return sum(place / rank for place, rank in enumerate(hits, start=1)) / number if number else 0.0

    measure = RankingMeasure.of("mine", average_precision, lower=0, upper=1)
    evaluation = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), [measure, "AP"])

    assert dict(evaluation["mine"].values) == pytest.approx(dict(evaluation["AP"].values), abs=1e-12)


@law
@given(judgments(whole), runs)
def test_judged_rows_alone_give_what_run_and_qrels_give(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    assume(not run or run.keys() & qrels.keys())

    one = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), EVERY)
    two = evaluate_ranked(RankedGrades.join(Run.from_dict(run), Qrels.from_dict(qrels)), EVERY)

    assert {name: dict(values.values) for name, values in one.items()} == {
        name: dict(values.values) for name, values in two.items()
    }
    assert (one.absent, one.empty, one.without_relevant) == (two.absent, two.empty, two.without_relevant)


@st.composite
def notations(draw: st.DrawFn) -> str:
    """Any measure with any settings, as its canonical name may look."""
    values = {
        "rel": st.sampled_from(["1", "2", "0.5", "-1"]),
        "gain": st.sampled_from(["'linear'", "'exp'"]),
        "gains": st.just("{0:0,1:1,2:5.5}"),
        "ideal": st.sampled_from(["'query'", "'max'", "'retrieved'"]),
        "max_grade": st.sampled_from(["3", "4.5"]),
        "judged_only": st.sampled_from(["True", "False"]),
        "p": st.sampled_from(["0.5", "0.8", "1e-3"]),
        "graded": st.sampled_from(["True", "False"]),
        "of": st.sampled_from(["'retrieved'", "'cutoff'"]),
        "beta": st.sampled_from(["1", "0.25"]),
    }
    family = draw(st.sampled_from(sorted(FAMILIES)))
    keys = draw(st.lists(st.sampled_from([*FAMILIES[family].parameters, "rel"]), unique=True))
    inside = ",".join(f"{key}={draw(values[key])}" for key in keys)
    return family + (f"({inside})" if inside else "") + draw(st.sampled_from(["", "@10", "@0.1"]))


def read(notation: str) -> Measure | MeasureError:
    try:
        return parse_measure(notation)
    except MeasureError as error:
        return error


@law
@given(notations())
def test_a_name_that_is_read_can_be_given_back(notation: str) -> None:
    measure = read(notation)

    if isinstance(measure, MeasureError):
        assert measure.fix
    else:
        again = parse_measure(measure.name)
        assert (again.name, again.settings) == (measure.name, measure.settings)


@law
@given(st.text(max_size=30) | st.text(alphabet="nDCG@10(){}=,:'\"-._ rel", max_size=30))
def test_any_text_is_a_measure_or_an_error_with_a_fix(text: str) -> None:
    measure = read(text)

    assert measure.fix if isinstance(measure, MeasureError) else measure.name


@law
@given(rankings, rankings, st.sampled_from([0.3, 0.9, 0.98]))
def test_rbo_does_not_care_which_ranking_comes_first(one: list[str], other: list[str], p: float) -> None:
    assert rbo(one, other, p=p) == pytest.approx(rbo(other, one, p=p), abs=1e-12)


@law
@given(rankings, rankings, st.sampled_from([0.3, 0.9, 0.98]))
def test_rbo_lies_between_what_is_seen_and_what_could_be(one: list[str], other: list[str], p: float) -> None:
    assume(one and other)
    least = rbo(one, other, p=p, kind="min")

    assert least - 1e-12 <= rbo(one, other, p=p) <= least + rbo(one, other, p=p, kind="res") + 1e-9


@law
@given(st.lists(documents, unique=True, min_size=2), st.integers(0, 10), st.sampled_from([0.5, 0.9]))
def test_rbo_grows_when_a_disagreement_is_put_right(ranking: list[str], place: int, p: float) -> None:
    place = min(place, len(ranking) - 1)
    strange = [*ranking[:place], "strange", *ranking[place + 1 :]]

    assert rbo(ranking, strange, p=p) <= rbo(ranking, ranking, p=p) == pytest.approx(1.0)
    assert rbo(ranking, strange, p=p, kind="min") <= rbo(ranking, ranking, p=p, kind="min") + 1e-12


@law
@given(st.dictionaries(query_ids, rankings), st.dictionaries(query_ids, rankings))
def test_overlap_of_runs_is_that_of_their_rankings(one: dict[str, list[str]], other: dict[str, list[str]]) -> None:
    assume(not one or not other or one.keys() & other.keys())
    runs_compared = Run.from_rankings(one), Run.from_rankings(other)

    ours = overlap(*runs_compared, "RBO(p=0.9)")
    tau = overlap(*runs_compared, "Kendall")

    for query_id, value in ours.values.items():
        ranking, theirs = one.get(query_id, []), other.get(query_id, [])
        assert value == pytest.approx(rbo(ranking, theirs), abs=1e-13)
        shared = [doc_id for doc_id in ranking if doc_id in theirs]
        if len(shared) > 1:
            places = [float(theirs.index(doc_id)) for doc_id in shared]
            expected = kendall_tau_b([float(place) for place in range(len(shared))], places)
            assert tau[query_id] == pytest.approx(expected, abs=1e-12)


@law
@given(st.lists(st.integers(0, 150), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_tau_of_long_rankings_counts_the_pairs_turned_round(lengths: list[int], random: Random) -> None:
    one = {f"q{place}": [f"d{number}" for number in range(length)] for place, length in enumerate(lengths)}
    other = {query_id: random.sample(ranking, len(ranking)) for query_id, ranking in one.items()}

    tau = overlap(Run.from_rankings(one), Run.from_rankings(other), "Kendall")

    for query_id, ranking in other.items():
        places = [int(doc_id[1:]) for doc_id in ranking]
        pairs = len(places) * (len(places) - 1) / 2
        inverted = sum(before > place for rank, place in enumerate(places) for before in places[:rank])
        assert tau[query_id] == pytest.approx(1 - 2 * inverted / pairs if pairs else 1.0, abs=1e-12)


@law
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_tau_b_is_scipys_where_scipy_has_one(pairs: list[tuple[int, int]]) -> None:
    x, y = [float(one) for one, _ in pairs], [float(two) for _, two in pairs]
    theirs = float(kendalltau(x, y).statistic)

    assert np.isnan(theirs) or kendall_tau_b(x, y) == pytest.approx(theirs, abs=1e-12)
    assert -1.0 <= kendall_tau_b(x, y) <= 1.0
