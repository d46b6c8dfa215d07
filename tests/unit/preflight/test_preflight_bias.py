"""The bias audit: planted truth is found, a random sample is not accused, numbers can be checked by pencil."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

from pytest_relevance.errors import DataError, UsageError
from pytest_relevance.preflight import Material
from pytest_relevance.preflight.bias import Pair, audit_bias, pairs_of
from pytest_relevance.preflight.features import Bm25Feature, PairFeature, feature_of
from pytest_relevance.records import Corpus, Qrels, Queries, Run
from pytest_relevance.records.columns import Floats
from pytest_relevance.trec import read_corpus, read_queries

NUMBER = PairFeature("number", lambda _, doc_id: float(doc_id) if doc_id.isdigit() else None)


def pairs(*numbers: int) -> list[Pair]:
    return [("q", str(number)) for number in numbers]


def test_difference_distance_and_range_by_pencil() -> None:
    audit = audit_bias(NUMBER, pairs(4, 6), pairs(1, 5, 9, 4), bins=2)

    assert (audit.judged, audit.unjudged) == (2, 3)  # the judged 4 is no hole
    assert audit.judged_mean == 5
    assert audit.unjudged_mean == 5
    assert audit.difference == 0
    assert audit.distance == pytest.approx(1 / 3)  # at 1: none of two against one of three
    assert audit.outside == pytest.approx(2 / 3)  # 1 and 9
    assert not audit.biased


def test_the_pooled_deviation_scales_the_difference() -> None:
    audit = audit_bias(NUMBER, pairs(10, 14), pairs(0, 4))

    assert audit.difference == pytest.approx(10 / 2)  # both have a standard deviation of 2


def test_the_distance_is_scipys() -> None:
    generator = np.random.default_rng(7)
    one, other = generator.normal(size=60), generator.normal(0.4, size=45)
    values = dict(enumerate([*one, *other]))
    feature = PairFeature("value", lambda _, doc_id: float(values[int(doc_id)]))

    audit = audit_bias(feature, pairs(*range(60)), pairs(*range(60, 105)))

    assert audit.distance == pytest.approx(ks_2samp(one, other).statistic)


def test_pairs_of_the_tenths_judged_least_are_to_be_labelled_next_best_ranked_first() -> None:
    audit = audit_bias(NUMBER, pairs(*range(50, 100)), pairs(99, 40, 7, 60, 12), bins=2, most=2)

    assert audit.label_next == (("q", "40"), ("q", "7"))


def test_pairs_without_a_value_are_counted_and_left_out() -> None:
    audit = audit_bias(NUMBER, [*pairs(1, 2), ("q", "x")], [*pairs(3), ("q", "y")])

    assert audit.unknown == 2


@pytest.mark.parametrize(("judged", "retrieved"), [(pairs(), pairs(1)), (pairs(1), pairs(1))])
def test_nothing_to_compare_is_an_error(judged: Sequence[Pair], retrieved: Sequence[Pair]) -> None:
    with pytest.raises(DataError, match="nothing to compare"):
        audit_bias(NUMBER, judged, retrieved)


def test_retrieved_pairs_come_by_rank_and_end_at_the_top() -> None:
    run = Run.from_rankings({"q1": ["a", "b", "c"], "q2": ["d"], "q3": ["e"]})
    qrels = Qrels.from_dict({"q1": {"a": 1, "z": 0}, "q2": {"y": 1}})

    judged, retrieved = pairs_of(run, qrels, top=2)

    assert judged == [("q1", "a"), ("q1", "z"), ("q2", "y")]
    assert retrieved == [("q1", "a"), ("q2", "d"), ("q1", "b")]


@pytest.fixture(scope="module")
def cranfield(shared: Path) -> Material:
    folder = shared / "data" / "cranfield"
    return Material(read_queries(folder / "queries.tsv"), corpus=read_corpus(folder / "corpus.jsonl"))


def bm25_ranks(material: Material, depth: int) -> list[Pair]:
    """The pairs of BM25's best documents, by rank."""
    assert material.queries is not None
    assert material.corpus is not None
    feature = Bm25Feature(material.corpus, material.queries)
    every = list(material.corpus)
    best: list[list[Pair]] = []
    for query in material.queries:
        scores: Floats = feature.values([(query.query_id, doc_id) for doc_id in every])
        best.append([(query.query_id, every[int(place)]) for place in np.argsort(-scores, kind="stable")[:depth]])
    return [pair for rank in zip(*best, strict=True) for pair in rank]


def test_labels_of_bm25s_top_are_biased_towards_bm25_and_a_random_sample_of_pairs_is_not(cranfield: Material) -> None:
    retrieved = bm25_ranks(cranfield, 100)
    feature = feature_of("bm25", cranfield)
    queries = len({query_id for query_id, _ in retrieved})

    of_the_top = audit_bias(feature, retrieved[: 10 * queries], retrieved)
    at_random = audit_bias(feature, random.Random(3).sample(retrieved, 10 * queries), retrieved)

    assert of_the_top.biased
    assert of_the_top.difference > 1
    assert "judged pairs have higher bm25" in of_the_top.sentence
    assert not at_random.biased
    assert abs(at_random.difference) < 0.1


def test_random_samples_are_hardly_ever_accused() -> None:
    everything = pairs(*range(2000))
    accused = sum(
        audit_bias(NUMBER, random.Random(seed).sample(everything, 200), everything).biased for seed in range(200)
    )

    assert accused <= 6  # one in a hundred by chance, and the difference must be large besides


MATERIAL = Material(
    queries=Queries.from_dict({"q1": "red shoes", "q2": "hose"}),
    corpus=Corpus(
        {
            "a": {"title": "red shoes", "price": 10},
            "b": {"title": "garden hose", "price": "2.5"},
            "c": {"title": "", "price": None},
        }
    ),
    runs={"live": Run.from_dict({"q1": {"a": 7.0}})},
)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("doc_length", [2, 4, 0]),
        ("query_length", [2, 2, 2]),
        ("field:price", [10, 2.5, np.nan]),
        ("score:live", [7, np.nan, np.nan]),
    ],
)
def test_features_of_pairs(name: str, values: list[float]) -> None:
    found = feature_of(name, MATERIAL).values([("q1", "a"), ("q1", "b"), ("q1", "c")])

    np.testing.assert_array_equal(found, values)


def test_bm25_is_zero_without_a_common_word_and_unknown_for_unknown_ids() -> None:
    found = feature_of("bm25", MATERIAL).values([("q1", "a"), ("q1", "b"), ("q2", "b"), ("q9", "a"), ("q1", "zz")])

    assert found[0] > 0
    assert found[1] == 0
    assert found[2] > 0
    assert np.isnan(found[3:]).all()


def test_a_function_of_ones_own_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "own_feature.py").write_text(
        "def price(query, document):\n    return document['price'] and float(document['price'])\n", encoding="utf-8"
    )

    found = feature_of("own_feature:price", MATERIAL, folder=tmp_path).values([("q1", "a"), ("q1", "c")])

    np.testing.assert_array_equal(found, [10, np.nan])


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("bm26", "did you mean 'bm25'"),
        ("field:prize", "did you mean 'price'"),
        ("score:lve", "did you mean 'live'"),
        ("no_such_module_here:f", "name package.module:function"),
    ],
)
def test_a_feature_that_is_not_there_is_named_with_the_nearest(name: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        feature_of(name, MATERIAL)

    assert fix in str(caught.value)
